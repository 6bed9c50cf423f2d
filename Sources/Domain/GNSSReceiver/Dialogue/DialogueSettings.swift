/// Settings of the operator and the board for the receiver session.
public struct DialogueSettings: Equatable, Sendable {
  /// Permission to write to the receiver.
  public enum Control: String, Sendable, CaseIterable {
    /// Read only: no byte is ever written and no pin is ever set.
    case none
    /// The receiver is identified, configured, put to sleep and woken.
    case full
  }

  /// Origin of the baud rate.
  public enum Speed: Equatable, Sendable {
    /// Found by listening; may be changed.
    case automatic
    /// Fixed, in bit/s; no other is tried.
    case fixed(UInt32)
  }

  public var control: Control
  public var speed: Speed
  /// The desired baud rate in bit/s; nil keeps the one that was found.
  public var targetSpeed: UInt32?
  /// True if a GPIO line switches the receiver or its supply: high is on.
  public var hasEnableLine: Bool
  /// The desired configuration of the receiver; nil leaves it unchanged.
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
