import EventLoop
import GNSSProtocol
import GNSSReceiver
import Glibc
import Quantities
import System

/// A GNSS receiver on a serial line: keeps the port open, carries out the actions of the dialogue with the
/// receiver and of the watch over it, reads the line once per epoch and hands over the fixes.
///
/// A port that is gone is reopened by its path with a growing back-off, while the program runs. With
/// `control` none the port is opened for reading only.
///
/// Belongs to the thread of its loop.
public final class ReceiverLine {
  /// The activity of a receiver that stores its epochs.
  public enum Storage: Equatable, Sendable {
    /// It has room for epochs until then.
    case storing(until: Moment)
    /// It sends those that it has stored.
    case sending
  }

  /// Handlers, set before ``start()``.
  public struct Outputs {
    /// Every usable closed epoch, even without a position.
    public var epoch: (Fix, Moment) -> Void = { _, _ in }
    /// Every epoch that is withheld because the receiver may repeat data from before its start.
    public var withheld: (Fix, Moment) -> Void = { _, _ in }
    /// The carrier-to-noise density of the strongest of the satellites just reported, in dBHz, while
    /// ``ReceiverLine/reportsSignalStrength`` is set; 0 if none is tracked.
    public var signalStrength: (Double, Moment) -> Void = { _, _ in }
    /// Every report of the satellites, while ``ReceiverLine/followsSatellites`` is set or the satellites are requested.
    public var satellites: (SatelliteReport) -> Void = { _ in }
    /// The epochs have been emitted for which ``ReceiverLine/catchUp(now:asks:)`` could not wait.
    public var caughtUp: (Moment) -> Void = { _ in }
    /// The epochs that the receiver had stored have been emitted; it does not have them any more.
    public var retrieved: (Moment) -> Void = { _ in }
    public var notice: (LineNotice) -> Void = { _ in }
    /// The data to remember for the next start, when it has changed.
    public var remember: (KnownReceiver) -> Void = { _ in }
    /// Returns aiding data, whenever the receiver may have started.
    public var startAid: (Moment) -> StartAid? = { _ in nil }

    public init() {}
  }

  /// Timeout for the answer to ``askForSatellites()``.
  public static let satelliteTimeout = Duration.seconds(10)
  /// Maximum time that bytes remain unread in the line's buffer.
  static let longestCoalescing = ReceiverWatch.silence - .seconds(10)
  /// Maximum delay of the program's end for epochs stored in the receiver: 300 epochs take 9 s at 38,400
  /// bit/s.
  private static let storedEpochTimeout = Duration.seconds(12)

  public var outputs = Outputs()
  private let loop: EventLoop
  private let endpoint: SerialEndpoint
  private let reader: EpochReader
  private var dialogue: ReceiverDialogue
  private var dialogueTimer: LoopTimer?
  /// Actions of the dialogue that are still to be carried out.
  private var actions: [DialogueAction] = []
  private var isPerforming = false
  private let monitor: ReceiverMonitor
  private let supply: SupplyControl
  private var batch: BatchedEpochs
  private var satelliteRequest = SatelliteRequest()
  private var noticeFilter = LineNoticeFilter()

  /// Creates a closed line. `known` is the value that ``Outputs/remember`` received earlier. `supply` is on
  /// now; nil if the receiver's supply cannot be switched.
  public init(
    loop: EventLoop, path: String, settings: DialogueSettings, known: KnownReceiver? = nil,
    supply: SupplySwitch? = nil
  ) {
    self.loop = loop
    endpoint = SerialEndpoint(
      loop: loop, path: path, access: settings.control == .none ? .readOnly : .readWrite)
    reader = EpochReader(endpoint, loop: loop)
    var settings = settings
    settings.hasEnableLine = supply != nil
    dialogue = ReceiverDialogue(settings: settings, known: known, now: loop.now)
    batch = BatchedEpochs(after: known?.storesAfter)
    monitor = ReceiverMonitor(
      loop: loop, mayWrite: settings.control == .full, canCyclePower: supply != nil)
    self.supply = SupplyControl(loop: loop, supply: supply)
    connect()
  }

