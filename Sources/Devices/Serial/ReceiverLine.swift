import GNSS
import Quantities
import SystemLoop

/// A GNSS receiver on a serial line: keeps the port open, carries out what the dialogue with the receiver and the
/// watch over it want, reads it once an epoch and hands over what it says.
///
/// A port that is gone is tried again by its path with growing pauses, for as long as the program runs. With
/// `control` none the port is opened for reading only.
public final class ReceiverLine {
  /// Called with each closed epoch that is worth a look, also those without a position.
  public var onEpoch: (Fix, Moment) -> Void = { _, _ in }
  /// Called with each epoch that is held back because the receiver may repeat what it knew before its start.
  public var onWithheld: (Fix, Moment) -> Void = { _, _ in }
  /// Called while ``hearsSignals`` is set with the strongest of the satellites that were just named, in dB-Hz; 0 where
  /// none is tracked.
  public var onHeard: (Double, Moment) -> Void = { _, _ in }
  /// Called when epochs have been told for which ``catchUp(now:asks:)`` could not wait.
  public var onCaughtUp: (Moment) -> Void = { _ in }
  public var onNotice: (LineNotice) -> Void = { _ in }
  /// Called with what should be known at the next start, when that has changed.
  public var onRemember: (KnownReceiver) -> Void = { _ in }
  /// Asked what may help the receiver to its first fix whenever it may have started.
  public var startAid: (Moment) -> StartAid? = { _ in nil }

  /// How strongly satellites are heard is wanted: a receiver that may be written to is asked. It costs sentences, so it
  /// is for the time without a fix.
  public var hearsSignals = false {
    didSet {
      guard hearsSignals != oldValue else { return }
      decoder.hearsSignals = hearsSignals
      want(.satellites(hearsSignals))
    }
  }

  /// The satellites that the receiver named last; nil before it named any.
  public internal(set) var satellites: SatelliteReception?
  /// Somebody has asked for them; nil once they came.
  var satellitesWantedUntil: Moment?

  public let path: String
  public let settings: DialogueSettings
  let loop: EventLoop
  let supply: SupplySwitch?
  var decoder = ReceiverDecoder()
  var dialogue: ReceiverDialogue
  var receiverWatch: ReceiverWatch
  var words = LineWords()

  // The port.
  var open: OpenPort?
  var reopening = ReopenSchedule()
  /// What is read came before the port was opened.
  var isReadingWhatWaited = false
  /// The port went away, and not because that was wanted.
  var isLost = false
  var output = LineOutput()
  var isDrainAwaited = false

  // Reading.
  var pacing = BurstPacing()
  /// Read for the silence of an epoch, while the line was to be left alone; the pacing hears of it later.
  var earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
  /// The latest moment by which epochs that gathered were told, or all was read.
  var lastCompletion = Moment.zero
  var isReading = false
  var framesBefore: UInt64 = 0
  // Handed over once the decoder is at rest, so that whoever is called may ask for the statistics.
  var closedEpochs: [Fix] = []
  var answers: [ReceiverAnswer] = []
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

  // Epochs that wait.
  var order = EpochOrder()
  /// What the watch is to be told behind the epochs that are still to come.
  var heldInputs: [WatchInput] = []
  /// Epochs that came all at once are being told.
  var isReleasing = false
  /// When epochs that came all at once were told last.
  var releasedAt = Moment.zero
  /// Somebody waits for the epochs that the receiver keeps.
  var isCatchingUp = false
  var wantedPatience = Duration.zero
  var toldPatience = Duration.zero
  /// Until then the watch expects no byte.
  var agreedSilence: Moment?

  // Dialogue and watch.
  var actions: [DialogueAction] = []
  var isPerforming = false
  /// The watch was told that the receiver sleeps.
  var isWatchResting = false
  /// Something was heard since the port was opened, or its speed set.
  var hasHeard = false

  var readTimer: LoopTimer?
  var epochTimer: LoopTimer?
  var dialogueTimer: LoopTimer?
  var watchTimer: LoopTimer?
  var outputTimer: LoopTimer?
  var reopenTimer: LoopTimer?
  /// Armed while the supply is cut for a moment.
  var supplyTimer: LoopTimer?

