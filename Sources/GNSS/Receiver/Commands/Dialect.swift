import Quantities

/// The commands of one family: from a wish to the bytes that say it, in the order in which they must be sent.
///
/// Nil or empty where the family (or the version that `identity` names) has no such command.
public protocol Dialect: Sendable {
  init(identity: ReceiverIdentity)

  /// Rate, the messages the logger needs, dynamics and power mode; not the speed of the line.
  func setUp(_ wish: SetUp) -> [ReceiverCommand]
  /// Changes the speed of the line in bit/s. No reply can be relied on: the proof is talking at the new speed.
  func speed(_ baud: UInt32) -> ReceiverCommand?
  /// What must follow once the new speed is proven, so that it outlives a sleep.
  func keep() -> [ReceiverCommand]
  /// Puts the receiver to sleep, hot: `duration` nil until it is woken. Nil also for a duration that only a pin would
  /// end.
  func sleep(for duration: Duration?) -> SleepRecipe?
  func wake() -> WakeRecipe
  func restart(_ kind: StartKind) -> ReceiverCommand?
  /// UTC and its one-sigma error.
  func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand?
  /// WGS 84 position, altitude in metres above the ellipsoid (nil unknown), one-sigma error in metres.
  func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand?
  /// Time and place in one, for families that want them together; it goes before the two.
  func aid(
    time: Timestamp, accuracy: Duration, position: Coordinate, altitude: Double?
  ) -> ReceiverCommand?
  /// What makes it answer to the aiding that follows.
  func prepareAid() -> [ReceiverCommand]
  /// Keeps the navigation state over a power cut; the receiver stops for it.
  func saveState() -> [ReceiverCommand]
  /// Drops what was saved, once it is running again.
  func clearSavedState() -> ReceiverCommand?
  /// Starts a receiver that stopped for ``saveState()`` and was not switched off.
  func resume() -> [ReceiverCommand]
  /// A lighter sleep that ``wake()`` ends over the line, where ``sleep(for:)`` needs a pin; nil elsewhere.
  func doze() -> SleepRecipe?
  /// Asks how it fares: antenna, jamming, spoofing, time since the start. The answers are messages of their own.
  func health() -> [ReceiverCommand]
  /// Brings a receiver that runs into this way of saving charge, in its working memory alone: a sleep or a start ends
  /// it. Empty where the family has none such; ``SetUp/Power/continuous`` is what ends it.
  func power(_ power: SetUp.Power) -> [ReceiverCommand]
  /// Has it keep its epochs where `wish` was its set-up, in its working memory alone: a sleep or a start ends it. Nil
  /// where the family cannot; firmware that does not know it refuses.
  func batching(_ wish: SetUp) -> BatchRecipe?
  /// Asks once which satellites it hears. The answer is a message of its own.
  func askSatellites() -> [ReceiverCommand]
  /// Has it name the satellites it hears every so many epochs, 0 no more, where it cannot be asked; nothing else
  /// changes.
  func satellites(every epochs: Int) -> [ReceiverCommand]
}

extension Dialect {
  public func doze() -> SleepRecipe? { nil }
  public func health() -> [ReceiverCommand] { [] }
  public func power(_ power: SetUp.Power) -> [ReceiverCommand] { [] }
  public func batching(_ wish: SetUp) -> BatchRecipe? { nil }
  public func askSatellites() -> [ReceiverCommand] { [] }
  public func satellites(every epochs: Int) -> [ReceiverCommand] { [] }
  public func prepareAid() -> [ReceiverCommand] { [] }
  public func resume() -> [ReceiverCommand] { [] }
  public func aid(
    time: Timestamp, accuracy: Duration, position: Coordinate, altitude: Double?
  ) -> ReceiverCommand? { nil }
}

/// How a receiver goes to sleep.
public struct SleepRecipe: Equatable, Sendable {
  public var commands: [ReceiverCommand]
  /// How long it may go on talking.
  public var grace: Duration
  /// Nothing sent on the line wakes it: only a pin, the supply, or the end of the duration.
  public var needsPin: Bool
  /// Settings that were only in its memory are gone afterwards.
  public var losesSettings: Bool

  public init(commands: [ReceiverCommand], grace: Duration, needsPin: Bool, losesSettings: Bool) {
    self.commands = commands
    self.grace = grace
    self.needsPin = needsPin
    self.losesSettings = losesSettings
  }
}

/// How a receiver is woken over the line.
public struct WakeRecipe: Equatable, Sendable {
  /// Bytes that wake it; they may be lost.
  public var bytes: [UInt8]
  /// What to wait before it listens.
  public var pause: Duration
  /// Commands once it listens ("GNSS on").
  public var commands: [ReceiverCommand]

  public init(bytes: [UInt8], pause: Duration, commands: [ReceiverCommand]) {
    self.bytes = bytes
    self.pause = pause
    self.commands = commands
  }
}
