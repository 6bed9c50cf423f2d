/// The recording rules that selected a fix.
///
/// The bits are in the order in which the rules are evaluated, so the lowest bit is the first rule that applied. The raw
/// value is stored.
public struct KeepReasons: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue & 0xFF }

  /// An event requested a position.
  public static let event = KeepReasons(rawValue: 1 << 0)
  /// The profile, the motion state or the trip changed, or there was no earlier record to compare with.
  public static let transition = KeepReasons(rawValue: 1 << 1)
  /// The configured time since the last record had passed.
  public static let period = KeepReasons(rawValue: 1 << 2)
  /// The configured distance from the last record was reached.
  public static let distance = KeepReasons(rawValue: 1 << 3)
  /// The course had changed by the configured angle.
  public static let angle = KeepReasons(rawValue: 1 << 4)
  /// The speed had changed by the configured difference.
  public static let speed = KeepReasons(rawValue: 1 << 5)
  /// The longest time without a record had passed.
  public static let ceiling = KeepReasons(rawValue: 1 << 6)
  /// The fix was buffered while the device was stationary, and stored when the start of a movement was confirmed.
  public static let beginning = KeepReasons(rawValue: 1 << 7)

  /// Every reason with its displayed name, in order.
  public static let words: [(reason: KeepReasons, word: StaticString)] = [
    (.event, "event"), (.transition, "transition"), (.period, "period"), (.distance, "distance"),
    (.angle, "angle"), (.speed, "speed"), (.ceiling, "ceiling"), (.beginning, "beginning"),
  ]

  /// The first rule that applied; nil if there is none.
  public var first: KeepReasons? {
    rawValue == 0 ? nil : KeepReasons(rawValue: 1 << UInt16(rawValue.trailingZeroBitCount))
  }
}
