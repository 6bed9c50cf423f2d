import GNSS
import Quantities
import SystemLoop

// What the dialogue with the receiver wants, and what the watch over it does.
extension ReceiverLine {
  /// Of deadlines that are moved with every epoch and only met in trouble.
  private static let slack = Duration.seconds(1)

  func say(_ notice: LineNotice) {
    if words.admit(notice) { onNotice(notice) }
  }

  // MARK: The dialogue

  func tell(_ event: DialogueEvent, now: Moment) { take(dialogue.handle(event, now: now), now: now) }

  /// Carries out what the dialogue wants. What that leads to waits for its turn.
  func take(_ wanted: [DialogueAction], now: Moment) {
    if !wanted.isEmpty { actions += wanted }
    guard !isPerforming else { return }
    isPerforming = true
    while !actions.isEmpty { perform(actions.removeFirst(), now: now) }
    isPerforming = false
    restOrWakeWatch(now: now)
    releaseEpochs(now: now)
    let slack = dialogue.state == .running ? Self.slack : .zero
    dialogueTimer?.arm(at: dialogue.nextTimeout.map { $0 + slack }, slack: slack)
    if dialogue.listensClosely, dialogue.bytesToCome == nil, readTimer?.isArmed == true {
      follow(.watch, now: now)
    }
  }

  private func perform(_ action: DialogueAction, now: Moment) {
    switch action {
    case .write(let bytes): write(bytes, now: now)
    case .awaitDrain: awaitDrain(now: now)
    case .setSpeed(let speed): setSpeed(speed, now: now)
    case .reopen: reopen(now: now)
    case .enableLine(let isOn): switchSupply(isOn)
    case .report(let notice): say(.dialogue(notice))
    case .remember(let receiver): onRemember(receiver)
    }
  }

  /// Gives the dialogue what the host knows of time and place, for the start that it will see.
  func help(now: Moment) {
    if let aid = startAid(now) { tell(.want(.aid(aid)), now: now) }
  }

  // MARK: The watch

  func take(_ wanted: [WatchAction], now: Moment) {
    for action in wanted { perform(action, now: now) }
    watchTimer?.arm(at: receiverWatch.nextTimeout.map { $0 + Self.slack }, slack: Self.slack)
  }

  private func perform(_ action: WatchAction, now: Moment) {
    switch action {
    case .event(.began(let trouble, let evidence)): say(.began(trouble, evidence))
    case .event(.ended(let trouble, let lasted)): say(.ended(trouble, lasted: lasted))
    case .rest(let trouble, let tried, let until): say(.rest(trouble, tried: tried, until: until))
    case .remedy(let remedy, let trouble):
      guard apply(remedy, now: now) else { return }
      say(.remedy(remedy, against: trouble))
    }
  }

  /// False where the dialogue is at it already.
  private func apply(_ remedy: Remedy, now: Moment) -> Bool {
    let state = dialogue.state
    switch remedy {
    case .reopen:
      guard open != nil, state == .running || state == .finding else { return false }
      reopen(now: now)
    case .findAgain:
      guard open != nil, state == .running else { return false }
      tell(.want(.foundAgain), now: now)
    case .warmStart:
      guard open != nil, state == .running else { return false }
      help(now: now)
      tell(.want(.restarted(.warm)), now: now)
    case .powerCycle: return cyclePower(now: now)
    }
    return true
  }

  /// The port is open, or its speed is another one: what was heard before says nothing of what comes. Silence goes on.
  func startWatchOver(now: Moment) {
    guard hasHeard else { return }
    hasHeard = false
    take(receiverWatch.handle(.opened, now: now), now: now)
  }

  /// Nothing is watched while the receiver sleeps by plan, nor while its port is gone.
  private func restOrWakeWatch(now: Moment) {
    let isResting =
      switch dialogue.state {
      case .fallingAsleep, .asleep: true
      case .closed, .finding, .identifying, .configuring, .running, .waking: isLost
      }
    guard isResting != isWatchResting else { return }
    isWatchResting = isResting
    take(receiverWatch.handle(isResting ? .asleep : .awake, now: now), now: now)
  }
}
