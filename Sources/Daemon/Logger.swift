import Chips
import Devices
import Energy
import GNSS
import HTTPClient
import LocalAPI
import Motion
import Quantities
import Records
import Settings
import Store
import SystemLoop
import Tracking
import Uplink

/// The logger: the place where loop, devices, tracker, log and destinations meet. It decides nothing itself.
///
/// Belongs to the thread that runs the loop.
public final class Logger {
  let loop: EventLoop
  var journal: Journal
  let notification: ServiceNotification
  var configuration: Configuration
  public internal(set) var tracker: Tracker

  let store: StoreWorker
  var storeState = StoreState()
  let client: HTTPClient
  var deliveries: [String: DestinationLane] = [:]
  /// By the names of the destinations.
  var tallies: [String: DeliveryTally] = [:]
  /// What ended lanes leave to the next ones, by destination.
  var pasts: [String: DeliveryPast] = [:]
  private var storeRegistration: EventLoop.Registration?
  var line: ReceiverLine?
  var gpsd: GPSDSource?
  let lastSignal: LastSignal?
  /// How the buses of the board are opened.
  let openBus: BusOpening
  var gauge: GaugeSource?
  var accelerometer: AccelerometerSource?
  var wifi: WifiSource?
  var ignition: WatchedInput?
  /// Nil before it is lit for the first time.
  var light: StatusLight?
  var lightShows = false
  /// Keeps the host awake during trips; nil before that is wanted for the first time.
  var sleepLock: SleepLock?
  /// What hears of events; nil where nobody wants to.
  var notifier: Notifier?
  /// What the accelerometer tells and is to do.
  var motion: MotionDuty
  /// What the box draws.
  var energyDuty: EnergyDuty
  /// What only the status reports.
  var facts = StatusFacts()
  /// When the receiver's first fix comes.
  var firstFix: FirstFixWatch
  /// What was found out about the receiver before.
  var knownReceiver: String?
  /// What the receiver was wished to be last.
  var receiverWish: SetUp?
  var api: LocalAPI?
  private var watchdog: WatchdogFeed?
  public private(set) var isStopped = false
  /// Settings without effect that were named already.
  var hasWarnedOfIdentity = false
  var hasWarnedOfWifi = false
  /// What was said to change with the next start.
  var settingsAfterRestart: [String] = []
  /// What the configuration is made of.
  var book: SettingsBook
  var checkIn = CheckIn()
  /// When a position was last taken for who sends by hand.
  var positionAsked: Moment?
  /// What the tracker is to be told behind the epochs that the receiver keeps.
  var waiting = WaitingEvents()
  /// The receiver is told to sleep by plan.
  var receiverSleeps = false
  /// Whether the trip still runs that switched tracking on before this start is not known yet.
  var isTripClaimOpen = false
  /// Whether a trip ran after the last word of the tracker.
  var tripRuns = false
  /// Whether the box moved after the last word of the tracker.
  private var isUnderWay = false
  /// What the level of the battery asks of it.
  var powerDuty = PowerDuty()
  /// Nil where the board says nothing of its own supply.
  let boardSupply = BoardSupply()
  var brownOut = BrownOutWatch()
  /// Nil where the network is always there.
  var radio: NetworkRadio?
  /// Nil where the host is never put down.
  var host: HostDuty?
  /// True once the start is over for the supervisor.
  var isReady = false
  private var saidToSupervisor: String?
  /// What is wrong with the receiver, as its last event says; nil while it speaks.
  var receiverTrouble: String?
  let startedAt: Moment

  private(set) var trackerTimer: LoopTimer?
  private(set) var commitTimer: LoopTimer?
  private(set) var retryTimer: LoopTimer?
  private(set) var expiryTimer: LoopTimer?
  private(set) var watchdogTimer: LoopTimer?
  private(set) var receiverTimer: LoopTimer?
  private(set) var startMemoryTimer: LoopTimer?
  private(set) var planTimer: LoopTimer?
  private(set) var motionTimer: LoopTimer?
  private(set) var serverTimer: LoopTimer?
  private(set) var checkInTimer: LoopTimer?
  private(set) var settingsTimer: LoopTimer?

  /// Called with each location that is kept.
  public var onKept: (LogRecord) -> Void = { _ in }
  /// Called when the logger cannot go on; the message names the remedy.
  public var onFailure: (String) -> Void = { _ in }

  /// The longest time for which the receiver waits for the log to be opened: then records wait in memory.
  private static let patienceWithLog = Duration.milliseconds(500)
  /// After this time the start is over, and its memory goes back.
  private static let start = Duration.seconds(10)
  /// How often retention looks at the log.
  static let expiryInterval = Duration.seconds(3600)

