import Quantities

/// The odometer: the sum of straight legs, each longer than the uncertainty of its ends, so that a stationary device
/// adds nothing.
public struct Odometer: Equatable, Sendable {
  /// Distance in mm.
  public private(set) var millimetres: Int64
  /// End of the last leg.
  private(set) var reference: Observation?

  init(millimetres: Int64 = 0, reference: Observation? = nil) {
    self.millimetres = millimetres
    self.reference = reference
  }

  /// Shortest leg in metres.
  static let shortestLeg = 3.0
  /// Speed in m/s that counts as moving if it exceeds the receiver's own uncertainty.
  static let movingSpeed = 1.0

  /// Processes a fix. Returns the metres that it added. An inaccurate fix is ignored.
  @discardableResult
  mutating func add(_ observation: Observation, mostAccuracy: Double = 200) -> Double {
    guard observation.radius <= mostAccuracy else { return 0 }
    guard let reference, OrderFilter.outcome(of: observation, after: reference) != .newSeries else {
      self.reference = observation
      return 0
    }
    let leg = observation.distance(to: reference)
    let uncertainty = observation.uncertainty(with: reference) * (Self.isMoving(observation) ? 1 : 3)
    guard leg >= max(uncertainty, Self.shortestLeg) else { return 0 }
    self.reference = observation
    millimetres &+= Int64((min(leg, 3e7) * 1000).rounded())
    return leg
  }

  /// Processes a fix. The distance over a gap of at least `gap` does not count.
  mutating func add(_ observation: Observation, notAfter gap: Duration) {
    if let reference, let pause = observation.elapsed(since: reference), pause >= gap { self.reference = nil }
    add(observation)
  }

  /// Adds the last leg of a trip without the margin for uncertainty.
  mutating func close(at observation: Observation) {
    guard let reference, observation.distance(to: reference) > observation.uncertainty(with: reference) else {
      return
    }
    add(observation)
  }

  static func isMoving(_ observation: Observation) -> Bool {
    guard let speed = observation.speed else { return false }
    return speed >= max(movingSpeed, observation.speedRadius)
  }
}
