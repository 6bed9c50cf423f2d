import GNSSProtocol
import Quantities

/// The session with a receiver on a serial line: finds the baud rate, identifies and configures the receiver,
/// puts it to sleep and wakes it.
///
/// A state machine without input or output. The owner passes events, carries out the returned
/// actions in their order, and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. With `control`
/// `none` it never returns an action that writes a byte or sets a pin.
///
/// The dialogue chooses the phase. What outlasts a phase is in its parts: ``ReceiverLink`` knows the receiver,
/// ``PowerRequest`` and ``BatchingRequest`` what is requested of it, ``ReceiverSupply`` the enable line.
public struct ReceiverDialogue: Sendable {
  private(set) var phase = DialoguePhase.closed(wakesAt: nil)
  /// The properties of the phase after the last event.
  private var status = DialoguePhase.closed(wakesAt: nil).status
  private var link: ReceiverLink
  private var power = PowerRequest()
  private var supply: ReceiverSupply
  private var batching = BatchingRequest()
  private var health = HealthPolls()

  /// Creates a dialogue; `known` is the receiver that was last saved.
  public init(settings: DialogueSettings, known: KnownReceiver?, now: Moment) {
    link = ReceiverLink(settings: settings, known: known, now: now)
    supply = ReceiverSupply(settings: settings)
  }

  // MARK: State

  /// The state of a dialogue, as status shows it.
  public enum State: String, Sendable {
    case closed, finding, identifying, configuring, running
    case fallingAsleep = "falling asleep"
    case asleep, waking
  }

  public var settings: DialogueSettings { link.settings }

  /// The current state, as status shows it.
  public var state: State { status.state }

  /// True if bytes must be read as they arrive, because the dialogue waits for a reply or for silence.
  /// Otherwise the line may be left unread between two epochs.
  public var listensClosely: Bool { status.listensClosely }

  public var nextTimeout: Moment? { status.deadline }

  /// The host's baud rate in bit/s, for opening the port.
  public var speed: UInt32 { link.line.speed }

  /// The baud rate that two frames have confirmed; nil during the search and on a port without a baud rate.
  public var provenSpeed: UInt32? {
    switch phase {
    case .closed, .connecting(.finding), .connecting(.changingSpeed), .waking: nil
    case .connecting(.identifying), .connecting(.settingUp), .running, .fallingAsleep, .asleep:
      link.line.effectiveSpeed
    }
  }

  /// The identity that the receiver reported; nil before that.
  public var receiver: ReceiverIdentity? { link.identification.confirmed }

  /// True if the enable line has cut the supply.
  public var isWithoutSupply: Bool { supply.isCut }

  /// True if the receiver supports cyclic tracking with one fix per second and has not rejected it. False on
  /// USB, whose supply keeps u-blox receivers awake.
  public var offersCyclicMode: Bool { link.offersCyclicMode }

  /// True if the receiver acknowledged cyclic tracking and got no other power command since.
  public var isInCyclicMode: Bool {
    switch phase {
    case .running, .fallingAsleep: link.configuration.applied.power != .continuous
    case .closed, .connecting, .asleep, .waking: false
    }
  }

  /// The reason why the receiver cannot be polled for its satellites; nil if it can. It may still report them
  /// unasked.
  public var satelliteObstacle: SatelliteObstacle? {
    guard link.mayControl else { return .notAllowed }
    guard case .running = phase else { return .notRunning }
    guard let dialect = link.dialect else { return .noCommand }
    return link.offersSatellites(dialect) ? nil : .noCommand
  }

  // MARK: Stored epochs

  /// True if the receiver stores its epochs, or is about to begin or end that.
  public var isBatching: Bool { status.isBatching }

  /// True if the receiver can store its epochs and send them on request, and has not rejected that. False on
  /// USB, where a wake-up of the host consumes whole packets, and on a line too slow for the transfer.
  public var offersBatching: Bool { !batching.isRefused && link.batchSequence != nil }

  /// True if the receiver stores epochs that were not sent yet, or is sending them: received data does not
  /// describe the present.
  public var keepsEpochs: Bool { currentBatch?.keeps ?? false }

  /// True if the stored epochs were requested; they are put in order when all have arrived.
  public var isTransferringEpochs: Bool { currentBatch.map { $0.keeps && $0.stage != .keeping } ?? false }

