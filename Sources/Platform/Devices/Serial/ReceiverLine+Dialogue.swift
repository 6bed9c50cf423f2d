import GNSSReceiver
import Quantities

// Carries out the actions of the dialogue with the receiver and of the watch over it.
extension ReceiverLine {
  /// Slack of deadlines that every epoch postpones and that only a fault reaches.
  private static let slack = Duration.seconds(1)

  func report(_ notice: LineNotice) {
    if noticeFilter.admit(notice) { onNotice(notice) }
  }

  // MARK: The dialogue

  func handle(_ event: DialogueEvent, now: Moment) { take(dialogue.handle(event, now: now), now: now) }

  /// Carries out the actions of the dialogue. Actions that follow from them are queued.
  func take(_ requested: [DialogueAction], now: Moment) {
    if !requested.isEmpty { actions += requested }
    guard !isPerforming else { return }
    isPerforming = true
    while !actions.isEmpty { perform(actions.removeFirst(), now: now) }
    isPerforming = false
    pauseOrResumeWatch(now: now)
    releaseEpochs(now: now)
    let slack = dialogue.state == .running ? Self.slack : .zero
    dialogueTimer?.arm(at: dialogue.nextTimeout.map { $0 + slack }, slack: slack)
    if dialogue.listensClosely, dialogue.bytesToCome == nil, reader.isDeferring {
      reader.watchLine(now: now)
    }
  }

  private func perform(_ action: DialogueAction, now: Moment) {
    switch action {
    case .write(let bytes): endpoint.write(bytes, now: now)
    case .awaitDrain: endpoint.awaitDrain(now: now)
    case .setSpeed(let speed): setSpeed(speed, now: now)
    case .reopen: reopen(now: now)
    case .enableLine(let isOn): switchSupply(isOn)
    case .report(let notice): report(.dialogue(notice))
    case .remember(let receiver): onRemember(receiver)
    }
  }

  /// Gives the dialogue the aiding data (time and position of the host) for the start that it will detect.
  func provideAiding(now: Moment) {
    if let aid = startAid(now) { handle(.request(.aid(aid)), now: now) }
  }

  // MARK: The watch

  func take(_ requested: [WatchAction], now: Moment) {
    for action in requested { perform(action, now: now) }
    watchTimer?.arm(at: receiverWatch.nextTimeout.map { $0 + Self.slack }, slack: Self.slack)
  }

  private func perform(_ action: WatchAction, now: Moment) {
    switch action {
    case .event(.began(let fault, let evidence)): report(.began(fault, evidence))
    case .event(.ended(let fault, let lasted)): report(.ended(fault, lasted: lasted))
    case .backOff(let fault, let tried, let until): report(.backOff(fault, tried: tried, until: until))
    case .remedy(let remedy, let fault):
      guard apply(remedy, now: now) else { return }
      report(.remedy(remedy, against: fault))
    }
  }

  /// Performs a recovery step. Returns false if the dialogue is already working on it.
  private func apply(_ remedy: RecoveryStep, now: Moment) -> Bool {
    let state = dialogue.state
    switch remedy {
    case .reopen:
      guard isOpen, state == .running || state == .finding else { return false }
      reopen(now: now)
    case .findAgain:
      guard isOpen, state == .running else { return false }
      handle(.request(.foundAgain), now: now)
    case .warmStart:
      guard isOpen, state == .running else { return false }
      provideAiding(now: now)
      handle(.request(.restarted(.warm)), now: now)
    case .powerCycle: return cyclePower(now: now)
    }
    return true
  }

  /// Restarts the watch after the port was opened or the baud rate changed: earlier data is no evidence. A
  /// silence continues.
  func restartWatch(now: Moment) {
    guard hasReceivedData else { return }
    hasReceivedData = false
    take(receiverWatch.handle(.opened, now: now), now: now)
  }

  /// Suspends the watch while the receiver sleeps on schedule or its port is gone, and resumes it afterwards.
  private func pauseOrResumeWatch(now: Moment) {
    let isPaused =
      switch dialogue.state {
      case .fallingAsleep, .asleep: true
      case .closed, .finding, .identifying, .configuring, .running, .waking: endpoint.isLost
      }
    guard isPaused != isWatchPaused else { return }
    isWatchPaused = isPaused
    take(receiverWatch.handle(isPaused ? .asleep : .awake, now: now), now: now)
  }
}
