import Chips
import Quantities

/// What the reader's tests ask of an accelerometer: to sample while it is shaken, and only to watch for movement once it
/// has been at rest.
struct AccelerometerDuty: Equatable, Sendable {
  /// Hz and ±g are enough to tell a step from an engine; a part with a FIFO of 32 samples is read once a second.
  static let samples = AccelerometerDemand.samples(
    SamplingWish(rate: 25, range: 4), within: .seconds(2))
  static let watch = AccelerometerDemand.motion(MotionWatch())
  /// g of the samples' standard deviation, all axes together, from which on they are of a body that is shaken. The
  /// noise of the parts is below 0.01 g.
  static let shaking: Float = 0.03
  /// For how long nothing may have been shaken before sampling ends.
  static let patience = Duration.seconds(60)

  /// When it was shaken last; nil while it only watches.
  private var shaken: Moment?

  init(now: Moment) { shaken = now }

  var isResting: Bool { shaken == nil }

  var demand: AccelerometerDemand { isResting ? Self.watch : Self.samples }

  mutating func take(_ burst: AccelerationBurst, now: Moment) {
    guard let last = shaken else { return }
    if Self.deviation(of: burst.samples) < Self.shaking {
      if now - last >= Self.patience { shaken = nil }
    } else {
      shaken = now
    }
  }

  mutating func moved(now: Moment) { shaken = now }

  /// g.
  static func deviation(of samples: [Acceleration]) -> Float {
    var sum = SIMD3<Float>.zero
    for sample in samples { sum += SIMD3(sample.x, sample.y, sample.z) }
    let mean = sum / Float(max(samples.count, 1))
    var squares = SIMD3<Float>.zero
    for sample in samples {
      let offset = SIMD3(sample.x, sample.y, sample.z) - mean
      squares += offset * offset
    }
    return (squares.sum() / Float(max(samples.count, 1))).squareRoot()
  }
}