  /// Number of bytes of stored epochs still to come; nil if none are.
  public var bytesToCome: Int? { currentBatch?.bytesToCome }

  /// End of the silence that batching allows; nil without batching.
  public var quietUntil: Moment? { currentBatch.flatMap { $0.keeps ? $0.deadline : nil } }

  private var currentBatch: Batching? {
    guard isBatching, case .running(let running) = phase else { return nil }
    return running.batching
  }

  // MARK: Events

  public mutating func handle(_ event: DialogueEvent, now: Moment) -> [DialogueAction] {
    var actions: [DialogueAction] = []
    switch event {
    case .opened(let hasSpeed): opened(hasSpeed: hasSpeed, now: now, &actions)
    case .received(let bytes, let frames): received(bytes: bytes, frames: frames, now: now, &actions)
    case .answer(let answer): take(answer, now: now, &actions)
    case .drained: drained(now: now)
    case .lost: lost(now: now, &actions)
    case .request(let request): self.request(request, now: now, &actions)
    }
    return concluded(actions, now: now)
  }

  /// Processes deadlines. It does nothing before ``nextTimeout``.
  public mutating func handleTimeout(now: Moment) -> [DialogueAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    var actions: [DialogueAction] = []
    timeOut(now: now, &actions)
    return concluded(actions, now: now)
  }

  /// True if a fix is to be kept. After a wake-up or a restart, the incomplete first epoch and repeated old
  /// data are rejected. Call it once for each epoch, in order; at most three are rejected.
  public mutating func admits(_ fix: Fix, now: Moment) -> Bool {
    guard link.starts.admits(fix, now: now) else { return false }
    if fix.kind != .none { link.aiding.fixed() }
    batching.received(fix)
    return true
  }

  /// The only exit for actions: without receiver control nothing reaches the receiver.
  private mutating func concluded(_ requested: [DialogueAction], now: Moment) -> [DialogueAction] {
    var actions = requested
    batching.reportMissing(interval: link.interval, &actions)
    settleBatching(now: now, &actions)
    status = phase.status
    return link.mayControl ? actions : actions.filter { !$0.affectsReceiver }
  }

  private mutating func settleBatching(now: Moment, _ actions: inout [DialogueAction]) {
    if isBatching || batching.isUseful, case .running(var running) = phase {
      running.settleBatching(&batching, &link, power, now: now, &actions)
      phase = .running(running)
    }
    if batching.isKeeping, !keepsEpochs { batching.abandon(interval: link.interval, now: now, &actions) }
    if case .closed = phase { return }
    if batching.isKeeping != (link.identification.known?.storesEpochs ?? false) {
      link.identification.rememberStoring(batching.isKeeping, after: batching.lastEpoch, &actions)
    }
  }

  /// The epochs of a batch have been emitted: saves that the next batch begins after them.
  public mutating func epochsEmitted() -> [DialogueAction] {
    var actions: [DialogueAction] = []
    batching.reportMissing(interval: link.interval, &actions)
    if keepsEpochs, !isTransferringEpochs {
      link.identification.rememberStoring(true, after: batching.lastEpoch, &actions)
    }
    return actions
  }

  private mutating func received(bytes: Int, frames: Int, now: Moment, _ actions: inout [DialogueAction]) {
    guard bytes > 0 else { return }
    switch phase {
    case .closed: break
    case .connecting(let connecting):
      follow(
        connecting.received(bytes: bytes, frames: frames, &link, now: now, &actions), now: now, &actions)
    case .running(var running):
      let outcome = running.received(bytes: bytes, frames: frames, link, &health, now: now, &actions)
      phase = .running(running)
      follow(outcome, now: now, &actions)
    case .fallingAsleep(var falling):
      let outcome = falling.received(frames: frames, line: link.line, now: now, &actions)
      phase = .fallingAsleep(falling)
      follow(outcome, of: falling, now: now, &actions)
    case .asleep(var asleep):
      let outcome = asleep.received(frames: frames, now: now)
      phase = .asleep(asleep)
      follow(outcome, of: asleep, now: now, &actions)
    case .waking(var waking):
      let outcome = waking.received(frames: frames)
      phase = .waking(waking)
      follow(outcome, of: waking, now: now, &actions)
    }
  }

