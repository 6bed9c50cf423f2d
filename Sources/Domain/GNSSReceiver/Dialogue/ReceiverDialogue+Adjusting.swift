import GNSSProtocol
import Quantities

// Commands and polls for a running receiver, outside a complete configuration.
extension ReceiverDialogue {
  /// Time after a start before the satellites are polled; a hot start has a fix earlier.
  static let pollDelayAfterStart = Duration.seconds(3)
  /// Time between two polls of the satellites.
  static let satellitePollInterval = Duration.seconds(5)
  /// Epochs between two reports of the satellites; a full report takes a third of a second at 9600 bit/s.
  private static let satellitesEvery = 2

  /// The time of the next command or poll for the running receiver; nil if there is none.
  func adjustmentIsDueAt(now: Moment) -> Moment? {
    guard settings.control == .full, isConfirmed, desiredState == .awake, let dialect else { return nil }
    if desired.reportsSatellites, !applied.reportsSatellitesAnyway, applied.power == .continuous,
      !dialect.askSatellites().isEmpty
    {
      return now + Self.pollDelayAfterStart
    }
    switch openSubject(dialect) {
    case nil: return nil
    case .satellites(true): return isAskedForSatellites ? now.after(.zero) : now + Self.pollDelayAfterStart
    case .satellites(false), .power: return now.after(.zero)
    }
  }

  mutating func request(satellites isRequested: Bool, now: Moment) {
    guard isRequested != desired.reportsSatellites else { return }
    desired.reportsSatellites = isRequested
    adjustIfDue(now: now)
  }

  /// Polls the satellites once. A receiver that is processing another command is not polled.
  mutating func askSatellitesOnce(now: Moment, _ actions: inout [DialogueAction]) {
    guard settings.control == .full, let dialect else { return }
    let question = dialect.askSatellites()
    guard !question.isEmpty else {
      isAskedForSatellites = true
      return adjustIfDue(now: now)
    }
    guard case .running(let running) = phase, running.adjusting == nil, running.aiding == nil else { return }
    for command in question { actions.append(.write(command.bytes)) }
  }

  /// The reason why the receiver cannot be polled for its satellites; nil if it can. It may still report them
  /// unasked.
  public var satelliteObstacle: SatelliteObstacle? {
    guard settings.control == .full else { return .notAllowed }
    guard case .running = phase else { return .notRunning }
    guard let dialect else { return .noCommand }
    let isReporting =
      applied.reportsSatellitesAnyway || !dialect.satellites(every: Self.satellitesEvery).isEmpty
    return isReporting || !dialect.askSatellites().isEmpty ? nil : .noCommand
  }

  mutating func adjustIfDue(now: Moment) {
    guard case .running(var running) = phase, running.adjusting == nil else { return }
    running.adjustAt = adjustmentIsDueAt(now: now)
    phase = .running(running)
  }

  /// Performs one step of an adjustment, from the first command to the last reply.
  mutating func adjust(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase, let dialect else { return }
    if var adjusting = running.adjusting {
      adjusting.run.handleTimeout(now: now, &actions)
      return follow(adjusting, running, now: now, &actions)
    }
    // Replies to aiding could be mistaken for replies to this.
    guard running.aiding == nil else {
      running.adjustAt = now.after(.seconds(1))
      phase = .running(running)
      return
    }
    if let subject = openSubject(dialect) {
      var adjusting = Adjusting(
        subject: subject, run: CommandRun(commands(for: subject, dialect), line: line, reports: false))
      adjusting.run.begin(now: now, &actions)
      return follow(adjusting, running, now: now, &actions)
    }
    if desired.reportsSatellites, !applied.reportsSatellitesAnyway {
      for command in dialect.askSatellites() { actions.append(.write(command.bytes)) }
      running.adjustAt = now + Self.satellitePollInterval
    }
    phase = .running(running)
  }

  /// Handles a reply to an adjustment, if `answer` is one.
  mutating func handleAdjustingAnswer(
    _ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]
  ) {
    guard case .running(let running) = phase, var adjusting = running.adjusting else { return }
    adjusting.run.take(answer, now: now, &actions)
    follow(adjusting, running, now: now, &actions)
  }

  private mutating func follow(
    _ adjusting: Adjusting, _ running: Running, now: Moment, _ actions: inout [DialogueAction]
  ) {
    var running = running
    guard adjusting.run.isFinished else {
      running.adjusting = adjusting
      phase = .running(running)
      return
    }
    running.adjusting = nil
    var pause: Duration?
    switch adjusting.subject {
    case .satellites(let isOn): applied.reportsSatellites = isOn
    case .power(let power): pause = recordSentPower(power, with: adjusting.run, &actions)
    }
    running.adjustAt = pause.map { now.after($0) } ?? adjustmentIsDueAt(now: now)
    phase = .running(running)
  }

  /// The first setting of the receiver that differs from the desired one.
  func openSubject(_ dialect: any Dialect) -> Adjusting.Subject? {
    var desired = desired
    desired.power = effectivePower
    if isAskedForSatellites { desired.reportsSatellites = true }
    return applied.firstDifference(
      from: desired, canReport: !dialect.satellites(every: Self.satellitesEvery).isEmpty)
  }

  private func commands(for subject: Adjusting.Subject, _ dialect: any Dialect) -> [ReceiverCommand] {
    switch subject {
    case .satellites(let isOn): dialect.satellites(every: isOn ? Self.satellitesEvery : 0)
    case .power(.continuous): wakingCommands(dialect.power(.continuous), dialect)
    case .power(let power): dialect.power(power)
    }
  }
}

/// The reason why a receiver cannot be polled for the satellites it receives.
public enum SatelliteObstacle: Sendable, CaseIterable {
  /// The command is not allowed, because receiver control does not permit writing.
  case notAllowed
  /// The receiver is asleep, starting or being configured.
  case notRunning
  /// The receiver family is unknown.
  case noCommand
}