  /// The port while it is open.
  struct OpenPort {
    let port: SerialPort
    let registration: EventLoop.Registration
    var interest: EventLoop.Interest
    var speed: UInt32
  }

  /// `known` is what ``onRemember`` was told before. `supply` is on now; nil where the receiver's supply cannot be
  /// switched.
  public init(
    loop: EventLoop, path: String, settings: DialogueSettings, known: KnownReceiver? = nil,
    supply: SupplySwitch? = nil
  ) {
    self.loop = loop
    self.path = path
    self.supply = supply
    var settings = settings
    settings.hasEnableLine = supply != nil
    self.settings = settings
    let now = loop.now
    decoder.reportsSky = true
    dialogue = ReceiverDialogue(settings: settings, known: known, now: now)
    receiverWatch = ReceiverWatch(mayWrite: settings.control == .full, canCyclePower: supply != nil, now: now)
    readTimer = loop.addTimer("line read") { [unowned self] now in drain(now: now) }
    epochTimer = loop.addTimer("epoch silence") { [unowned self] now in closeEpoch(now: now) }
    dialogueTimer = loop.addTimer("receiver dialogue") { [unowned self] now in
      readGathered(now: now)
      take(dialogue.handleTimeout(now: now), now: now)
    }
    watchTimer = loop.addTimer("receiver watch") { [unowned self] now in
      readGathered(now: now)
      take(receiverWatch.handleTimeout(now: now), now: now)
    }
    outputTimer = loop.addTimer("line output") { [unowned self] now in lookAtOutput(now: now) }
    supplyTimer = loop.addTimer("receiver supply") { [unowned self] now in restoreSupply(now: now) }
    reopenTimer = loop.addTimer("port reopen") { [unowned self] now in tryToOpen(now: now) }
  }

  deinit {
    stop()
    buffer.deallocate()
  }

  /// Opens the port now, or keeps trying.
  public func start() {
    let now = loop.now
    tell(.want(.awake), now: now)
    tryToOpen(now: now)
  }

  /// Another wish for the receiver, carried out as soon as it listens.
  public func want(_ demand: ReceiverDemand) { tell(.want(demand), now: loop.now) }

  /// Takes what has already arrived, hands over the epoch in progress, ends a command that is half written and
  /// closes the port for good.
  public func finish(now: Moment) {
    takeKept()
    if read(now: now) != nil {
      decoder.finish(keep)
      handOver(now: now)
    }
    endOutput()
    stop()
  }

  /// Closes the port for good.
  public func stop() {
    close()
    for timer in [readTimer, epochTimer, dialogueTimer, watchTimer, outputTimer, reopenTimer, supplyTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  public var isOpen: Bool { open != nil }
  /// Epochs are left in the line's buffer until several are there.
  public var isGathering: Bool { pacing.isGathering }
  /// Epochs are left in the receiver's own memory until they are asked for, or are being told.
  public var isBatching: Bool { dialogue.keepsEpochs }
  public var statistics: DecodeStatistics { decoder.statistics }
  /// The proven speed; nil until two valid frames were seen, and on a port without a speed.
  public var provenSpeed: UInt32? { open != nil ? dialogue.provenSpeed : nil }
  /// Who the receiver says it is; nil before it was asked.
  public var receiver: ReceiverIdentity? { dialogue.receiver }
  /// What the dialogue is at.
  public var state: ReceiverDialogue.State { dialogue.state }
  /// See ``ReceiverDialogue/offersCyclicMode``.
  public var offersCyclicMode: Bool { dialogue.offersCyclicMode }
  /// See ``ReceiverDialogue/isWithoutSupply``.
  public var isWithoutSupply: Bool { dialogue.isWithoutSupply }
  /// See ``ReceiverDialogue/isInCyclicMode``.
  public var isInCyclicMode: Bool { dialogue.isInCyclicMode }
  /// What is wrong with the receiver, the gravest first.
  public var troubles: [Trouble] { receiverWatch.troubles }
}