  /// Makes the parts and the store's thread, which begins to open the log.
  ///
  /// - Parameters:
  ///   - loop: the loop that waits for everything.
  ///   - configuration: what counts at the start.
  ///   - sources: what it was made of beside `stored`; without them nothing can be set while running.
  ///   - stored: what was set while an earlier logger ran.
  ///   - unreadSettings: what of that could not be read and not be set aside.
  ///   - journal: what is said to people.
  ///   - lastSignal: what ended the run before, where it left a word of that.
  ///   - openBus: opens the I²C buses that the configuration names.
  /// - Throws: what the kernel or libcurl refuse.
  public init(
    loop: EventLoop, configuration: Configuration, sources: ConfigurationSources? = nil,
    stored: StoredSettings = StoredSettings(), unreadSettings: SettingsFile.Remains = .nothing,
    journal: Journal,
    lastSignal: LastSignal? = nil, openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:)
  ) throws {
    self.loop = loop
    self.openBus = openBus
    self.lastSignal = lastSignal
    self.configuration = configuration
    var journal = journal
    journal.threshold = Journal.Level(configuration.logLevel)
    self.journal = journal
    startedAt = loop.now
    book = SettingsBook(
      sources: sources, stored: stored, isUnread: unreadSettings != .nothing, now: startedAt)
    motion = MotionDuty(now: startedAt)
    firstFix = FirstFixWatch(now: startedAt)
    energyDuty = EnergyDuty(configuration, now: startedAt)
    tracker = Tracker(settings: TrackerSettings(configuration))
    notification = ServiceNotification(
      environment: ProcessSurroundings.variable, processID: ProcessSurroundings.processID)
    client = try HTTPClient(loop: loop)
    var options = LogOptions(bootID: ProcessSurroundings.bootIdentity, clock: { SystemClock.moment() })
    options.unreadSettings = unreadSettings
    store = try StoreWorker(
      directory: configuration.storage.directory, allowVolatile: configuration.storage.allowsVolatile,
      options: options)
    storeState.grouping = CommitGrouping(interval: configuration.storage.commitInterval)
    storeRegistration = try loop.watch(store.descriptor, for: .readable) { [unowned self] _ in
      store.acknowledgeSignal()
      takeAnswers(now: loop.now)
    }
    trackerTimer = loop.addTimer("tracker") { [unowned self] now in decide(now: now) }
    planTimer = loop.addTimer("receiver plan") { [unowned self] now in decide(now: now) }
    motionTimer = loop.addTimer("motion") { [unowned self] now in motionTimeout(now: now) }
    commitTimer = loop.addTimer("commit") { [unowned self] now in commit(now: now) }
    retryTimer = loop.addTimer("store retry") { [unowned self] _ in post(.retry) }
    expiryTimer = loop.addTimer("retention") { [unowned self] now in expire(now: now) }
    watchdogTimer = loop.addTimer("watchdog") { [unowned self] now in askForLife(now: now) }
    receiverTimer = loop.addTimer("receiver start") { [unowned self] now in waitForLog(now: now) }
    startMemoryTimer = loop.addTimer("start memory") { _ in StartMemory.giveBack() }
    serverTimer = loop.addTimer("server settings") { [unowned self] now in serverTimeout(now: now) }
    checkInTimer = loop.addTimer("check-in") { [unowned self] _ in sendCheckIn() }
    settingsTimer = loop.addTimer("settings file") { [unowned self] now in keepSettings(now: now) }
    loop.everyTurn { [weak self] now in self?.turn(now: now) }
  }

  /// Begins; what it needs of the log comes when the log is open.
  public func start() {
    let now = loop.now
    post(.configure(RetentionLimits(configuration.storage)))
    receiverTimer?.arm(at: now + Self.patienceWithLog)
    startMemoryTimer?.arm(at: now + Self.start, slack: .seconds(2))
    if let interval = notification.watchdogInterval { watchdog = WatchdogFeed(interval: interval, now: now) }
    beginEnergy(now: now)
    startNetwork()
    startHost()
    startAPI()
    startGauge()
    startAccelerometer()
    startWifi()
    startIgnition()
    showRecording()
    startNotifications()
    warnOfMissingIdentity()
    reportOverriddenKeys()
    followRules()
    // A trial that began before this start: the start counts, and it may be over.
    if !book.server.trials.isEmpty || book.isMended { keepSettings(now: now) }
    serverTimeout(now: now)
    rearm()
  }

  /// Writes everything down and ends all parts. Nothing is called afterwards.
  public func stop() {
    guard !isStopped else { return }
    isStopped = true
    notification.stopping()
    let now = loop.now
    line?.finish(now: now)
    tellWhatWaited(until: loop.now)
    gpsd?.finish(now: now)
    gauge?.stop()
    accelerometer?.stop()
    wifi?.stop()
    ignition?.stop()
    showRecording()
    keepHostAwake()
    notifier?.stop()
    notifier = nil
    carryOut(tracker.handle(.stopping, now: now), now: now)
    stopDeliveries()
    radio?.stop()
    host?.stop()
    // What could not be written before may find room now.
    let isKept = book.writeFailure == nil && !book.isWriteWaiting
    if book.server.handle(.stopping, now: now).contains(.keep) || !isKept {
      keepSettings(now: now, atOnce: true)
    }
    keepEnergy(now: now, isLast: true)
    if storeState.isOpen {
      var ended = run
      ended.hasEnded = true
      storeState.refusedJobs.append(.noteWithRecords(.run, ended.text))
    }
    // Whether the log is open or not, and full or not: this is the last chance.
    if let job = takeGroup(now: now) { storeState.refusedJobs.append(job) }
    sayWhatIsLost(lastAnswers: store.finish(after: storeState.refusedJobs))
    if let storeRegistration { loop.remove(storeRegistration) }
    api?.stop()
    for timer in [
      trackerTimer, planTimer, motionTimer, commitTimer, retryTimer, expiryTimer, watchdogTimer,
      receiverTimer,
      startMemoryTimer,
      serverTimer, checkInTimer, settingsTimer, powerDuty.timer,
    ] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  // MARK: The tracker

  func carryOut(_ actions: [TrackerAction], now: Moment) {
    var hasEvent = false
    var readsClock = false
    for action in actions {
      switch action {
      case .keep(let record, let urgency):
        guard isStored(record) else { continue }
        facts.note(record)
        let isLocation = if case .location = record.body { true } else { false }
        if isLocation, !checkIn.waiting.isEmpty { checkIn.isTaken = true }
        storeState.grouping.add(record, atOnce: urgency == .atOnce || checkIn.isTaken && isLocation, now: now)
        switch record.body {
        case .location: onKept(record)
        case .visit: notify(of: record)
        case .trip, .action: break
        case .event(let event):
          journal.say(.init(event.kind), event.line)
          hasEvent = true
          notify(of: record)
        }
      case .date(let offset): post(.date(offset: offset, quality: tracker.clock.quality))
      case .save(let text): post(.note(.tracker, text))
      case .hearAccessPoints: wifi?.hearAccessPoints()
      case .readSystemClock: readsClock = true
      case .receiver(let state, let until): bring(receiver: state, until: until, now: now)
      }
    }
    if hasEvent { tellSupervisor() }
    if tripRuns != tracker.isTripRunning { followTrip() }
    if powerDuty.stage != tracker.powerStage { followPower(now: now) }
    if isUnderWay != tracker.isUnderWay {
      isUnderWay.toggle()
      if isUnderWay { for lane in deliveries.values { lane.delivery?.movedOff() } }
    }
    line?.gather(for: tracker.patience)
    rearm()
    // What it brings about comes after everything that was wanted before.
    if readsClock { tellSystemTime() }
  }

  private static let ownLife: Set<EventKind> = [
    .started, .stopped, .configurationChanged, .hostSleeping, .hostWoke, .hostStaysUp, .tripEnded,
  ]

  /// While the master switch is off nothing is stored but the life of the logger itself, so that the log says why, and
  /// the end of a trip that ran until then.
  private func isStored(_ record: LogRecord) -> Bool {
    guard !configuration.isTracking else { return true }
    if case .trip = record.body { return true }
    guard case .event(let event) = record.body else { return false }
    if Self.ownLife.contains(event.kind) { return true }
    journal.say(.init(event.kind), event.line)
    return false
  }

  func rearm() {
    trackerTimer?.arm(within: tracker.nextWake)
    planTimer?.arm(at: tracker.planTimeout)
    armCommit()
    if let watchdog { watchdogTimer?.arm(within: watchdog.nextWake) }
  }

  private func turn(now: Moment) {
    guard !isStopped else { return }
    takeAnswers(now: now)
    offerRefusedJobs()
    followEnergy(now: now)
    host?.look(now: now)
  }

  // MARK: The watchdog

  private func askForLife(now: Moment) {
    // The worker may have answered without waking anybody.
    takeAnswers(now: now)
    act(on: watchdog?.handleTimeout(now: now) ?? [])
  }

  func workerAnswered(_ token: UInt64, now: Moment) {
    act(on: watchdog?.workerAnswered(token, now: now) ?? [])
  }

  private func act(on actions: [WatchdogFeed.Action]) {
    for action in actions {
      switch action {
      case .send(let token, let urgent): post(.token(token, urgent: urgent))
      case .feed: notification.watchdog()
      }
    }
    watchdogTimer?.arm(within: watchdog?.nextWake)
  }

  // MARK: The supervisor

  /// How long the start may take from each word on, and how often there is one while a large log is being checked.
  private static let patienceOfSupervisor = Duration.seconds(60)
  private static let pauseBetweenWords = Duration.seconds(20)

  /// The log is slow to open: the receiver does not wait for it, and the supervisor is asked to.
  private func waitForLog(now: Moment) {
    startReceiver()
    guard !storeState.isOpen, !isReady else { return }
    notification.starting(status: summary, for: Self.patienceOfSupervisor)
    receiverTimer?.arm(at: now + Self.pauseBetweenWords)
  }

  /// Tells how the logger stands, once it has started and when that has changed.
  func tellSupervisor() {
    guard isReady, !isStopped, summary != saidToSupervisor else { return }
    if saidToSupervisor == nil { notification.ready(status: summary) } else { notification.status(summary) }
    saidToSupervisor = summary
  }
}
