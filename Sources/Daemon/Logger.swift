import Chips
import Devices
import GNSS
import HTTPClient
import LocalAPI
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
  private(set) var journal: Journal
  let notification: ServiceNotification
  private(set) var configuration: Configuration
  public private(set) var tracker: Tracker

  let store: StoreWorker
  var storeState = StoreState()
  let client: HTTPClient
  var deliveries: [String: DestinationLane] = [:]
  private var storeRegistration: EventLoop.Registration?
  var line: ReceiverLine?
  var gpsd: GPSDSource?
  /// How the buses of the board are opened.
  let openBus: BusOpening
  var gauge: GaugeSource?
  var accelerometer: AccelerometerSource?
  /// What the accelerometer is to do.
  var accelerometerDuty: AccelerometerDuty
  /// What the receiver was wished to be last.
  var receiverWish: SetUp?
  private var api: LocalAPI?
  private var watchdog: WatchdogFeed?
  private var isStopped = false
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

  /// Makes the parts and the store's thread, which begins to open the log. Throws when the kernel refuses one.
  /// `openBus` opens the I²C buses that the configuration names.
  public init(
    loop: EventLoop, configuration: Configuration, journal: Journal,
    openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:)
  ) throws {
    self.loop = loop
    self.openBus = openBus
    self.configuration = configuration
    var journal = journal
    journal.threshold = Journal.Level(configuration.logLevel)
    self.journal = journal
    startedAt = loop.now
    accelerometerDuty = AccelerometerDuty(now: startedAt)
    tracker = Tracker(settings: TrackerSettings(configuration))
    notification = ServiceNotification(
      environment: ProcessSurroundings.variable, processID: ProcessSurroundings.processID)
    client = try HTTPClient(loop: loop)
    store = try StoreWorker(
      directory: configuration.storage.directory, allowVolatile: configuration.storage.allowsVolatile,
      options: LogOptions(bootID: ProcessSurroundings.bootIdentity, clock: { SystemClock.moment() }))
    receiverWish = SetUp(configuration)
    storeState.grouping = CommitGrouping(interval: configuration.storage.commitInterval)
    storeRegistration = try loop.watch(store.descriptor, for: .readable) { [unowned self] _ in
      store.acknowledgeSignal()
      takeAnswers(now: loop.now)
    }
    trackerTimer = loop.addTimer("tracker") { [unowned self] now in
      carryOut(tracker.handleTimeout(now: now), now: now)
    }
    commitTimer = loop.addTimer("commit") { [unowned self] now in commit(now: now) }
    retryTimer = loop.addTimer("store retry") { [unowned self] _ in post(.retry) }
    expiryTimer = loop.addTimer("retention") { [unowned self] now in expire(now: now) }
    watchdogTimer = loop.addTimer("watchdog") { [unowned self] now in askForLife(now: now) }
    receiverTimer = loop.addTimer("receiver start") { [unowned self] now in waitForLog(now: now) }
    startMemoryTimer = loop.addTimer("start memory") { _ in StartMemory.giveBack() }
    loop.everyTurn { [weak self] now in self?.turn(now: now) }
  }

  /// Begins; what it needs of the log comes when the log is open.
  public func start() {
    let now = loop.now
    post(.configure(RetentionLimits(configuration.storage)))
    receiverTimer?.arm(at: now + Self.patienceWithLog)
    startMemoryTimer?.arm(at: now + Self.start, slack: .seconds(2))
    if let interval = notification.watchdogInterval { watchdog = WatchdogFeed(interval: interval, now: now) }
    startAPI()
    startGauge()
    startAccelerometer()
    warnOfSettingsWithoutEffect()
    rearm()
  }

  /// Writes everything down and ends all parts. Nothing is called afterwards.
  public func stop() {
    guard !isStopped else { return }
    isStopped = true
    notification.stopping()
    let now = loop.now
    line?.finish(now: now)
    gpsd?.finish(now: now)
    gauge?.stop()
    accelerometer?.stop()
    carryOut(tracker.handle(.stopping, now: now), now: now)
    stopDeliveries()
    // Whether the log is open or not, and full or not: this is the last chance.
    if let job = takeGroup(now: now) { storeState.refusedJobs.append(job) }
    sayWhatIsLost(lastAnswers: store.finish(after: storeState.refusedJobs))
    if let storeRegistration { loop.remove(storeRegistration) }
    api?.stop()
    for timer in [
      trackerTimer, commitTimer, retryTimer, expiryTimer, watchdogTimer, receiverTimer, startMemoryTimer,
    ] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  // MARK: The tracker

  /// Tells the tracker something and carries out what it answers.
  func tell(_ event: TrackerEvent, now: Moment) {
    carryOut(tracker.handle(event, now: now), now: now)
  }

  private func carryOut(_ actions: [TrackerAction], now: Moment) {
    var hasEvent = false
    for action in actions {
      switch action {
      case .keep(let record, let urgency):
        storeState.grouping.add(record, atOnce: urgency == .atOnce, now: now)
        switch record.body {
        case .location: onKept(record)
        case .event(let event):
          journal.say(.init(event.kind), event.line)
          hasEvent = true
        }
      case .date(let offset): post(.date(offset: offset, quality: .receiver))
      }
    }
    if hasEvent { tellSupervisor() }
    rearm()
  }

  func rearm() {
    trackerTimer?.arm(at: tracker.nextTimeout, slack: .seconds(30))
    armCommit()
    if let watchdog { watchdogTimer?.arm(at: watchdog.nextTimeout, slack: watchdog.slack) }
  }

  private func turn(now: Moment) {
    guard !isStopped else { return }
    takeAnswers(now: now)
    offerRefusedJobs()
    if let asked = storeState.tokenAsked, let action = watchdog?.loopAnswered(asked, now: now) {
      act(on: action)
    }
  }

  // MARK: The watchdog

  private func askForLife(now: Moment) {
    guard let action = watchdog?.handleTimeout() else { return }
    act(on: action)
  }

  func workerAnswered(_ token: UInt64, now: Moment) {
    guard let action = watchdog?.workerAnswered(token, now: now) else { return }
    act(on: action)
  }

  private func act(on action: WatchdogFeed.Action) {
    switch action {
    case .send(let token):
      storeState.tokenAsked = token
      post(.token(token))
    case .feed:
      storeState.tokenAsked = nil
      notification.watchdog()
    }
    rearm()
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

  // MARK: Settings

  /// Takes a new configuration over as far as that is possible while running.
  public func apply(_ next: Configuration) {
    let changes = configuration.changes(to: next)
    guard !changes.isEmpty else {
      journal.say(.notice, "the configuration is as before")
      return
    }
    if !changes.afterRestart.isEmpty {
      journal.say(
        .warning, "these settings change with the next start: \(changes.afterRestart.joined(separator: ", "))"
      )
    }
    configuration = next.keepingWhatNeedsARestart(of: configuration)
    journal.threshold = Journal.Level(configuration.logLevel)
    storeState.grouping.interval = configuration.storage.commitInterval
    guard !changes.atOnce.isEmpty else { return }
    post(.configure(RetentionLimits(configuration.storage)))
    tell(.settings(TrackerSettings(configuration), changed: changes.atOnce), now: loop.now)
    changeDeliveries()
    changeReceiver()
    if storeState.isOpen { expire(now: loop.now) }
    warnOfSettingsWithoutEffect()
  }

  /// A new configuration was bad: the present one goes on.
  public func refuse(_ reason: String) {
    let event = EventRecord(.configurationRefused, detail: "\(reason); the present configuration goes on")
    tell(.occurred(event), now: loop.now)
  }

  private func warnOfSettingsWithoutEffect() {
    for setting in configuration.settingsWithoutEffect {
      journal.say(.warning, "\(setting.path) is set and has no effect yet; fixes are kept as without it")
    }
  }

  // MARK: The local API

  private func startAPI() {
    guard configuration.api.isEnabled else { return }
    let path = configuration.api.socket
    do {
      if let slash = path.lastIndex(of: "/") { try FileBytes.makeDirectory(String(path[..<slash])) }
      api = try LocalAPI(loop: loop, path: path) { [unowned self] in status }
    } catch {
      journal.say(
        .warning, "\(error); logging goes on without the local API (api.socket names another path)")
    }
  }
}
