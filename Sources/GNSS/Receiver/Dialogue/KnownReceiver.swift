import Quantities

/// What was found out about a receiver, to be tried first at the next start.
public struct KnownReceiver: Equatable, Sendable {
  /// Bit/s; nil on a port without a speed.
  public var speed: UInt32?
  public var identity: ReceiverIdentity
  /// A digest of the commands it was given last and of the speed it was brought to; nil when it was given none.
  public var setUp: UInt64?
  /// Milliseconds between its epochs, as it was told.
  public var interval: Int?

  public init(speed: UInt32?, identity: ReceiverIdentity, setUp: UInt64? = nil, interval: Int? = nil) {
    self.speed = speed
    self.identity = identity
    self.setUp = setUp
    self.interval = interval
  }

  /// A digest of what is sent to a receiver: equal for equal bytes, for any build of the program.
  static func digest(of commands: [ReceiverCommand], speed: UInt32?) -> UInt64 {
    var hash = FNVHash()
    hash.take(([24, 16, 8, 0] as [UInt32]).map { UInt8(truncatingIfNeeded: (speed ?? 0) >> $0) })
    for command in commands { hash.take(command.bytes) }
    return hash.value
  }
}
