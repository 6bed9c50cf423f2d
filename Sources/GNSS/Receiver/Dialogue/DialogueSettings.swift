/// What the operator and the board say about talking to the receiver.
public struct DialogueSettings: Equatable, Sendable {
  /// Whether the receiver may be spoken to.
  public enum Control: String, Sendable, CaseIterable {
    /// Only listened to: no byte is ever written and no pin is ever set.
    case none
    /// It is identified, configured, put to sleep and woken.
    case full
  }

  /// How the line's speed is known.
  public enum Speed: Equatable, Sendable {
    /// Found by listening; may be changed.
    case automatic
    /// Never left, in bit/s.
    case fixed(UInt32)
  }

  public var control: Control
  public var speed: Speed
  /// The speed to bring the receiver to, in bit/s; nil leaves the one it is found at.
  public var targetSpeed: UInt32?
  /// A GPIO line switches the receiver or its supply: high is on.
  public var hasEnableLine: Bool
  /// How the receiver is to be configured; nil leaves it as it is.
  public var setUp: SetUp?

  public init(
    control: Control = .none, speed: Speed = .automatic, targetSpeed: UInt32? = nil,
    hasEnableLine: Bool = false, setUp: SetUp? = nil
  ) {
    self.control = control
    self.speed = speed
    self.targetSpeed = targetSpeed
    self.hasEnableLine = hasEnableLine
    self.setUp = setUp
  }
}
