import Chips
import Quantities

/// The modes of an accelerometer in the reader's tests: sampling during motion, and wake-on-motion when
/// stationary.
struct AccelerometerController: Equatable, Sendable {
  /// Hz and ±g that distinguish a step from an engine; a chip with a FIFO of 32 samples is read once a
  /// second.
  static let samples = DesiredAccelerometerMode.samples(
    SamplingRequest(rate: 25, range: 4), within: .seconds(2))
  static let watch = DesiredAccelerometerMode.motion(MotionWatch())
  /// Standard deviation in g, all axes combined, from which a body counts as moving. The noise of the chips
  /// is below 0.01 g.
  static let shaking: Float = 0.03
  /// Time without motion after which sampling ends.
  static let stationaryDelay = Duration.seconds(60)

  /// Time of the last motion; nil during wake-on-motion.
  private var shaken: Moment?

  init(now: Moment) { shaken = now }

  var isStationary: Bool { shaken == nil }

  var desiredMode: DesiredAccelerometerMode { isStationary ? Self.watch : Self.samples }

  mutating func take(_ burst: AccelerationBurst, now: Moment) {
    guard let last = shaken else { return }
    if Self.deviation(of: burst.samples) < Self.shaking {
      if now - last >= Self.stationaryDelay { shaken = nil }
    } else {
      shaken = now
    }
  }

  mutating func moved(now: Moment) { shaken = now }

  /// Standard deviation in g.
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
