import EventLoop
import GNSSProtocol
import GNSSReceiver
import Quantities

/// A GNSS receiver on a serial line: keeps the port open, carries out the actions of the dialogue with the
/// receiver and of the watch over it, reads the line once per epoch and hands over the fixes.
///
/// A port that is gone is reopened by its path with a growing back-off, while the program runs. With
/// `control` none the port is opened for reading only.
///
/// Belongs to the thread of its loop.
public final class ReceiverLine {
  /// Called with every usable closed epoch, even without a position.
  public var onEpoch: (Fix, Moment) -> Void = { _, _ in }
  /// Called with every epoch that is withheld because the receiver may repeat data from before its start.
  public var onWithheld: (Fix, Moment) -> Void = { _, _ in }
  /// Called while ``reportsSignalStrength`` is set, with the carrier-to-noise density of the strongest of the
  /// satellites just reported, in dBHz; 0 if none is tracked.
  public var onSignalStrength: (Double, Moment) -> Void = { _, _ in }
  /// Called when the epochs have been emitted for which ``catchUp(now:asks:)`` could not wait.
  public var onCaughtUp: (Moment) -> Void = { _ in }
  public var onNotice: (LineNotice) -> Void = { _ in }
  /// Called with the data to remember for the next start, when it has changed.
  public var onRemember: (KnownReceiver) -> Void = { _ in }
  /// Called for aiding data whenever the receiver may have started.
  public var startAid: (Moment) -> StartAid? = { _ in nil }

  /// Requests signal strengths: a receiver that may be written to is queried. This costs sentences, and is
  /// meant for the time without a fix.
  public var reportsSignalStrength = false {
    didSet {
      guard reportsSignalStrength != oldValue else { return }
      reader.reportsSignalStrength = reportsSignalStrength
      request(.satellites(reportsSignalStrength))
    }
  }

  /// The latest possible time at which the first byte of the epoch arrived that ``onEpoch`` is being called with. Nil at
  /// other times, and for an epoch that waited in a buffer or was closed by silence.
  public var epochBegan: Moment? { reader.epochBegan }

  /// The last satellites that the receiver reported; nil before the first report.
  public internal(set) var satellites: SatelliteReception?
  /// Deadline of a pending request for satellites; nil if none is pending.
  var satelliteRequestUntil: Moment?

  public var path: String { endpoint.path }
  public let settings: DialogueSettings
  let loop: EventLoop
  let supply: SupplySwitch?
  var dialogue: ReceiverDialogue
  var receiverWatch: ReceiverWatch
  var noticeFilter = LineNoticeFilter()

  let endpoint: SerialEndpoint
  let reader: EpochReader

  // Epochs that wait.
  var order = EpochOrder()
  /// Inputs for the watch that are passed on after the epochs in progress.
  var deferredInputs: [WatchInput] = []
  /// Batched epochs are being emitted.
  var isReleasing = false
  /// The time at which batched epochs were last emitted.
  var releasedAt = Moment.zero
  /// True while a caller waits for the epochs that the receiver stores.
  var isCatchingUp = false
  var desiredLatencyBudget = Duration.zero
  var sentLatencyBudget = Duration.zero
  /// Time before which the watch expects no bytes.
  var agreedSilence: Moment?

  // Dialogue and watch.
  var actions: [DialogueAction] = []
  var isPerforming = false
  /// True if the watch knows that the receiver sleeps.
  var isWatchPaused = false
  /// True if data arrived since the port was opened or its baud rate set.
  var hasReceivedData = false

  var dialogueTimer: LoopTimer?
  var watchTimer: LoopTimer?
  /// Timer of an interruption of the supply; armed while the supply is off.
  var supplyTimer: LoopTimer?

  /// Creates a closed line. `known` is the value that ``onRemember`` received earlier. `supply` is on now;
  /// nil if the receiver's supply cannot be switched.
  public init(
    loop: EventLoop, path: String, settings: DialogueSettings, known: KnownReceiver? = nil,
    supply: SupplySwitch? = nil
  ) {
    self.loop = loop
    endpoint = SerialEndpoint(
      loop: loop, path: path, access: settings.control == .none ? .readOnly : .readWrite)
    reader = EpochReader(endpoint, loop: loop)
    self.supply = supply
    var settings = settings
    settings.hasEnableLine = supply != nil
    self.settings = settings
    let now = loop.now
    dialogue = ReceiverDialogue(settings: settings, known: known, now: now)
    receiverWatch = ReceiverWatch(mayWrite: settings.control == .full, canCyclePower: supply != nil, now: now)
    dialogueTimer = loop.addTimer("receiver dialogue") { [unowned self] now in
      reader.readCoalesced(now: now)
      take(dialogue.handleTimeout(now: now), now: now)
    }
    watchTimer = loop.addTimer("receiver watch") { [unowned self] now in
      reader.readCoalesced(now: now)
      take(receiverWatch.handleTimeout(now: now), now: now)
    }
    connectReader()
    supplyTimer = loop.addTimer("receiver supply") { [unowned self] now in restoreSupply(now: now) }
    endpoint.outputs = SerialEndpoint.Outputs(
      ready: { [unowned self] in ready($0) },
      failed: { [unowned self] error, now in lose(error, now: now) },
      drained: { [unowned self] now in handle(.drained, now: now) },
      reopen: { [unowned self] now in tryToOpen(now: now) })
  }

  deinit { stop() }

  /// Opens the port now, or retries until it can be opened.
  public func start() {
    let now = loop.now
    handle(.request(.awake), now: now)
    tryToOpen(now: now)
  }

  /// Sets the desired state of the receiver, applied as soon as it accepts commands.
  public func request(_ desiredState: DesiredReceiverState) { handle(.request(desiredState), now: loop.now) }

  /// Reads the bytes that have arrived, hands over the epoch in progress, completes a partly written command
  /// and closes the port permanently.
  public func finish(now: Moment) {
    retrieveStoredEpochs()
    if reader.read(now: now) != nil { reader.endEpoch(now: now) }
    endpoint.finishOutput(now: loop.now)
    stop()
  }

  /// Closes the port permanently.
  public func stop() {
    close()
    endpoint.stop()
    reader.stop()
    for timer in [dialogueTimer, watchTimer, supplyTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  public var isOpen: Bool { endpoint.isOpen }
  /// True if epochs collect in the line's buffer and are read in groups.
  public var isCoalescing: Bool { reader.pacing.isCoalescing }
  /// True if epochs are stored in the receiver's memory until requested, or are being emitted.
  public var isBatching: Bool { dialogue.keepsEpochs }
  public var statistics: DecodeStatistics { reader.statistics }
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
  public var faults: [ReceiverFault] { receiverWatch.faults }
}
