import Quantities

/// Settings of the operator and the board for the receiver session.
public struct DialogueSettings: Equatable, Sendable {
  /// With ``ReceiverControl/none``, no byte is ever written and no pin is ever set.
  public var control: ReceiverControl
  /// A fixed baud rate is the only one that is tried.
  public var speed: ReceiverSpeed
  /// The desired baud rate in bit/s; nil keeps the one that was found.
  public var targetSpeed: UInt32?
  /// True if a GPIO line switches the receiver or its supply: high is on.
  public var hasEnableLine: Bool
  /// The desired configuration of the receiver; nil leaves it unchanged.
  public var setUp: SetUp?

  public init(
    control: ReceiverControl = .none, speed: ReceiverSpeed = .automatic, targetSpeed: UInt32? = nil,
    hasEnableLine: Bool = false, setUp: SetUp? = nil
  ) {
    self.control = control
    self.speed = speed
    self.targetSpeed = targetSpeed
    self.hasEnableLine = hasEnableLine
    self.setUp = setUp
  }
}
