import GNSSProtocol
import Quantities

/// The commands of one receiver family: encodes a desired setting as commands in the order in which they must
/// be sent.
///
/// Nil or empty if the family (or the version in `identity`) has no such command.
public protocol Dialect: Sendable {
  init(identity: ReceiverIdentity)

  /// Configures rate, the messages that the logger needs, dynamics and power mode; not the baud rate.
  func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand]
  /// Changes the baud rate in bit/s. No reply is reliable: the proof is communication at the new baud rate.
  func speed(_ baud: UInt32) -> ReceiverCommand?
  /// Commands to send after the new baud rate is proven, so that it survives a sleep.
  func keep() -> [ReceiverCommand]
  /// Puts the receiver to sleep with its data kept; without `duration` until it is woken. Nil if the family has no
  /// sleep command, or for a duration that only a pin could end.
  func sleep(for duration: Duration?) -> SleepSequence?
  func wake() -> WakeSequence
  func restart(_ kind: StartKind) -> ReceiverCommand?
  /// Time aiding: UTC and its one-sigma error.
  func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand?
  /// Position aiding: WGS 84 position, altitude in metres above the ellipsoid (nil unknown), one-sigma error
  /// in metres.
  func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand?
  /// Time and position in one command, for families that require both together; it takes precedence over the
  /// two.
  func aid(
    time: Timestamp, accuracy: Duration, position: Coordinate, altitude: Double?
  ) -> ReceiverCommand?
  /// Makes the receiver acknowledge the subsequent aiding.
  func prepareAid() -> [ReceiverCommand]
  /// Saves the navigation state before a power cut; the receiver stops for it.
  func saveState() -> [ReceiverCommand]
  /// Discards the saved state when the receiver runs again.
  func clearSavedState() -> ReceiverCommand?
  /// Starts a receiver that stopped for ``saveState()`` and was not switched off.
  func resume() -> [ReceiverCommand]
  /// A lighter sleep that ``wake()`` ends over the line, if ``sleep(for:)`` requires a pin; else nil.
  func doze() -> SleepSequence?
  /// Polls antenna status, jamming and spoofing indicators, and the time since the start. The answers are
  /// separate messages.
  func health() -> [ReceiverCommand]
  /// Switches a running receiver to this power mode, in volatile memory only: a sleep or a start ends it.
  /// Empty if the family has no such mode; ``SetUp/Power/continuous`` ends it.
  func power(_ power: SetUp.Power) -> [ReceiverCommand]
  /// Batching for a receiver configured as `desiredSetUp`, in volatile memory only: a sleep or a start ends it. Nil
  /// if the family has no batching; firmware without it rejects the commands.
  func batching(_ desiredSetUp: SetUp) -> BatchSequence?
  /// Polls the satellites in view once. The answer is a separate message.
  func askSatellites() -> [ReceiverCommand]
  /// Sets the report of satellites in view to every `epochs` epochs, 0 for none, for families without a poll;
  /// nothing else changes.
  func satellites(every epochs: Int) -> [ReceiverCommand]
}

extension Dialect {
  public func doze() -> SleepSequence? { nil }
  public func health() -> [ReceiverCommand] { [] }
  public func power(_ power: SetUp.Power) -> [ReceiverCommand] { [] }
  public func batching(_ desiredSetUp: SetUp) -> BatchSequence? { nil }
  public func askSatellites() -> [ReceiverCommand] { [] }
  public func satellites(every epochs: Int) -> [ReceiverCommand] { [] }
  public func prepareAid() -> [ReceiverCommand] { [] }
  public func resume() -> [ReceiverCommand] { [] }
  public func aid(
    time: Timestamp, accuracy: Duration, position: Coordinate, altitude: Double?
  ) -> ReceiverCommand? { nil }
}

/// The commands and properties of a receiver's sleep.
public struct SleepSequence: Equatable, Sendable {
  public var commands: [ReceiverCommand]
  /// Longest time that the receiver may continue to send.
  public var grace: Duration
  /// True if no byte on the line wakes it: only a pin, the supply, or the end of the duration.
  public var needsPin: Bool
  /// True if volatile settings are lost.
  public var losesSettings: Bool

  public init(commands: [ReceiverCommand], grace: Duration, needsPin: Bool, losesSettings: Bool) {
    self.commands = commands
    self.grace = grace
    self.needsPin = needsPin
    self.losesSettings = losesSettings
  }
}

/// The bytes and commands that wake a receiver over the line.
public struct WakeSequence: Equatable, Sendable {
  /// Bytes that wake the receiver; they may be lost.
  public var bytes: [UInt8]
  /// Time until the receiver accepts commands.
  public var pause: Duration
  /// Commands after the pause ("GNSS on").
  public var commands: [ReceiverCommand]

  public init(bytes: [UInt8], pause: Duration, commands: [ReceiverCommand]) {
    self.bytes = bytes
    self.pause = pause
    self.commands = commands
  }
}
