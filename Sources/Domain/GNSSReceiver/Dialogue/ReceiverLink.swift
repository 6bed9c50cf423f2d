import GNSSProtocol
import Quantities

/// The receiver at the other end of the line, whatever the phase: how it is reached, who it is, how it is
/// configured, and when it started.
///
/// Each part keeps its own state; the link answers questions that concern several of them.
struct ReceiverLink: Sendable {
  /// Shortest interval of cyclic tracking in milliseconds.
  private static let leastCyclicInterval = 1000
  /// Epochs between two reports of the satellites; a full report takes a third of a second at 9600 bit/s.
  private static let satellitesEvery = 2
  /// The transfer of stored epochs takes at most this fraction (1 / n) of the batching time.
  private static let transferShare = 20

  let settings: DialogueSettings
  var line: LineState
  var identification: ReceiverIdentification
  var configuration: ConfigurationState
  var starts = StartDetector()
  var aiding = AidingSchedule()

  init(settings: DialogueSettings, known: KnownReceiver?, now: Moment) {
    self.settings = settings
    identification = ReceiverIdentification(known: known)
    configuration = ConfigurationState(setUp: settings.setUp, now: now)
    switch settings.speed {
    case .fixed(let speed): line = LineState(speed: speed)
    case .automatic: line = LineState(speed: known?.speed ?? Finding.usualSpeeds[0])
    }
  }

  var mayControl: Bool { settings.control == .full }

  /// The commands of the receiver's family; nil if the family is unknown.
  var dialect: (any Dialect)? { identification.dialect }

  /// The commands of a receiver that may be controlled and has confirmed its identity.
  var controlDialect: (any Dialect)? { mayControl && identification.isConfirmed ? dialect : nil }

  /// Time between two epochs.
  var interval: Duration { configuration.interval(remembered: identification.known?.interval) }

  /// The baud rates to try first, before the usual ones, and true if no other is allowed.
  func searchSpeeds(first: [UInt32]) -> (speeds: [UInt32], isFixed: Bool) {
    switch settings.speed {
    case .fixed(let speed): ([speed], true)
    case .automatic: (first + (identification.known?.speed.map { [$0] } ?? []), false)
    }
  }

  /// The baud rates at which a receiver that does not wake may have started.
  var wakeSpeeds: [UInt32] {
    switch settings.speed {
    case .fixed: []
    case .automatic: identification.identity?.family.factorySpeeds ?? []
    }
  }

  /// The command for the desired baud rate; nil if the line has it or may not have it.
  func speedChange(_ dialect: any Dialect) -> (speed: UInt32, command: ReceiverCommand)? {
    guard settings.speed == .automatic, line.hasSpeed, let target = settings.targetSpeed,
      target != line.speed, target != line.failedSpeed, let command = dialect.speed(target)
    else { return nil }
    return (target, command)
  }

  // MARK: Starts

  /// Marks a new start, after which aiding is due again. `isBlank` is true if the receiver may have lost time
  /// and position.
  mutating func recordNewStart(isBlank: Bool, now: Moment) {
    aiding.started(isBlank: isBlank, interval: interval, now: now)
  }

  /// The time to send aiding to the running receiver; nil if there is nothing to send.
  func aidIsDue(now: Moment) -> Moment? { controlDialect == nil ? nil : aiding.due(now: now) }

  // MARK: Power mode and satellites

  /// True if the receiver supports cyclic tracking with one fix per second and has not rejected it. False on
  /// USB, whose supply keeps u-blox receivers awake.
  var offersCyclicMode: Bool {
    guard line.hasSpeed, !configuration.isCyclicModeRefused, let dialect = controlDialect,
      configuration.configuredInterval ?? Self.leastCyclicInterval >= Self.leastCyclicInterval
    else { return false }
    return !dialect.power(.cyclic(seconds: 1)).isEmpty
  }

  /// True if the receiver reports satellites all the time, or can be made to report or be polled for them.
  func offersSatellites(_ dialect: any Dialect) -> Bool {
    configuration.applied.reportsSatellitesAnyway || canReportSatellites(dialect)
      || !dialect.askSatellites().isEmpty
  }

  /// True if satellites were requested and are not reported anyway.
  var needsSatellites: Bool {
    configuration.desired.reportsSatellites && !configuration.applied.reportsSatellitesAnyway
  }

  private func canReportSatellites(_ dialect: any Dialect) -> Bool {
    !dialect.satellites(every: Self.satellitesEvery).isEmpty
  }

  /// The first setting of the running receiver that differs from the desired one.
  func openSubject(_ dialect: any Dialect) -> Adjusting.Subject? {
    configuration.openSubject(offersCyclicMode: offersCyclicMode, canReport: canReportSatellites(dialect))
  }

  /// The commands that change one setting of the running receiver.
  func commands(for subject: Adjusting.Subject, _ dialect: any Dialect) -> [ReceiverCommand] {
    switch subject {
    case .satellites(let isOn): dialect.satellites(every: isOn ? Self.satellitesEvery : 0)
    case .power(.continuous): dialect.returnToContinuousMode()
    case .power(let power): dialect.power(power)
    }
  }

  /// Prepends the return to continuous mode, so that a receiver put to sleep by command starts acquisition at
  /// full power.
  mutating func endingCyclicMode(_ means: FallingAsleep.Means) -> FallingAsleep.Means {
    guard configuration.applied.power != .continuous, let dialect else { return means }
    configuration.returnedToContinuousMode()
    switch means {
    case .enableLine: return means
    case .sequence(var sequence):
      sequence.commands = dialect.returnToContinuousMode() + sequence.commands
      return .sequence(sequence)
    }
  }

  // MARK: Batching

  /// The commands of batching; nil if the receiver cannot store its epochs. USB has none, because a wake-up of
  /// the host consumes whole packets, nor has a line too slow for the transfer.
  var batchSequence: BatchSequence? {
    guard let dialect = controlDialect, line.hasSpeed, let setUp = configuration.applied.setUp,
      Batching.time(1, speed: line.speed) * Self.transferShare <= interval
    else { return nil }
    return dialect.batching(setUp)
  }

  /// The bytes that wake a receiver between two active periods of cyclic tracking.
  var wakeBytes: [UInt8] {
    configuration.applied.power == .continuous ? [] : dialect?.wake().bytes ?? []
  }
}

extension Dialect {
  /// The commands that end cyclic tracking, with wake bytes: between two active periods the receiver sleeps,
  /// and the first byte may only wake it.
  fileprivate func returnToContinuousMode() -> [ReceiverCommand] {
    let commands = power(.continuous)
    guard let first = commands.first else { return [] }
    let woken = ReceiverCommand(name: first.name, bytes: wake().bytes + first.bytes, reply: first.reply)
    return [woken] + commands.dropFirst()
  }
}
