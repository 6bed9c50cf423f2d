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

  /// A digest of what is sent to a receiver (FNV-1a, 64 bits): equal for equal bytes, for any build of the program.
  static func digest(of commands: [ReceiverCommand], speed: UInt32?) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func take(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for shift in [24, 16, 8, 0] as [UInt32] { take(UInt8(truncatingIfNeeded: (speed ?? 0) >> shift)) }
    for command in commands { command.bytes.forEach(take) }
    return hash
  }
}
