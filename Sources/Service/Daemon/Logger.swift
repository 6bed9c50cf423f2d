import Devices
import EventLoop
import HTTPServer
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Store
import System
import Tracking

/// The logger: creates the controllers and connects them.
///
/// Each controller owns its devices, timers and state, and calls `Outputs` that are set here. The tracker and the other state
/// machines decide; what they decide is executed in ``execute(_:now:)``. The logger is confined to the thread of the loop.
public final class Logger {
  let context: LoggerContext
  let tracking: TrackerController
  let log: LogController
  let receiver: ReceiverController
  let sensors: SensorController
  let power: PowerController
  let delivery: DeliveryController
  let settingsController: SettingsController
  let notifications: NotificationController
  let heartbeat: HeartbeatController
  let supervision: SupervisionController
  let serving: ServingController
  let hotspot: HotspotController
  private(set) var run: LoggerRun
  public var outputs = Outputs()

  /// Handlers, set before ``start()``.
  public struct Outputs {
    /// Called with every location that is stored.
    public var kept: (LogRecord) -> Void = { _ in }
    /// Called when the logger cannot continue; the message contains the remedy.
    public var failed: (String) -> Void = { _ in }
  }

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
  ///   - dates: the dates of the receiver that are believed; by default those of a recording.
  ///   - host: the host, for the identity of the installation.
  ///   - openBus: opens the I²C buses that the configuration names.
  ///   - deliverySeed: returns the seed of the back-off of a delivery.
  /// - Throws: errors of the kernel and of libcurl.
  public init(
    loop: EventLoop, configuration: Configuration, sources: ConfigurationSources? = nil,
    stored: StoredSettings = StoredSettings(), unreadSettings: SettingsFile.Remains = .nothing,
    journal: Journal,
    lastSignal: LastSignal? = nil, dates: DateBounds = .recording, host: MachineIdentity = .read(),
    openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:),
    deliverySeed: @escaping () -> UInt64 = { .random(in: .min ... .max) }
  ) throws {
    run = LoggerRun(after: lastSignal, now: loop.now)
    context = LoggerContext(loop: loop, journal: journal, configuration: configuration)
    tracking = TrackerController(context, dates: dates)
    log = try LogController(context, tracking, host: host, unreadSettings: unreadSettings)
    receiver = ReceiverController(context, tracking)
    sensors = SensorController(context, openBus: openBus)
    power = PowerController(context, tracking, log, openBus: openBus)
    delivery = try DeliveryController(context, tracking, log, stored: stored, seed: deliverySeed)
    settingsController = SettingsController(
      context, tracking, log, sources: sources, stored: stored, isUnread: unreadSettings != .nothing)
    notifications = NotificationController(context, tracking, delivery.client)
    heartbeat = HeartbeatController(context, delivery.client)
    supervision = SupervisionController(context, log)
    serving = ServingController(context)
    hotspot = HotspotController(context)
    connect()
    loop.everyTurn { [weak self] now in self?.turn(now: now) }
  }

  public var isStopped: Bool { run.hasEnded }

  /// The messages of `GET /stream`; nil without the local API.
  var stream: EventStream? { serving.stream }

  /// Serves the local API on a loopback address without a sign-in: for the demo only. Returns the address; nil without the
  /// local API. Throws if the address cannot be opened.
  public func serveDemo() throws(HTTPServerError) -> ListenAddress? {
    try serving.serveDemo(self)
  }

  /// Starts all components that do not depend on the log; the others start when it is open.
  public func start() {
    let now = context.loop.now
    log.applyRetention()
    supervision.start(now: now)
    power.beginLedger(now: now)
    delivery.startRadio()
    power.startHost()
    if !log.isInUse { startServing() }
    hotspot.start()
    sensors.start()
    power.followRecording()
    notifications.start()
    heartbeat.start()
    settingsController.start(now: now)
    rearm()
  }

  private func startServing() {
    serving.start(self) { [unowned self] stream in publish(to: stream) }
  }

  /// Writes all records and stops all components. Nothing is called afterwards.
  public func stop() {
    guard run.end() else { return }
    let now = context.loop.now
    supervision.stopping()
    let sleep = power.hostSleep.host?.schedule.nextSleep
    let isStoring = sleep?.need.purpose == .storedEpochs && power.hostSleep.host?.schedule.isFalling == true
    receiver.stop(now: now, leavesStoring: isStoring)
    sensors.stop(wakesOnMotion: !isStoring)
    power.stop()
    run.stopReading()
    notifications.stop(forSleep: power.hostSleep.host?.schedule.isGoingToSleep ?? false)
    heartbeat.stop()
    tracking.processDirectly(.stopping, now: now)
    delivery.stop()
    power.hostSleep.stop()
    settingsController.stop(now: now)
    power.saveLedger(now: now, atOnce: true)
    log.stop(RunMarker(hasEnded: true), now: now)
    hotspot.stop()
    serving.stop()
    tracking.stop()
    notifications.sayFarewell()
    supervision.stop()
  }

  /// Reads the part of today before this run, once, because a person looks.
  func readEarlierToday() {
    guard !isStopped, let part = run.unreadPart() else { return }
    let reading = EarlierToday(
      of: part.day, in: context.configuration.storage.directory, through: part.last, loop: context.loop
    ) { [weak self] figures in
      guard let self, let figures else { return }
      run.add(figures, of: part.day)
      serving.publisher.statusChanged()
    }
    if let reading { run.reads(reading) }
  }

  /// Counts an attempt to send.
  func countSend(_ bytes: Int) {
    serving.publisher.queueChanged()
    run.countSend(bytes: bytes, at: tracking.tracker.fixes.clock.timestamp(at: context.loop.now))
  }

  private func turn(now: Moment) {
    guard !isStopped else { return }
    log.turn(now: now)
    serving.turn(now: now)
    power.followConsumers(now: now)
    power.hostSleep.host?.look(now: now)
    receiver.endWakeUp()
    serving.share.endWakeUp()
    if serving.publisher.isWatched {
      let isPrivate = tracking.tracker.privacy.isHidden
      receiver.showLive(stream?.wantsLive ?? false)
      serving.publisher.turn(isTripRunning: tracking.isInTrip, isPrivate: isPrivate, now: now)
    }
  }

  private func rearm() {
    tracking.rearm()
    log.armCommit()
    supervision.rearm()
  }

  // MARK: The tracker

  /// Executes the actions of the tracker, then lets all parts follow its state.
  func execute(_ actions: [TrackerAction], now: Moment) {
    var hasEvent = false
    var readsClock = false
    for action in actions {
      switch action {
      case .keep(let record, let urgency): hasEvent = keep(record, urgency, now: now) || hasEvent
      case .date(let offset):
        log.post(.date(offset: offset, quality: tracking.tracker.fixes.clock.quality))
        settingsController.serverTimeout(now: now)
      case .save(let text): log.post(.saveState(.tracker, text))
      case .scanAccessPoints: sensors.scanAccessPoints()
      case .readSystemClock: readsClock = true
      case .receiver(let state, let until): receiver.bring(to: state, until: until, now: now)
      }
    }
    if hasEvent { supervision.report() }
    if tracking.tripChanged() { followTrip(now: now) }
    if power.stageChanged() {
      serving.publisher.statusChanged()
      sensors.follow(power.stage)
      delivery.follow(power.stage, now: now)
    }
    if tracking.beganToMove() { delivery.beganToMove() }
    receiver.followLatencyBudget()
    rearm()
    // Last, because it causes further actions.
    if readsClock { tracking.process(sensors.systemTime(), now: context.loop.now) }
  }

  /// Stores a record and passes it on; true if it is an event.
  private func keep(_ record: LogRecord, _ urgency: TrackerAction.Urgency, now: Moment) -> Bool {
    guard log.isStored(record) else { return false }
    run.count(record)
    let isLocation = if case .location = record.body { true } else { false }
    let isAwaited = isLocation && delivery.locationKept()
    log.add(record, atOnce: urgency == .atOnce || isAwaited, now: now)
    switch record.body {
    case .location(let location):
      outputs.kept(record)
      serving.publisher.kept(location.reasons)
    case .visit: notifications.notify(of: record)
    case .trip, .action: break
    case .event(let event):
      context.journal.log(event.kind.definition.level, event.line)
      notifications.notify(of: record)
      return true
    }
    return false
  }

  /// Follows the start and the end of a trip. The end restores tracking if the trip switched it on.
  private func followTrip(now: Moment) {
    let isRunning = tracking.isInTrip
    delivery.configurationChanged()
    // The queue is sent immediately when a trip ends or is started by hand.
    if !isStopped, !isRunning || tracking.tracker.places.trips.running?.isManual == true {
      log.commit(now: context.loop.now)
      delivery.sendNow()
    }
    receiver.followSetUp()
    power.followRecording()
    if !isRunning { settingsController.tripEnded() }
  }

  // MARK: The log

  /// Restores the state of the last run from the opened log and starts receiver and deliveries.
  func opened(_ report: OpeningReport, now: Moment) {
    if let text = report.savedStates[.tracker] { tracking.process(.restored(text), now: now) }
    let run = RunMarker(hasEnded: false)
    if report.condition == .created { self.run.beganLog() }
    self.run.opened(after: log.lastID)
    let before = report.savedStates[.run].flatMap { RunMarker($0) }
    // It is written with the event of the start, which is committed immediately.
    log.post(.saveStateWithRecords(.run, run.text))
    let fields = run.fields(
      after: before, isNewLog: report.condition == .created, signal: self.run.lastSignal,
      watchdogReset: HardwareWatchdog.hasReset())
    let resumption = power.hostSleep.logOpened(
      note: report.savedStates[.host], alarms: report.savedStates[.alarms],
      isNewBoot: before.map { $0.bootID != run.bootID } ?? true, hasEnded: before?.hasEnded ?? false)
    tracking.process(
      .started(
        lastLocation: report.newestLocation?.record, after: fields, resuming: resumption,
        lastDated: report.lastTime), now: now)
    if let name = report.volatileFileSystem {
      let event = EventRecord(volatile: context.configuration.storage.directory, on: name)
      tracking.process(.occurred(event), now: now)
    }
    if let text = report.savedStates[.writes] { log.restoreWrites(text) }
    if let text = report.savedStates[.energy] { power.restoreLedger(text) }
    if let text = report.savedStates[.sends] {
      if let resumption { delivery.resumeIntervals(text, after: resumption.pause) }
      if let pause = power.hostSleep.timeSinceSleep(note: report.savedStates[.host]) {
        delivery.resumeContacts(text, after: pause)
      }
    }
    // The other logger has ended meanwhile.
    if log.isInUse { startServing() }
    power.hostSleep.reportReturn()
    if let text = report.savedStates[.questions] { delivery.fleet.questions.restore(text) }
    delivery.logOpened()
    delivery.retained.logOpened(report.savedStates[.retained], newest: report.newestLocation?.record)
    supervision.endWaiting()
    receiver.start(known: report.savedStates[.receiver])
    log.expire(now: now)
    supervision.startIsComplete()
    settingsController.openTripOverride()
    settingsController.settleTripOverride()
    settingsController.reportInterruptedTrial(now: now)
    if let text = report.savedStates[.notifications] { notifications.restore(text) }
    rearm()
  }

  // MARK: Settings

  /// Puts a configuration in force: the controllers follow it in this order.
  func adopt(_ next: Configuration, _ changes: SettingChanges) {
    let wasTracking = context.configuration.isTracking
    context.adopt(next)
    log.followCommitInterval()
    guard !changes.atOnce.isEmpty else { return }
    let now = context.loop.now
    log.applyRetention()
    power.followCurrents()
    let logText = changes.atOnce.map(next.logText)
    tracking.process(.settings(TrackerSettings(context.configuration), changed: logText), now: now)
    delivery.configurationChanged()
    delivery.retained.configurationChanged()
    if wasTracking != context.configuration.isTracking { receiver.followMasterSwitch(mayStart: log.isOpen) }
    receiver.followSetUp()
    power.followRecording()
    notifications.configurationChanged()
    heartbeat.configurationChanged()
    if log.isOpen { log.expire(now: now) }
    settingsController.warnOfMissingIdentity()
    sensors.configurationChanged()
    serving.configurationChanged(changes, self)
  }
}