  deinit { stop() }

  private func connect() {
    dialogueTimer = loop.addTimer("receiver dialogue") { [unowned self] now in
      reader.readCoalesced(now: now)
      take(dialogue.handleTimeout(now: now), now: now)
    }
    monitor.start(
      ReceiverMonitor.Outputs(
        readArrived: { [unowned self] now in reader.readCoalesced(now: now) },
        perform: { [unowned self] action, now in perform(action, now: now) }))
    supply.start(
      SupplyControl.Outputs(
        failed: { [unowned self] error in report(.supplyRefused(error)) },
        restored: { [unowned self] now in supplyRestored(now: now) }))
    endpoint.outputs = SerialEndpoint.Outputs(
      ready: { [unowned self] in ready($0) },
      failed: { [unowned self] error, now in lose(error, now: now) },
      drained: { [unowned self] now in handle(.drained, now: now) },
      reopen: { [unowned self] now in tryToOpen(now: now) })
    reader.outputs = EpochReader.Outputs(
      storesEpochs: { [unowned self] in dialogue.keepsEpochs },
      requiredRead: { [unowned self] now in requiredRead(now: now) },
      epoch: { [unowned self] fix, moment in
        batch.recordEmitted(fix, at: moment)
        deliver(fix, at: moment)
      },
      storedEpochs: { [unowned self] fixes, now in
        batch.take(fixes)
        releaseEpochs(now: now)
      },
      satellites: { [unowned self] in take($0) },
      signalStrength: { [unowned self] strongest, now in outputs.signalStrength(strongest, now) },
      arrived: { [unowned self] in
        noticeFilter.received()
        monitor.receivedData()
      },
      foreign: { [unowned self] answer in
        if case .foreign(let language) = answer { report(.foreign(language)) }
      },
      received: { [unowned self] bytes, frames, now in
        watch(.received(bytes: bytes, frames: frames), now: now)
        handle(.received(bytes: bytes, frames: frames), now: now)
      },
      answer: { [unowned self] answer, now in
        if case .storedEpoch = answer {} else { watch(.answer(answer), now: now) }
        if case .batch(let stored, _) = answer { batch.announced(stored, at: now) }
        handle(.answer(answer), now: now)
      },
      gone: { [unowned self] error, now in lose(error, now: now) })
  }

  /// Opens the port now, or retries until it can be opened.
  public func start() {
    let now = loop.now
    handle(.request(.awake), now: now)
    tryToOpen(now: now)
  }

  /// Sets the desired state of the receiver, applied as soon as it accepts commands.
  public func request(_ desiredState: DesiredReceiverState) { handle(.request(desiredState), now: loop.now) }

  /// Reads the bytes that have arrived, hands over the epoch in progress, completes a partly written command
  /// and closes the port permanently. A receiver that stores epochs sends them, and reports every epoch again.
  public func finish(now: Moment) { finish(now: now, leavesStoring: false) }

  /// ``finish(now:)``; with `leavesStoring` a receiver that stores epochs goes on, and the next ``start()``, also in
  /// another run, retrieves what it has stored by then. A transfer in progress is completed.
  public func finish(now: Moment, leavesStoring: Bool) {
    retrieveStoredEpochs(leavesStoring: leavesStoring)
    if leavesStoring { take(dialogue.epochsEmitted(), now: now) }
    if reader.read(now: now) != nil { reader.endEpoch(now: now) }
    endpoint.finishOutput(now: loop.now)
    stop()
  }

  /// Closes the port permanently.
  public func stop() {
    close()
    endpoint.stop()
    reader.stop()
    if let dialogueTimer { loop.removeTimer(dialogueTimer) }
    monitor.stop()
    supply.stop()
  }

  // MARK: State

  /// ``Outputs/epoch``, as every source of fixes has it.
  public var onEpoch: (Fix, Moment) -> Void {
    get { outputs.epoch }
    set { outputs.epoch = newValue }
  }

