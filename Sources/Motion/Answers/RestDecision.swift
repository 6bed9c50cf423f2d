/// The fast decision whether something moves, which wakes a receiver.
///
/// Two thresholds: shaken in two of three seconds it moves, and it rests once it was calm for a while. A knock is over
/// within a second and moves nothing.
struct RestDecision: Equatable, Sendable {
  /// g of all axes together in one second.
  static let shaken: Float = 0.03
  static let calm: Float = 0.018
  /// Seconds of calm that make a rest.
  static let patience = 20

  private(set) var isMoving = false
  /// Whether the newest seconds were shaken, the newest in the lowest bit.
  private var history: UInt8 = 0
  /// Seconds since the last that was not calm.
  private(set) var calmSeconds = 0

  /// `deviation` of a second, g.
  mutating func take(deviation: Float) {
    history = history << 1 | (deviation > Self.shaken ? 1 : 0)
    calmSeconds = deviation < Self.calm ? min(calmSeconds + 1, 1 << 20) : 0
    if (history & 0b111).nonzeroBitCount >= 2 {
      isMoving = true
    } else if calmSeconds >= Self.patience {
      isMoving = false
    }
  }

  /// The part watched and nothing moved.
  mutating func rest() { (isMoving, history, calmSeconds) = (false, 0, max(calmSeconds, Self.patience)) }
}
