import GNSSProtocol
import Quantities

// The search for the baud rate, then the identification of the receiver.
extension ReceiverDialogue {
  /// Starts the search. `first` are baud rates to try before the remembered one.
  mutating func find(first: [UInt32] = [], now: Moment, _ actions: inout [DialogueAction]) {
    var speeds = first
    let isFixed: Bool
    switch settings.speed {
    case .fixed(let speed):
      isFixed = true
      speeds = [speed]
    case .automatic:
      isFixed = false
      if let speed = known?.speed { speeds.append(speed) }
    }
    let finding = Finding(
      first: speeds, isFixed: isFixed, interval: known?.interval.map { .milliseconds($0) },
      queries: settings.control == .full ? ownQueryFirst : [], line: &line, now: now, &actions)
    phase = .finding(finding)
    gate.arm()
  }

  /// The version queries, with the one of the remembered receiver first.
  private var ownQueryFirst: [ReceiverCommand] {
    guard let query = (identity ?? known?.identity).flatMap({ ReceiverCommand.versionQuery(for: $0.family) })
    else {
      return ReceiverCommand.versionQueries
    }
    return [query] + ReceiverCommand.versionQueries.filter { $0 != query }
  }

  mutating func follow(
    _ outcome: Finding.Outcome, of finding: Finding, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .searching: break
    case .roundOver(let hasReceivedBytes):
      let notice =
        hasReceivedBytes
        ? DialogueNotice.garbled(hasSpeed: line.hasSpeed) : DialogueNotice.mute(hasSpeed: line.hasSpeed)
      guard reportedFault != notice else { return }
      reportedFault = notice
      actions.append(.report(notice))
    case .found: found(finding, now: now, &actions)
    }
  }

  private mutating func found(_ finding: Finding, now: Moment, _ actions: inout [DialogueAction]) {
    reportedFault = nil
    lastUptime = nil
    recordNewStart(isBlank: false, now: now)
    actions.append(.report(.found(speed: line.effectiveSpeed)))
    guard settings.control == .full else {
      remember(KnownReceiver(speed: line.effectiveSpeed, identity: known?.identity ?? .unknown), &actions)
      return run(now: now)
    }
    if let answered = finding.identity { return identified(answered, now: now, &actions) }
    if identity == nil, let known, known.speed == line.effectiveSpeed, known.identity.family != .unknown {
      identity = known.identity
      isConfirmed = false
    }
    guard let identity, identity.family != .unknown else { return identify(now: now, &actions) }
    configure(now: now, &actions)
  }

  // MARK: Identification

  mutating func identify(now: Moment, _ actions: inout [DialogueAction]) {
    var identifying = Identifying(ReceiverCommand.versionQueries)
    let outcome = identifying.begin(line: line, now: now, &actions)
    phase = .identifying(identifying)
    follow(outcome, now: now, &actions)
  }

  mutating func follow(_ outcome: Identifying.Outcome, now: Moment, _ actions: inout [DialogueAction]) {
    switch outcome {
    case .asking: break
    case .identified(let identity): identified(identity, now: now, &actions)
    case .silent:
      unansweredRounds = min(unansweredRounds + 1, 2)
      identity = .unknown
      isConfirmed = true
      if unansweredRounds == 1 { actions.append(.report(.notIdentified)) }
      remember(KnownReceiver(speed: line.effectiveSpeed, identity: .unknown), &actions)
      settle(now: now, &actions)
    }
  }

  private mutating func identified(
    _ identity: ReceiverIdentity, now: Moment, _ actions: inout [DialogueAction]
  ) {
    if self.identity != identity {
      applied.setUp = nil
      aidingSchedule.forgetReportedFailures()
    }
    if self.identity != identity || !isConfirmed { actions.append(.report(.identified(identity))) }
    self.identity = identity
    isConfirmed = true
    unansweredRounds = 0
    var receiver = KnownReceiver(speed: line.effectiveSpeed, identity: identity)
    if let known, known.identity == identity {
      receiver.setUp = known.setUp
      receiver.interval = known.interval
    }
    remember(receiver, &actions)
    configure(now: now, &actions)
  }

  mutating func remember(_ receiver: KnownReceiver, _ actions: inout [DialogueAction]) {
    guard receiver != known else { return }
    known = receiver
    actions.append(.remember(receiver))
  }
}

extension ReceiverIdentity {
  /// The identity of a receiver that is only read.
  static var unknown: ReceiverIdentity { ReceiverIdentity(family: .unknown) }
}