  public var path: String { endpoint.path }
  public var settings: DialogueSettings { dialogue.settings }
  public var isOpen: Bool { endpoint.isOpen }
  /// The times at which the line is read.
  var pacing: BurstPacing { reader.pacing }
  /// True if epochs collect in the line's buffer and are read in groups.
  public var isCoalescing: Bool { pacing.isCoalescing }
  /// True if epochs are stored in the receiver's memory until requested, or are being emitted.
  public var isBatching: Bool { dialogue.keepsEpochs }
  /// What a receiver that stores its epochs does; nil if it does not.
  public var storage: Storage? {
    guard dialogue.keepsEpochs else { return nil }
    return dialogue.isTransferringEpochs ? .sending : dialogue.quietUntil.map { .storing(until: $0) }
  }
  public var statistics: DecodeStatistics { reader.statistics }
  /// The talkers of two sources of positions on the line: the one in use, and the one that is ignored.
  public var rivalTalkers: (used: String, ignored: String)? { reader.rivalTalkers }
  /// The latest possible time at which the first byte of the epoch arrived that ``onEpoch`` is being called
  /// with. Nil at other times, and for an epoch that waited in a buffer or was closed by silence.
  public var epochBegan: Moment? { reader.epochBegan }
  /// The proven baud rate; nil until two valid frames arrived, and for a port without a baud rate.
  public var provenSpeed: UInt32? { isOpen ? dialogue.provenSpeed : nil }
  /// The receiver's identification; nil before it answered the query.
  public var receiver: ReceiverIdentity? { dialogue.receiver }
  /// Phase of the dialogue.
  public var state: ReceiverDialogue.State { dialogue.state }
  /// See ``ReceiverDialogue/offersCyclicMode``.
  public var offersCyclicMode: Bool { dialogue.offersCyclicMode }
  /// See ``ReceiverDialogue/isWithoutSupply``.
  public var isWithoutSupply: Bool { dialogue.isWithoutSupply }
  /// See ``ReceiverDialogue/isInCyclicMode``.
  public var isInCyclicMode: Bool { dialogue.isInCyclicMode }
  /// The present faults of the receiver, the gravest first.
  public var faults: [ReceiverFault] { monitor.faults }

  // MARK: The port

  private func tryToOpen(now: Moment) {
    do throws(SystemError) { try endpoint.open(at: dialogue.speed) } catch { return lose(error, now: now) }
    reader.opened()
    monitor.restart(now: now)
    provideAiding(now: now)
    let hasSpeed = endpoint.hasSpeed
    if hasSpeed, settings.speed == .automatic { reader.readEarlierData(now: now) }
    guard isOpen else { return }
    handle(.opened(hasSpeed: hasSpeed), now: now)
  }

  private func lose(_ error: SystemError, now: Moment) {
    close()
    reader.lost(now: now)
    endpoint.retryLater(now: now)
    report(.lost(error))
    handle(.lost, now: now)
  }

  /// Closes the port and reopens it after a short delay.
  private func reopen(now: Moment) {
    guard isOpen else { return }
    close()
    endpoint.reopenSoon(now: now)
  }

  private func close() {
    guard isOpen else { return }
    endpoint.close()
    reader.closed()
  }

  /// Changes the host's baud rate; data received at the previous rate is discarded as evidence.
  private func setSpeed(_ speed: UInt32, now: Moment) {
    guard endpoint.setSpeed(speed, now: now) else { return }
    reader.restart()
    monitor.restart(now: now)
    reader.watchLine(now: now)
  }

  private func ready(_ readiness: EventLoop.Readiness) {
    let now = loop.now
    if readiness.contains(.writable) { endpoint.flush(now: now) }
    // While reading is deferred, only a hang-up is reported; reading shows the cause.
    if !readiness.isDisjoint(with: [.readable, .hangup]) {
      reader.drain(now: now, isHungUp: readiness.contains(.hangup))
    }
  }

  /// The next action on the line if the dialogue requires one; nil leaves it to the pacing.
  private func requiredRead(now: Moment) -> BurstPacing.NextRead? {
    if dialogue.keepsEpochs {
      return BatchedEpochs.nextRead(bytesToCome: dialogue.bytesToCome, speed: endpoint.speed, now: now)
    }
    return dialogue.listensClosely ? .watch : nil
  }

