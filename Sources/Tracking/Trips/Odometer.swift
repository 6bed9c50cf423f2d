import Quantities

/// The odometer: the sum of straight legs, each longer than the uncertainty of its ends, so that a stationary device
/// adds nothing.
struct Odometer: Equatable, Sendable {
  /// Distance in mm.
  private(set) var millimetres: Int64
  /// End of the last leg.
  private(set) var reference: Sample?

  init(millimetres: Int64 = 0, reference: Sample? = nil) {
    self.millimetres = millimetres
    self.reference = reference
  }

  /// Shortest leg in metres.
  static let shortestLeg = 3.0
  /// Speed in m/s that counts as moving if it exceeds the receiver's own uncertainty.
  static let movingSpeed = 1.0

  /// Processes a fix. Returns the metres that it added. An inaccurate fix is ignored.
  @discardableResult
  mutating func add(_ sample: Sample, mostAccuracy: Double = 200) -> Double {
    guard sample.accuracy ?? 0 <= mostAccuracy else { return 0 }
    guard let reference, OrderFilter.outcome(of: sample, after: reference) != .newStretch else {
      self.reference = sample
      return 0
    }
    let leg = sample.distance(to: reference)
    let doubt = sample.uncertainty(with: reference) * (Self.isMoving(sample) ? 1 : 3)
    guard leg >= max(doubt, Self.shortestLeg) else { return 0 }
    self.reference = sample
    millimetres &+= Int64((min(leg, 3e7) * 1000).rounded())
    return leg
  }

  /// Processes a fix. The distance over a gap of at least `gap` does not count.
  mutating func add(_ sample: Sample, notAfter gap: Duration) {
    if let reference, let pause = sample.elapsed(since: reference), pause >= gap { self.reference = nil }
    add(sample)
  }

  /// Adds the last leg of a trip without the margin for uncertainty.
  mutating func close(at sample: Sample) {
    guard let reference, sample.distance(to: reference) > sample.uncertainty(with: reference) else { return }
    add(sample)
  }

  static func isMoving(_ sample: Sample) -> Bool {
    guard let speed = sample.speed else { return false }
    return speed >= max(movingSpeed, sample.speedAccuracy ?? 0)
  }
}
