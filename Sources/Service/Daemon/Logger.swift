import LoggerConfiguration
import Chips
import Devices
import Energy
import EventLoop
import GNSSReceiver
import HTTPClient
import LocalAPI
import Motion
import Quantities
import Records
import Settings
import Store
import System
import Tracking
import Uplink

/// The logger: connects loop, devices, tracker, log and destinations.
///
/// The decisions are in the types that it owns: tracker, deliveries and other state machines get events and return actions,
/// which the logger executes. It is confined to the thread of the loop.
public final class Logger {
  let context: LoggerContext
  let notification: ServiceNotification
  let sensors: SensorController
  public internal(set) var tracker: Tracker

  let store: StoreWorker
  var storeState = StoreState()
  let client: HTTPClient
  var deliveries: [String: DeliveryPipeline] = [:]
  /// The deliveries since the start, by destination.
  var deliveryTotals: [String: DeliveryTotals] = [:]
  /// The final states of ended pipelines, by destination.
  var endedDeliveries: [String: EndedDelivery] = [:]
  private var storeRegistration: EventLoop.Registration?
  var line: ReceiverLine?
  var gpsd: GPSDSource?
  let lastSignal: LastSignal?
  /// Returns the seed of the back-off of a delivery.
  let deliverySeed: () -> UInt64
  /// The status LED; nil before it is lit for the first time.
  var light: StatusLight?
  var lightShows = false
  /// Keeps the host awake during trips; nil before its first use.
  var sleepInhibitor: SleepInhibitor?
  /// Calls `notifications`; nil if none is configured.
  var notifier: Notifier?
  /// The ledger.
  var energyMonitor: EnergyMonitor
  /// Facts that only the status reports.
  var facts = StatusFacts()
  /// The time to the first fix.
  var firstFix: FirstFixWatch
  /// The description of the receiver from an earlier session.
  var knownReceiver: String?
  /// The last receiver configuration that was requested.
  var requestedSetUp: SetUp?
  var api: LocalAPI?
  private var watchdog: WatchdogFeed?
  public private(set) var isStopped = false
  /// True after the warning about a missing machine-id.
  var hasWarnedOfIdentity = false
  /// The settings that were reported to require a restart.
  var settingsAfterRestart: [String] = []
  /// The sources of the configuration and the state of remote settings.
  var settingsState: SettingsState
  var checkIn = CheckIn()
  /// The time of the last acquisition for `outrider send`.
  var positionRequestedAt: Moment?
  /// Events that wait for buffered epochs of the receiver.
  var waiting = WaitingEvents()
  /// True while the receiver is asleep by schedule.
  var receiverSleeps = false
  /// True until the logger knows if the trip that switched tracking on in an earlier run is still running.
  var isTripClaimOpen = false
  /// True if a trip was running after the last event of the tracker.
  var tripRuns = false
  /// True if the device was moving after the last event of the tracker.
  private var isMoving = false
  /// The measures that the power level requires.
  var powerController = PowerLevelController()
  /// The radio; nil if it is not switched.
  var radio: NetworkRadio?
  /// The sleep of the host; nil if it never sleeps.
  var host: HostController?
  /// True after the supervisor was notified that the start is complete.
  var isReady = false
  private var reportedSummary: String?
  /// The fault of the receiver, as its last event words it; nil while it sends valid data.
  var receiverFault: String?
  let startedAt: Moment

  private(set) var trackerTimer: LoopTimer?
  private(set) var commitTimer: LoopTimer?
  private(set) var retryTimer: LoopTimer?
  private(set) var expiryTimer: LoopTimer?
  private(set) var watchdogTimer: LoopTimer?
  private(set) var receiverTimer: LoopTimer?
  private(set) var startMemoryTimer: LoopTimer?
  private(set) var scheduleTimer: LoopTimer?
  private(set) var serverTimer: LoopTimer?
  private(set) var checkInTimer: LoopTimer?
  private(set) var settingsTimer: LoopTimer?

  /// Called with every location that is stored.
  public var onKept: (LogRecord) -> Void = { _ in }
  /// Called when the logger cannot continue; the message contains the remedy.
  public var onFailure: (String) -> Void = { _ in }

  /// The longest delay of the receiver's start for the log to open; after that, records stay in memory.
  private static let logOpeningTimeout = Duration.milliseconds(500)
  /// The time after which the memory of the start is returned to the system.
  private static let start = Duration.seconds(10)
  /// The interval of retention.
  static let expiryInterval = Duration.seconds(3600)

