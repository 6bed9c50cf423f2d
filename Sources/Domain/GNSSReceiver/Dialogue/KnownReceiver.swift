import GNSSProtocol
import Quantities

/// Identity and settings of a receiver that a previous session found; the next start tries them first.
public struct KnownReceiver: Equatable, Sendable {
  /// Baud rate in bit/s; nil on a port without a baud rate.
  public var speed: UInt32?
  public var identity: ReceiverIdentity
  /// A digest of the commands that were last sent and of the target baud rate; nil if nothing was sent.
  public var setUp: UInt64?
  /// The configured interval between epochs in milliseconds.
  public var interval: Int?
  /// True if the receiver was left storing its epochs: the next start retrieves them first.
  public var storesEpochs: Bool
  /// UTC of the last epoch before those that it stores; nil if unknown.
  public var storesAfter: Timestamp?

  public init(
    speed: UInt32?, identity: ReceiverIdentity, setUp: UInt64? = nil, interval: Int? = nil,
    storesEpochs: Bool = false, storesAfter: Timestamp? = nil
  ) {
    self.speed = speed
    self.identity = identity
    self.setUp = setUp
    self.interval = interval
    self.storesEpochs = storesEpochs
    self.storesAfter = storesAfter
  }

  /// A digest of the commands sent to a receiver: equal for equal bytes, in every build of the program.
  static func digest(of commands: [ReceiverCommand], speed: UInt32?) -> UInt64 {
    var hash = FNVHash()
    hash.take(([24, 16, 8, 0] as [UInt32]).map { UInt8(truncatingIfNeeded: (speed ?? 0) >> $0) })
    for command in commands { hash.take(command.bytes) }
    return hash.value
  }
}
