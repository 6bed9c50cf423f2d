import GNSSProtocol
import Quantities

/// The way from an open port to a configured receiver: finds the baud rate, identifies the receiver and sends
/// the complete configuration.
enum Connecting: Sendable {
  case finding(Finding)
  case identifying(Identifying)
  case settingUp(SettingUp)
  case changingSpeed(SpeedChange, SettingUp)

  /// The state after an event.
  enum Progress: Sendable {
    case connecting(Connecting)
    /// The receiver runs as configured, or as it is if it cannot be configured. `setUpAt` is the time to which
    /// the configuration is postponed.
    case settled(setUpAt: Moment? = nil)
  }

  // MARK: Beginnings

  /// Starts the search. `first` are baud rates to try before the remembered one.
  static func find(
    first: [UInt32] = [], _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Connecting {
    let (speeds, isFixed) = link.searchSpeeds(first: first)
    let finding = Finding(
      first: speeds, isFixed: isFixed,
      interval: link.identification.known?.interval.map { .milliseconds($0) },
      queries: link.mayControl ? link.identification.queries : [], line: &link.line, now: now, &actions)
    link.starts.expect()
    return .finding(finding)
  }

  static func identify(
    _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    var identifying = Identifying(ReceiverCommand.versionQueries)
    let outcome = identifying.begin(line: link.line, now: now, &actions)
    return following(outcome, of: identifying, &link, now: now, &actions)
  }

  /// Sends the complete configuration; delays it after repeated configurations.
  static func configure(
    _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    if let postponed = link.configuration.postponement(now: now) { return .settled(setUpAt: postponed) }
    return setUp(&link, now: now, &actions)
  }

  /// Sends the complete configuration without delay.
  static func setUp(
    _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    link.configuration.begun()
    guard let dialect = link.dialect else { return .settled() }
    let desired = link.configuration.desired.setUp
    let sent = desired.map { dialect.setUp($0) } ?? []
    let change = link.speedChange(dialect)
    let digest = KnownReceiver.digest(of: sent, speed: change?.speed ?? link.line.effectiveSpeed)
    // A configuration that the receiver has stored is not written to its memory again.
    let isKept = change == nil && (sent.isEmpty || link.identification.known?.setUp == digest)
    var commands = sent
    if !link.identification.isConfirmed, sent.allSatisfy({ !$0.awaitsReply }),
      let query = link.identification.query
    {
      commands.insert(query, at: 0)
    }
    var settingUp = SettingUp(
      desiredSetUp: desired, commands: commands, digested: sent, change: change,
      keep: isKept ? [] : dialect.keep(), speed: link.line.speed)
    let progress = settingUp.proceed(line: link.line, now: now, &actions)
    return following(progress, of: settingUp, &link, now: now, &actions)
  }

  // MARK: Events

  func received(
    bytes: Int, frames: Int, _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    switch self {
    case .identifying, .settingUp: return .connecting(self)
    case .finding(var finding):
      let outcome = finding.received(
        bytes: bytes, frames: frames, line: &link.line, now: now, &actions)
      return Self.following(outcome, of: finding, &link, now: now, &actions)
    case .changingSpeed(var change, let settingUp):
      let outcome = change.received(frames: frames)
      return Self.following(outcome, of: change, settingUp, &link, now: now, &actions)
    }
  }

  func take(
    _ answer: ReceiverAnswer, _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    switch self {
    case .finding(var finding):
      finding.take(answer, line: link.line, now: now, &actions)
      return .connecting(.finding(finding))
    case .identifying(let identifying):
      return Self.following(identifying.take(answer), of: identifying, &link, now: now, &actions)
    case .settingUp(var settingUp):
      if link.identification.forgetIfContradicted(by: answer) {
        return Self.identify(&link, now: now, &actions)
      }
      if case .started = answer {
        link.starts.expect()
        link.recordNewStart(isBlank: true, now: now)
        settingUp.interrupted()
      }
      let progress = settingUp.take(answer, line: link.line, now: now, &actions)
      return Self.following(progress, of: settingUp, &link, now: now, &actions)
    case .changingSpeed(var change, let settingUp):
      let outcome = change.take(answer)
      return Self.following(outcome, of: change, settingUp, &link, now: now, &actions)
    }
  }

  func drained(now: Moment) -> Connecting {
    switch self {
    case .finding, .identifying, .settingUp: return self
    case .changingSpeed(var change, let settingUp):
      change.drained(now: now)
      return .changingSpeed(change, settingUp)
    }
  }

  func handleTimeout(
    _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    switch self {
    case .finding(var finding):
      let outcome = finding.handleTimeout(line: &link.line, now: now, &actions)
      return Self.following(outcome, of: finding, &link, now: now, &actions)
    case .identifying(var identifying):
      let outcome = identifying.handleTimeout(line: link.line, now: now, &actions)
      return Self.following(outcome, of: identifying, &link, now: now, &actions)
    case .settingUp(var settingUp):
      let progress = settingUp.handleTimeout(line: link.line, now: now, &actions)
      return Self.following(progress, of: settingUp, &link, now: now, &actions)
    case .changingSpeed(var change, let settingUp):
      let outcome = change.handleTimeout(line: &link.line, now: now, &actions)
      return Self.following(outcome, of: change, settingUp, &link, now: now, &actions)
    }
  }

  // MARK: Baud rate

  private static func following(
    _ outcome: Finding.Outcome, of finding: Finding, _ link: inout ReceiverLink, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Progress {
    switch outcome {
    case .searching: return .connecting(.finding(finding))
    case .roundOver(let hasReceivedBytes):
      link.line.reportFault(hasReceivedBytes: hasReceivedBytes, &actions)
      return .connecting(.finding(finding))
    case .found: return found(finding.identity, &link, now: now, &actions)
    }
  }

  /// Continues at the baud rate that was found; `answered` is the identity from an answer to a query.
  private static func found(
    _ answered: ReceiverIdentity?, _ link: inout ReceiverLink, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Progress {
    link.starts.forgetUptime()
    link.recordNewStart(isBlank: false, now: now)
    link.line.reportFound(&actions)
    guard link.mayControl else {
      link.identification.rememberUnqueried(speed: link.line.effectiveSpeed, &actions)
      return .settled()
    }
    if let answered { return identified(answered, &link, now: now, &actions) }
    link.identification.assumeKnown(at: link.line.effectiveSpeed)
    guard link.dialect != nil else { return identify(&link, now: now, &actions) }
    return configure(&link, now: now, &actions)
  }

  // MARK: Identity

  private static func following(
    _ outcome: Identifying.Outcome, of identifying: Identifying, _ link: inout ReceiverLink, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Progress {
    switch outcome {
    case .asking: return .connecting(.identifying(identifying))
    case .identified(let identity): return identified(identity, &link, now: now, &actions)
    case .silent:
      link.identification.recordSilence(at: link.line.effectiveSpeed, &actions)
      return .settled()
    }
  }

  private static func identified(
    _ identity: ReceiverIdentity, _ link: inout ReceiverLink, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Progress {
    if link.identification.identified(as: identity, at: link.line.effectiveSpeed, &actions) {
      link.configuration.forgetApplied()
      link.aiding.forgetReportedFailures()
    }
    return configure(&link, now: now, &actions)
  }

  // MARK: Configuration

  private static func following(
    _ progress: SettingUp.Progress, of settingUp: SettingUp, _ link: inout ReceiverLink, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Progress {
    switch progress {
    case .working: return .connecting(.settingUp(settingUp))
    case .speed(let speed, let command):
      let change = SpeedChange(
        to: speed, by: command, query: link.identification.query, interval: link.interval, line: link.line,
        now: now, &actions)
      return .connecting(.changingSpeed(change, settingUp))
    case .finished: return finish(settingUp, &link, now: now, &actions)
    }
  }

  private static func finish(
    _ settingUp: SettingUp, _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    if !link.identification.isConfirmed, settingUp.isDoubtful { link.identification.forget() }
    guard link.identification.identity != nil else { return identify(&link, now: now, &actions) }
    if settingUp.accepted > 0 { link.identification.confirm() }
    link.configuration.finished(settingUp.desiredSetUp)
    if !settingUp.isEmpty {
      actions.append(
        .report(.configured(refused: settingUp.refused, unanswered: settingUp.unanswered)))
    }
    let speed = link.line.effectiveSpeed
    link.identification.rememberSetUp(
      digest: KnownReceiver.digest(of: settingUp.digested, speed: speed),
      interval: settingUp.desiredSetUp.map { min(max($0.interval, 1), 3_600_000) }, speed: speed, &actions)
    guard !settingUp.isInterrupted else { return configure(&link, now: now, &actions) }
    return .settled()
  }

  private static func following(
    _ outcome: SpeedChange.Outcome, of change: SpeedChange, _ settingUp: SettingUp,
    _ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    switch outcome {
    case .working: return .connecting(.changingSpeed(change, settingUp))
    case .proven(let isAnswered):
      actions.append(.report(.speedChanged(from: change.old, to: change.new)))
      if !isAnswered, let query = change.query {
        actions.append(.report(.unanswered(command: query.name)))
      }
      link.identification.rememberChangedSpeed(link.line.effectiveSpeed, &actions)
    case .wentBack:
      link.line.recordFailure(of: change.new)
      actions.append(.report(.speedChangeFailed(target: change.new, speed: change.old)))
    case .stranded:
      link.line.recordFailure(of: change.new)
      actions.append(.report(.lostInSpeedChange(target: change.new, speed: change.old)))
      return .connecting(find(first: [change.new, change.old], &link, now: now, &actions))
    }
    var settingUp = settingUp
    let progress = settingUp.proceed(line: link.line, now: now, &actions)
    return following(progress, of: settingUp, &link, now: now, &actions)
  }
}
