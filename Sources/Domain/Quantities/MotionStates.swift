/// The motion state. It is a set, because a car at a red light is both driving and stationary.
///
/// The words and their order are those of the Overland protocol's `motion`.
public struct MotionStates: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue & 0b11111 }

  public static let walking = MotionStates(rawValue: 1 << 0)
  public static let running = MotionStates(rawValue: 1 << 1)
  public static let cycling = MotionStates(rawValue: 1 << 2)
  public static let driving = MotionStates(rawValue: 1 << 3)
  public static let stationary = MotionStates(rawValue: 1 << 4)

  /// The states with their words, in the order of the protocol.
  public static let words: [(state: MotionStates, word: StaticString)] = [
    (.walking, "walking"), (.running, "running"), (.cycling, "cycling"), (.driving, "driving"),
    (.stationary, "stationary"),
  ]
}
