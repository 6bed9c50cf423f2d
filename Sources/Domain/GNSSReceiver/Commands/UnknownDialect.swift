import GNSSProtocol
import Quantities

/// An unknown receiver: it is only read, and nothing is sent to it.
public struct UnknownDialect: Dialect {
  public init(identity: ReceiverIdentity) {}

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] { [] }
  public func speed(_ baud: UInt32) -> ReceiverCommand? { nil }
  public func keep() -> [ReceiverCommand] { [] }
  public func sleep(for duration: Duration?) -> SleepSequence? { nil }
  public func wake() -> WakeSequence { WakeSequence(bytes: [], pause: .zero, commands: []) }
  public func restart(_ kind: StartKind) -> ReceiverCommand? { nil }
  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? { nil }
  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? { nil }
  public func saveState() -> [ReceiverCommand] { [] }
  public func clearSavedState() -> ReceiverCommand? { nil }
}
