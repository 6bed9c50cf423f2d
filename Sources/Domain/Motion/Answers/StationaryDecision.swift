/// The fast decision between moving and stationary that wakes the receiver.
///
/// Two thresholds: the device is moving if two of three seconds are shaken, and stationary after a period of calm. A
/// single knock is over within one second and has no effect.
struct StationaryDecision: Equatable, Sendable {
  /// The standard deviation of a shaken second in g, all axes together.
  static let shaken: Float = 0.03
  /// The standard deviation in g below which a second is calm.
  static let calm: Float = 0.018
  /// The number of consecutive calm seconds after which the device is stationary.
  static let stationaryDelay = 20

  private(set) var isMoving = false
  /// The last seconds, one bit each: 1 if the second was shaken; the newest is the lowest bit.
  private var history: UInt8 = 0
  /// The number of consecutive calm seconds.
  private(set) var calmSeconds = 0

  /// Processes the standard deviation of a second in g.
  mutating func take(deviation: Float) {
    history = history << 1 | (deviation > Self.shaken ? 1 : 0)
    calmSeconds = deviation < Self.calm ? min(calmSeconds + 1, 1 << 20) : 0
    if (history & 0b111).nonzeroBitCount >= 2 {
      isMoving = true
    } else if calmSeconds >= Self.stationaryDelay {
      isMoving = false
    }
  }

  /// Reports that wake-on-motion detected no movement.
  mutating func stationary() {
    (isMoving, history, calmSeconds) = (false, 0, max(calmSeconds, Self.stationaryDelay))
  }
}