  private mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard link.mayControl else { return link.starts.noteAnnouncement(answer) }
    // The receiver restored a saved state, possibly one of an earlier run of the program.
    let hasRestoredState = answer == .savedState(command: 3, response: 2)
    if hasRestoredState { supply.recordSavedState() }
    switch phase {
    case .closed, .asleep: break
    case .connecting(let connecting):
      follow(connecting.take(answer, &link, now: now, &actions), now: now, &actions)
    case .running(var running):
      if hasRestoredState { supply.clearSavedState(of: link, now: now, &actions) }
      if link.identification.forgetIfContradicted(by: answer) {
        return follow(Connecting.identify(&link, now: now, &actions), now: now, &actions)
      }
      let outcome = running.take(answer, &link, power, &batching, now: now, &actions)
      phase = .running(running)
      follow(outcome, now: now, &actions)
      guard link.starts.detectRestart(in: answer, now: now) else { return }
      link.recordNewStart(isBlank: true, now: now)
      actions.append(.report(.restarted))
      if link.dialect != nil { configure(now: now, &actions) }
    case .fallingAsleep(var falling):
      falling.take(answer, now: now, &actions)
      supply.record(falling)
      phase = .fallingAsleep(falling)
    case .waking(var waking):
      let outcome = waking.take(answer, now: now, &actions)
      phase = .waking(waking)
      follow(outcome, of: waking, now: now, &actions)
    }
  }

  private mutating func drained(now: Moment) {
    switch phase {
    case .connecting(let connecting): phase = .connecting(connecting.drained(now: now))
    case .fallingAsleep(var falling):
      falling.drained(now: now)
      phase = .fallingAsleep(falling)
    case .closed, .running, .asleep, .waking: break
    }
  }

  private mutating func timeOut(now: Moment, _ actions: inout [DialogueAction]) {
    switch phase {
    case .closed:
      power.endSleep()
      phase = .closed(wakesAt: nil)
      supply.switchOn(&actions)
    case .connecting(let connecting):
      follow(connecting.handleTimeout(&link, now: now, &actions), now: now, &actions)
    case .running(var running):
      let outcome = running.handleTimeout(&link, power, &batching, &health, now: now, &actions)
      phase = .running(running)
      follow(outcome, now: now, &actions)
    case .fallingAsleep(var falling):
      let outcome = falling.handleTimeout(now: now, &actions)
      supply.record(falling)
      phase = .fallingAsleep(falling)
      follow(outcome, of: falling, now: now, &actions)
    case .asleep(let asleep):
      if let wakesAt = asleep.wakesAt, now >= wakesAt {
        power.endSleep()
        wake(from: asleep, now: now, &actions)
      } else {
        fallAsleep(until: asleep.until, now: now, &actions)
      }
    case .waking(var waking):
      let outcome = waking.handleTimeout(line: &link.line, now: now, &actions)
      phase = .waking(waking)
      follow(outcome, of: waking, now: now, &actions)
    }
  }

  // MARK: The port

  private mutating func opened(hasSpeed: Bool, now: Moment, _ actions: inout [DialogueAction]) {
    if case .fallingAsleep(let falling) = phase { supply.cutAfterInterruption(of: falling, &actions) }
    link.line.opened(hasSpeed: hasSpeed, &actions)
    switch phase {
    case .waking(var waking):
      waking.opened(now: now, &actions)
      phase = .waking(waking)
    case .asleep: break
    case .closed, .connecting, .running, .fallingAsleep:
      power.endSleepIfOver(now: now)
      if !power.isAwake, supply.isCut {
        phase = .asleep(Asleep(withoutSupplyUntil: power.until, now: now))
        return
      }
      supply.switchOn(&actions)
      if !retrieveEarlierBatch(now: now, &actions) { find(now: now, &actions) }
    }
  }

  /// Requests the epochs that the receiver has stored since an earlier run of the program, before it is searched for: the
  /// configuration would end batching and lose them. Returns false if it was not left like that.
  private mutating func retrieveEarlierBatch(now: Moment, _ actions: inout [DialogueAction]) -> Bool {
    guard link.mayControl, !batching.isKeeping, let known = link.identification.known, known.storesEpochs,
      let speed = link.line.effectiveSpeed, known.speed == speed
    else { return false }
    link.identification.assumeKnown(at: speed)
    guard let dialect = link.dialect, let setUp = link.configuration.desired.setUp,
      let sequence = dialect.batching(setUp)
    else { return false }
    batching.continued(after: known.storesAfter, now: now)
    let batch = Batching(
      continuing: sequence, line: link.line, waking: dialect.wake().bytes, now: now, &actions)
    phase = .running(Running(link, power, health, setUpAt: nil, continuing: batch, now: now))
    // Otherwise the batch would count as lost, and a cut before its end would leave no trace of it.
    status = phase.status
    return true
  }

  private mutating func lost(now: Moment, _ actions: inout [DialogueAction]) {
    link.line.closed()
    switch phase {
    case .closed, .asleep: break
    case .fallingAsleep(let falling):
      supply.cutAfterInterruption(of: falling, &actions)
      // The port of a receiver on USB disappears with its supply.
      enterSleep(after: falling, now: now, &actions)
    case .connecting, .running, .waking:
      link.starts.expect()
      // The next device on this port may be another one.
      link.line.forgetFailure()
      link.identification.doubt()
      link.configuration.allowCyclicMode()
      batching.allow()
      phase = .closed(wakesAt: nil)
    }
  }

  // MARK: Requests

  private mutating func request(
    _ request: DesiredReceiverState, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch request {
    case .setUp(let setUp):
      link.configuration.request(setUp: setUp)
      if case .running = phase, !isBatching, link.configuration.isSetUpNew, link.dialect != nil {
        follow(Connecting.setUp(&link, now: now, &actions), now: now, &actions)
      }
    case .awake: requestWake(now: now, &actions)
    case .asleep(let duration, let withoutSupply):
      guard link.mayControl else {
        actions.append(.report(.doesNotSleep(.notAllowed)))
        return
      }
      requestSleep(until: duration.map { now + $0 }, cutsSupply: withoutSupply, now: now, &actions)
    case .foundAgain: if case .running = phase { find(now: now, &actions) }
    case .restarted(let kind): restart(kind, now: now, &actions)
    case .aid(let aid):
      link.aiding.learn(aid)
      changeRunning { $0.aidingChanged($1, now: now) }
    case .satellites(let isRequested):
      if link.configuration.request(satellites: isRequested) { adjust(now: now) }
    case .satellitesOnce: askSatellitesOnce(now: now, &actions)
    case .satelliteRequestEnded:
      link.configuration.request(satellitesOnce: false)
      adjust(now: now)
    case .power(let power):
      if link.mayControl, link.configuration.request(power: power) { adjust(now: now) }
    case .batches(let latencyBudget): batching.request(latencyBudget: latencyBudget)
    case .storedEpochs: changeRunning { running, _ in running.retrieve(now: now, &actions) }
    }
  }

  private mutating func changeRunning(_ change: (inout Running, ReceiverLink) -> Void) {
    guard case .running(var running) = phase else { return }
    change(&running, link)
    phase = .running(running)
  }

  /// Schedules what differs from the desired configuration, if the receiver runs.
  private mutating func adjust(now: Moment) {
    let power = power
    changeRunning { $0.configurationChanged($1, power, now: now) }
  }

  /// Polls the satellites once. A receiver that is processing another command is not polled.
  private mutating func askSatellitesOnce(now: Moment, _ actions: inout [DialogueAction]) {
    guard link.mayControl, let dialect = link.dialect else { return }
    let question = dialect.askSatellites()
    guard !question.isEmpty else {
      link.configuration.request(satellitesOnce: true)
      return adjust(now: now)
    }
    guard case .running(let running) = phase, !running.isBusy else { return }
    for command in question { actions.append(.write(command.bytes)) }
  }

  /// The time that a start takes, with margin.
  private static let startTime = Duration.seconds(3)

  private mutating func restart(_ kind: StartKind, now: Moment, _ actions: inout [DialogueAction]) {
    guard link.mayControl, case .running = phase, let command = link.dialect?.restart(kind) else { return }
    link.starts.expect()
    link.starts.recordRequestedStart(now: now)
    switch kind {
    case .hot: break
    // The receiver does not read before it has started.
    case .warm, .cold: link.recordNewStart(isBlank: true, now: now + Self.startTime)
    }
    actions.append(.write(command.bytes))
    run(now: now, setUpAt: now + Self.startTime)
  }

  private mutating func requestSleep(
    until: Moment?, cutsSupply: Bool, now: Moment, _ actions: inout [DialogueAction]
  ) {
    power.requestSleep(until: until, cutsSupply: cutsSupply)
    switch phase {
    case .running:
      // Stored epochs are retrieved first.
      if !isBatching { fallAsleep(until: until, now: now, &actions) }
    case .asleep(var asleep):
      asleep.change(until: until, now: now)
      phase = .asleep(asleep)
    case .fallingAsleep(var falling):
      falling.change(until: until)
      phase = .fallingAsleep(falling)
    case .closed, .connecting(.finding):
      // The identity may be unknown, but without its supply the receiver is asleep.
      guard supply.hasEnableLine else { return }
      supply.switchOff(&actions)
      link.starts.expect()
      phase =
        link.line.isOpen
        ? .asleep(Asleep(withoutSupplyUntil: until, now: now))
        : .closed(wakesAt: until.map { max($0, now.after(.zero)) })
    case .connecting(.identifying), .connecting(.settingUp), .connecting(.changingSpeed), .waking: break
    }
  }

  private mutating func requestWake(now: Moment, _ actions: inout [DialogueAction]) {
    let wasAsleep = power.requestWake()
    switch phase {
    case .asleep(let asleep): wake(from: asleep, now: now, &actions)
    case .fallingAsleep(let falling):
      if falling.isBeforeCut {
        // The receiver may have saved its state already.
        supply.recordSavedState()
      } else if falling.losesSettings {
        link.configuration.expectLoss(now: now)
      }
      wake(now: now, &actions)
    case .closed:
      supply.switchOn(&actions)
      phase = .closed(wakesAt: nil)
    case .connecting(.finding): supply.switchOn(&actions)
    case .running(let running): if wasAsleep { run(now: now, setUpAt: running.setUpAt) }
    case .connecting(.identifying), .connecting(.settingUp), .connecting(.changingSpeed), .waking: break
    }
  }

  // MARK: Connecting and running

  private mutating func find(now: Moment, _ actions: inout [DialogueAction]) {
    phase = .connecting(Connecting.find(&link, now: now, &actions))
  }

  private mutating func configure(now: Moment, _ actions: inout [DialogueAction]) {
    follow(Connecting.configure(&link, now: now, &actions), now: now, &actions)
  }

  private mutating func follow(
    _ progress: Connecting.Progress, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch progress {
    case .connecting(let connecting): phase = .connecting(connecting)
    case .settled(let setUpAt): settle(now: now, setUpAt: setUpAt, &actions)
    }
  }

  /// Enters the phase after all commands: running, or falling asleep if requested.
  private mutating func settle(now: Moment, setUpAt: Moment? = nil, _ actions: inout [DialogueAction]) {
    power.endSleepIfOver(now: now)
    if link.configuration.isSetUpNew, link.dialect != nil, setUpAt == nil {
      return follow(Connecting.setUp(&link, now: now, &actions), now: now, &actions)
    }
    if power.isSleepDue { return fallAsleep(until: power.until, now: now, &actions) }
    supply.clearSavedState(of: link, now: now, &actions)
    run(now: now, setUpAt: setUpAt)
  }

  private mutating func run(now: Moment, setUpAt: Moment? = nil) {
    var batching: Batching?
    if case .running(let before) = phase { batching = before.batching }
    phase = .running(Running(link, power, health, setUpAt: setUpAt, continuing: batching, now: now))
  }

  private mutating func follow(_ outcome: Running.Outcome, now: Moment, _ actions: inout [DialogueAction]) {
    switch outcome {
    case .talking: break
    case .garbled: find(now: now, &actions)
    case .silent:
      power.fellSilent()
      link.configuration.fellSilent(&actions)
      actions.append(.report(.fellSilent))
      if link.dialect == nil { find(now: now, &actions) } else { wake(now: now, &actions) }
    case .setUpIsDue: configure(now: now, &actions)
    case .identificationIsDue:
      follow(Connecting.identify(&link, now: now, &actions), now: now, &actions)
    case .batchingEnded(let setUpAt): settle(now: now, setUpAt: setUpAt, &actions)
    case .continuationEnded: find(now: now, &actions)
    }
  }

  // MARK: Falling asleep

  private mutating func fallAsleep(until: Moment?, now: Moment, _ actions: inout [DialogueAction]) {
    guard
      let means = power.meansOfSleep(
        until: until, dialect: link.dialect, hasEnableLine: supply.hasEnableLine, now: now)
    else {
      let hasSleepSequence = link.dialect?.sleep(for: nil) != nil
      return keepAwake(hasSleepSequence ? .needsPin : .noCommand, now: now, &actions)
    }
    fallAsleep(by: means, until: until, now: now, &actions)
  }

  private mutating func fallAsleep(
    by means: FallingAsleep.Means, until: Moment?, now: Moment, _ actions: inout [DialogueAction]
  ) {
    link.starts.expect()
    var falling = FallingAsleep(
      link.endingCyclicMode(means), saving: supply.commandsToSave(before: means, of: link, now: now),
      until: until, interval: link.interval)
    falling.begin(line: link.line, now: now, &actions)
    supply.record(falling)
    phase = .fallingAsleep(falling)
  }

  private mutating func keepAwake(_ obstacle: SleepObstacle, now: Moment, _ actions: inout [DialogueAction]) {
    power.keepAwake()
    actions.append(.report(.doesNotSleep(obstacle)))
    run(now: now)
  }

  private mutating func follow(
    _ outcome: FallingAsleep.Outcome, of falling: FallingAsleep, now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .working: break
    case .asleep: enterSleep(after: falling, now: now, &actions)
    case .keepsTalking:
      if !falling.isByLine, supply.hasEnableLine {
        return fallAsleep(by: .enableLine, until: falling.until, now: now, &actions)
      }
      supply.switchOn(&actions)
      supply.resume(link.dialect, &actions)
      keepAwake(.keepsTalking, now: now, &actions)
    }
  }

  private mutating func enterSleep(
    after falling: FallingAsleep, now: Moment, _ actions: inout [DialogueAction]
  ) {
    link.starts.forgetUptime()
    actions.append(.report(.asleep))
    phase = .asleep(Asleep(after: falling, now: now))
  }

  private mutating func follow(
    _ outcome: Asleep.Outcome, of asleep: Asleep, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .sleeping: break
    case .woke:
      power.endSleep()
      if asleep.losesSettings { link.configuration.expectLoss(now: now) }
      awoke(now: now, &actions)
    case .wokeUnasked:
      var asleep = asleep
      asleep.sleepAgain(at: power.nextAttempt(after: asleep, now: now))
      phase = .asleep(asleep)
    }
  }

  // MARK: Waking

  private mutating func wake(from asleep: Asleep, now: Moment, _ actions: inout [DialogueAction]) {
    if asleep.losesSettings { link.configuration.expectLoss(now: now) }
    wake(now: now, &actions)
  }

  private mutating func wake(now: Moment, _ actions: inout [DialogueAction]) {
    link.starts.expect()
    guard link.line.isOpen else {
      supply.switchOn(&actions)
      phase = .closed(wakesAt: nil)
      return
    }
    var sequence = link.dialect?.wake() ?? WakeSequence(bytes: [], pause: .zero, commands: [])
    sequence.commands += supply.commandsToResume(link.dialect)
    var waking = Waking(
      sequence, speeds: link.wakeSpeeds, isOff: supply.isCut, hasEnableLine: supply.hasEnableLine,
      interval: link.interval, line: link.line)
    supply.leftOnByWaking()
    waking.begin(line: &link.line, now: now, &actions)
    phase = .waking(waking)
  }

  private mutating func follow(
    _ outcome: Waking.Outcome, of waking: Waking, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .working: break
    case .awake:
      if waking.wasOff || link.line.effectiveSpeed != link.identification.known?.speed {
        link.configuration.expectLoss(now: now)
      }
      awoke(now: now, &actions)
    case .failed:
      actions.append(.report(.doesNotWake))
      find(now: now, &actions)
    }
  }

  private mutating func awoke(now: Moment, _ actions: inout [DialogueAction]) {
    link.starts.recordRequestedStart(now: now)
    supply.recordResumed()
    link.recordNewStart(isBlank: link.configuration.mayBeLost, now: now)
    actions.append(.report(.awake))
    guard link.configuration.mayBeLost, link.dialect != nil else { return settle(now: now, &actions) }
    configure(now: now, &actions)
  }
}
