/// Why a fix became a record: all rules that held. The order of the bits is the order in which rules are looked at, so
/// the lowest is the one that came first; the raw value is stored.
public struct KeepReasons: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue & 0xFF }

  /// An event asked for a position.
  public static let event = KeepReasons(rawValue: 1 << 0)
  /// The profile, the state of motion or the trip changed, or there was nothing to compare with.
  public static let transition = KeepReasons(rawValue: 1 << 1)
  /// So much time had passed.
  public static let period = KeepReasons(rawValue: 1 << 2)
  /// So far from the last record.
  public static let distance = KeepReasons(rawValue: 1 << 3)
  /// The course had turned by so much.
  public static let angle = KeepReasons(rawValue: 1 << 4)
  /// The speed had changed by so much.
  public static let speed = KeepReasons(rawValue: 1 << 5)
  /// Nothing else in the longest time allowed.
  public static let ceiling = KeepReasons(rawValue: 1 << 6)
  /// Held back at rest, and kept when it was sure that a motion had begun.
  public static let beginning = KeepReasons(rawValue: 1 << 7)

  /// Each reason with the word that people see, in order.
  public static let words: [(reason: KeepReasons, word: StaticString)] = [
    (.event, "event"), (.transition, "transition"), (.period, "period"), (.distance, "distance"),
    (.angle, "angle"), (.speed, "speed"), (.ceiling, "ceiling"), (.beginning, "beginning"),
  ]

  /// The rule that came first; nil when there is none.
  public var first: KeepReasons? {
    rawValue == 0 ? nil : KeepReasons(rawValue: 1 << UInt16(rawValue.trailingZeroBitCount))
  }
}