  /// Creates the components and the thread of the store, which starts to open the log.
  ///
  /// - Parameters:
  ///   - loop: the event loop.
  ///   - configuration: the configuration at the start.
  ///   - sources: the sources of the configuration apart from `stored`; without them no setting can change at run time.
  ///   - stored: the settings that changed at run time before this start.
  ///   - unreadSettings: the part of the stored settings that could be neither read nor set aside.
  ///   - journal: the destination of log lines.
  ///   - lastSignal: the signal that ended the previous run, if known.
  ///   - openBus: opens the I²C buses that the configuration names.
  ///   - deliverySeed: returns the seed of the back-off of a delivery.
  /// - Throws: errors of the kernel and of libcurl.
  public init(
    loop: EventLoop, configuration: Configuration, sources: ConfigurationSources? = nil,
    stored: StoredSettings = StoredSettings(), unreadSettings: SettingsFile.Remains = .nothing,
    journal: Journal,
    lastSignal: LastSignal? = nil, openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:),
    deliverySeed: @escaping () -> UInt64 = { .random(in: .min ... .max) }
  ) throws {
    context = LoggerContext(loop: loop, journal: journal, configuration: configuration)
    sensors = SensorController(context, openBus: openBus)
    self.deliverySeed = deliverySeed
    self.lastSignal = lastSignal
    startedAt = loop.now
    settingsState = SettingsState(
      sources: sources, stored: stored, isUnread: unreadSettings != .nothing, now: startedAt,
      utc: loop.clock.timestamp)
    firstFix = FirstFixWatch(now: startedAt)
    energyMonitor = EnergyMonitor(configuration, now: startedAt)
    tracker = Tracker(settings: TrackerSettings(configuration))
    notification = ServiceNotification(
      environment: ProcessEnvironment.variable, processID: ProcessEnvironment.processID)
    client = try HTTPClient(loop: loop)
    var options = LogOptions(bootID: ProcessEnvironment.bootIdentity, clock: loop.clock.moment)
    options.unreadSettings = unreadSettings
    store = try StoreWorker(
      directory: configuration.storage.directory, allowVolatile: configuration.storage.allowsVolatile,
      options: options)
    loop.awaitInSimulation(.thread) { [store] in store.isBusy }
    storeState.grouping = CommitGrouping(interval: configuration.storage.commitInterval)
    storeRegistration = try loop.watch(store.descriptor, for: .readable) { [unowned self] _ in
      store.acknowledgeSignal()
      takeAnswers(now: loop.now)
    }
    trackerTimer = loop.addTimer("tracker") { [unowned self] now in decide(now: now) }
    scheduleTimer = loop.addTimer("receiver plan") { [unowned self] now in decide(now: now) }
    commitTimer = loop.addTimer("commit") { [unowned self] now in commit(now: now) }
    retryTimer = loop.addTimer("store retry") { [unowned self] _ in post(.retry) }
    expiryTimer = loop.addTimer("retention") { [unowned self] now in expire(now: now) }
    watchdogTimer = loop.addTimer("watchdog") { [unowned self] now in checkWatchdog(now: now) }
    receiverTimer = loop.addTimer("receiver start") { [unowned self] now in waitForLog(now: now) }
    startMemoryTimer = loop.addTimer("start memory") { _ in StartMemory.giveBack() }
    serverTimer = loop.addTimer("server settings") { [unowned self] now in serverTimeout(now: now) }
    checkInTimer = loop.addTimer("check-in") { [unowned self] _ in sendCheckIn() }
    settingsTimer = loop.addTimer("settings file") { [unowned self] now in keepSettings(now: now) }
    connectSensors()
    loop.everyTurn { [weak self] now in self?.turn(now: now) }
  }

  var loop: EventLoop { context.loop }
  var journal: Journal { context.journal }
  var configuration: Configuration { context.configuration }

  private func connectSensors() {
    sensors.outputs = SensorController.Outputs(
      process: { [unowned self] event, now in process(event, now: now) },
      gaugeRead: { [unowned self] condition, now in processPowerReading(condition, now: now) },
      batteryChanged: { [unowned self] condition, now in recordEnergy(condition, now: now) },
      networkChanged: { [unowned self] network, now in
        let isSwitchedOff = network == nil && radio?.hasSwitchedOff(now: now) ?? false
        process(isSwitchedOff ? .radioSwitchedOff : .network(network), now: now)
        // The missing network may have been the cause of failures.
        if network != nil {
          for pipeline in deliveries.values where pipeline.trouble != nil { pipeline.delivery?.sendNow() }
        }
      })
  }

  /// Starts all components that do not depend on the log; the others start when it is open.
  public func start() {
    let now = loop.now
    post(.configure(RetentionLimits(configuration.storage)))
    receiverTimer?.arm(at: now + Self.logOpeningTimeout)
    startMemoryTimer?.arm(at: now + Self.start, slack: .seconds(2))
    if let interval = notification.watchdogInterval { watchdog = WatchdogFeed(interval: interval, now: now) }
    beginEnergy(now: now)
    startNetwork()
    startHost()
    startAPI()
    sensors.start()
    showRecording()
    startNotifications()
    warnOfMissingIdentity()
    reportOverriddenKeys()
    followRules()
    // A trial of an earlier run: this start is counted, and the trial may be over.
    if !settingsState.server.trials.isEmpty || settingsState.needsRewrite { keepSettings(now: now) }
    serverTimeout(now: now)
    rearm()
  }

  /// Writes all records and stops all components. Nothing is called afterwards.
  public func stop() {
    guard !isStopped else { return }
    isStopped = true
    notification.stopping()
    let now = loop.now
    line?.finish(now: now)
    processWaitingEvents(until: loop.now)
    gpsd?.finish(now: now)
    sensors.stop()
    showRecording()
    keepHostAwake()
    notifier?.stop()
    notifier = nil
    carryOut(tracker.handle(.stopping, now: now), now: now)
    stopDeliveries()
    radio?.stop()
    host?.stop()
    // A write that failed before may succeed now.
    let isKept = settingsState.writeFailure == nil && !settingsState.isWriteWaiting
    if settingsState.server.handle(.stopping, now: now).contains(.keep) || !isKept {
      keepSettings(now: now, atOnce: true)
    }
    keepEnergy(now: now, isLast: true)
    if storeState.isOpen {
      var ended = run
      ended.hasEnded = true
      storeState.refusedJobs.append(.saveStateWithRecords(.run, ended.text))
    }
    // The last attempt to write, whatever the state of the log.
    if let job = takeGroup(now: now) { storeState.refusedJobs.append(job) }
    logLostRecords(lastAnswers: store.finish(after: storeState.refusedJobs))
    if let storeRegistration { loop.remove(storeRegistration) }
    api?.stop()
    for timer in [
      trackerTimer, scheduleTimer, commitTimer, retryTimer, expiryTimer, watchdogTimer,
      receiverTimer,
      startMemoryTimer,
      serverTimer, checkInTimer, settingsTimer, powerController.timer,
    ] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  // MARK: The tracker

  /// Executes the actions of the tracker.
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
          journal.log(.init(event.kind), event.line)
          hasEvent = true
          notify(of: record)
        }
      case .date(let offset): post(.date(offset: offset, quality: tracker.clock.quality))
      case .save(let text): post(.saveState(.tracker, text))
      case .scanAccessPoints: sensors.scanAccessPoints()
      case .readSystemClock: readsClock = true
      case .receiver(let state, let until): bring(receiver: state, until: until, now: now)
      }
    }
    if hasEvent { notifySupervisor() }
    if tripRuns != tracker.isTripRunning { followTrip() }
    if powerController.stage != tracker.powerStage { followPower(now: now) }
    if isMoving != tracker.isMoving {
      isMoving.toggle()
      if isMoving { for pipeline in deliveries.values { pipeline.delivery?.startedMoving() } }
    }
    line?.coalesceEpochs(for: tracker.latencyBudget)
    rearm()
    // Last, because it causes further actions.
    if readsClock { reportSystemTime() }
  }

  /// The kinds of events that are stored while the master switch is off.
  private static let lifecycleEvents: Set<EventKind> = [
    .started, .stopped, .configurationChanged, .hostSleeping, .hostWoke, .hostStaysAwake, .tripEnded,
  ]

  /// True if the record is stored.
  ///
  /// While the master switch is off, only events about the logger itself, which explain the gap, and the end of a trip are.
  private func isStored(_ record: LogRecord) -> Bool {
    guard !configuration.isTracking else { return true }
    if case .trip = record.body { return true }
    guard case .event(let event) = record.body else { return false }
    if Self.lifecycleEvents.contains(event.kind) { return true }
    journal.log(.init(event.kind), event.line)
    return false
  }

  /// Arms the timers that depend on the tracker.
  func rearm() {
    trackerTimer?.arm(within: tracker.nextWake)
    scheduleTimer?.arm(at: tracker.scheduleTimeout)
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

  private func checkWatchdog(now: Moment) {
    // A reply of the worker may not have woken the loop.
    takeAnswers(now: now)
    act(on: watchdog?.handleTimeout(now: now) ?? [])
  }

  /// Handles the token that the worker returned.
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

  /// The time by which a message to the supervisor extends the start.
  private static let supervisorTimeout = Duration.seconds(60)
  /// The interval of these messages while a large log is checked.
  private static let supervisorInterval = Duration.seconds(20)

  /// Starts the receiver although the log is not open yet, and requests more time from the supervisor.
  private func waitForLog(now: Moment) {
    startReceiver()
    guard !storeState.isOpen, !isReady else { return }
    notification.starting(status: summary, for: Self.supervisorTimeout)
    receiverTimer?.arm(at: now + Self.supervisorInterval)
  }

  /// Sends the status to the supervisor when the start is complete and when the status changes.
  func notifySupervisor() {
    guard isReady, !isStopped, summary != reportedSummary else { return }
    if reportedSummary == nil { notification.ready(status: summary) } else { notification.status(summary) }
    reportedSummary = summary
  }
}
