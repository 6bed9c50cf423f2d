import Quantities

/// The way travelled: a sum of straight legs, each longer than its ends are uncertain, so that standing still adds
/// nothing.
struct Odometer: Equatable, Sendable {
  /// mm.
  private(set) var millimetres: Int64
  /// Where the last leg ended; a fix nearer than that moves nothing.
  private(set) var reference: Sample?

  init(millimetres: Int64 = 0, reference: Sample? = nil) {
    self.millimetres = millimetres
    self.reference = reference
  }

  /// Metres; the shortest leg.
  static let shortestLeg = 3.0
  /// m/s; a receiver that says so much, beyond its own uncertainty, is moving.
  static let movingSpeed = 1.0

  /// Takes a fix; answers the metres that it added. An imprecise fix is left out.
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

  /// The same, but what lies behind a pause of `gap` was no way that anybody saw.
  mutating func add(_ sample: Sample, notAfter gap: Duration) {
    if let reference, let pause = sample.elapsed(since: reference), pause >= gap { self.reference = nil }
    add(sample)
  }

  /// Adds the legs up to a place as it is, without asking how sure it is: the last bit of a trip.
  mutating func close(at sample: Sample) {
    guard let reference, sample.distance(to: reference) > sample.uncertainty(with: reference) else { return }
    add(sample)
  }

  static func isMoving(_ sample: Sample) -> Bool {
    guard let speed = sample.speed else { return false }
    return speed >= max(movingSpeed, sample.speedAccuracy ?? 0)
  }
}