  // MARK: The dialogue

  private func report(_ notice: LineNotice) {
    if noticeFilter.admit(notice) { outputs.notice(notice) }
  }

  private func handle(_ event: DialogueEvent, now: Moment) {
    take(dialogue.handle(event, now: now), now: now)
  }

  /// Carries out the actions of the dialogue. Actions that follow from them are queued.
  private func take(_ requested: [DialogueAction], now: Moment) {
    if !requested.isEmpty { actions += requested }
    guard !isPerforming else { return }
    isPerforming = true
    while !actions.isEmpty { perform(actions.removeFirst(), now: now) }
    isPerforming = false
    monitor.setPaused(isSilenceExpected, now: now)
    releaseEpochs(now: now)
    let slack = dialogue.state == .running ? ReceiverMonitor.slack : .zero
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
    case .enableLine(let isOn): supply.set(isOn)
    case .report(let notice): report(.dialogue(notice))
    case .remember(let receiver): outputs.remember(receiver)
    }
  }

  /// Gives the dialogue the aiding data (time and position of the host) for the start that it will detect.
  private func provideAiding(now: Moment) {
    if let aid = outputs.startAid(now) { handle(.request(.aid(aid)), now: now) }
  }

  // MARK: The watch

  /// Passes an input to the watch, after any epochs that are still to come.
  private func watch(_ input: WatchInput, now: Moment) {
    if batch.deferInput(input, isTransferring: dialogue.isTransferringEpochs) { return }
    monitor.handle(input, now: now)
  }

  /// True while the receiver sleeps on schedule or its port is gone.
  private var isSilenceExpected: Bool {
    switch dialogue.state {
    case .fallingAsleep, .asleep: true
    case .closed, .finding, .identifying, .configuring, .running, .waking: endpoint.isLost
    }
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
    case .powerCycle:
      guard state == .running || state == .finding else { return false }
      return supply.interrupt(now: now)
    }
    return true
  }

  /// The receiver restarts after an interruption of its supply.
  private func supplyRestored(now: Moment) {
    guard isOpen, dialogue.state == .running else { return }
    provideAiding(now: now)
    handle(.request(.foundAgain), now: now)
  }

  // MARK: Epochs

  private func deliver(_ fix: Fix, at moment: Moment) {
    followSatellites(fix, now: loop.now)
    if dialogue.admits(fix, now: moment) {
      watch(.epoch(fix), now: moment)
      outputs.epoch(fix, moment)
    } else {
      outputs.withheld(fix, moment)
    }
  }

  /// Sets the longest time that epochs may wait before they are read; zero reads each one. They wait in the
  /// receiver's memory if it has one and the saving is worth it, else in the line's buffer, of which only the
  /// safe part is used.
  public func coalesceEpochs(for latencyBudget: Duration) {
    batch.request(latencyBudget: latencyBudget)
    if !batch.isReleasing { applyLatencyBudget() }
  }

  private func applyLatencyBudget() {
    let now = loop.now
    if let latencyBudget = batch.newLatencyBudget() {
      handle(.request(.batches(every: latencyBudget)), now: now)
    }
    reader.setLatencyBudget(min(batch.latencyBudget, Self.longestCoalescing), now: now)
  }

  /// Reads the waiting epochs. Call this before any other decision, because it must not be based on outdated
  /// epochs.
  ///
  /// Returns false if the receiver stores epochs. They are requested unless `asks` is false, and
  /// ``Outputs/caughtUp`` is called once they have been emitted. Decisions wait until then.
  @discardableResult
  public func catchUp(now: Moment, asks: Bool = true) -> Bool {
    guard isOpen, dialogue.keepsEpochs else {
      reader.readCoalesced(now: now)
      return true
    }
    guard batch.beginCatchingUp(isTransferring: dialogue.isTransferringEpochs, now: now) else { return true }
    if asks { handle(.request(.storedEpochs), now: now) }
    return !batch.isCatchingUp
  }

  /// Emits the batched epochs once they are complete.
  private func releaseEpochs(now: Moment) {
    guard !batch.isReleasing, !dialogue.isTransferringEpochs else { return }
    if let release = batch.beginRelease(now: now) {
      for (fix, moment) in release.epochs { deliver(fix, at: moment) }
      for input in release.inputs { watch(input, now: now) }
      batch.endRelease(now: now)
      applyLatencyBudget()
      let concluding = dialogue.epochsEmitted()
      if !release.epochs.isEmpty { outputs.retrieved(now) }
      if !concluding.isEmpty { take(concluding, now: now) }
    }
    monitor.expectSilence(until: dialogue.quietUntil, now: now)
    guard !dialogue.isTransferringEpochs, batch.endCatchingUp() else { return }
    outputs.caughtUp(now)
  }

  /// Reads the epochs stored in the receiver at the end of the program, where they would be lost. The loop no
  /// longer runs, so this function waits for the line.
  private func retrieveStoredEpochs(leavesStoring: Bool) {
    guard dialogue.keepsEpochs else { return }
    if !leavesStoring { coalesceEpochs(for: .zero) }
    // The loop's clock may be simulated, and would stand still here.
    let (start, startOfWait) = (loop.now, SystemClock.moment())
    func passed() -> Moment { start + (SystemClock.moment() - startOfWait) }
    let end = start + Self.storedEpochTimeout
    while leavesStoring ? dialogue.isTransferringEpochs : dialogue.isBatching, let raw = endpoint.raw {
      let now = passed()
      guard now < end else { return }
      let wait = min(end, dialogue.nextTimeout ?? end) - now
      var ready = pollfd(
        fd: raw, events: Int16(endpoint.hasOutput ? POLLIN | POLLOUT : POLLIN), revents: 0)
      _ = poll(&ready, 1, Int32(clamping: max(wait.wholeMilliseconds, 0) + 1))
      if endpoint.hasOutput { endpoint.flush(now: passed()) }
      guard reader.read(now: passed()) != nil else { return }
      take(dialogue.handleTimeout(now: passed()), now: passed())
    }
  }

  // MARK: Satellites

  /// The last satellites that the receiver reported; nil before the first report.
  public var satellites: SatelliteReception? { satelliteRequest.reception }

  /// Requests signal strengths: a receiver that may be written to is queried. This costs sentences, and is
  /// meant for the time without a fix.
  public var reportsSignalStrength: Bool {
    get { reader.reportsSignalStrength }
    set {
      guard newValue != reader.reportsSignalStrength else { return }
      reader.reportsSignalStrength = newValue
      request(.satellites(newValue))
    }
  }

  /// Called with all bytes of the line; nil while nobody shows them.
  public var onBytes: ((UnsafeRawBufferPointer) -> Void)? {
    get { reader.outputs.bytes }
    set { reader.outputs.bytes = newValue }
  }

  /// True if all reports of the satellites are read, whatever the fix.
  public var followsSatellites = false {
    didSet { if followsSatellites { reader.reportsSatellites = true } }
  }

  /// Queries the receiver once for its satellites by a command of its family, if it may be written to;
  /// otherwise waits for its regular output. ``satellites`` has the answer. Returns false while the port is
  /// closed.
  public func askForSatellites() -> Bool {
    guard isOpen else { return false }
    satelliteRequest.begin(now: loop.now)
    reader.reportsSatellites = true
    request(.satellitesOnce)
    return true
  }

  /// The reason why ``askForSatellites()`` only waits for the regular output; nil if the receiver is queried.
  public var satelliteObstacle: SatelliteObstacle? { dialogue.satelliteObstacle }

  private func take(_ satelliteReport: SatelliteReport) {
    if satelliteRequest.take(satelliteReport, now: loop.now) { request(.satelliteRequestEnded) }
    outputs.satellites(satelliteReport)
  }

  private func followSatellites(_ fix: Fix, now: Moment) {
    if satelliteRequest.endIfOver(now: now) { request(.satelliteRequestEnded) }
    let isNeeded = followsSatellites || satelliteRequest.isNeeded(after: fix)
    if reader.reportsSatellites != isNeeded { reader.reportsSatellites = isNeeded }
  }
}
