import Devices
import Energy
import EventLoop
import GNSSProtocol
import GNSSReceiver
import GNSSReport
import GPSDProtocol
import History
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Settings
import System
import Tracking
import WebAccess

/// Owns the receiver, at a serial port or through gpsd: opens it, passes its epochs on, and requests its power state.
final class ReceiverController {
  /// Handlers, set before ``start(known:)``.
  struct Outputs {
    /// A speed of the receiver, which helps to classify motion.
    var speedMeasured: (_ speed: Double, _ accuracy: Double?, Moment) -> Void = { _, _, _ in }
    /// The description of the receiver, to be saved for the next run.
    var identified: (KnownReceiver) -> Void = { _ in }
    /// The tracker has processed an epoch.
    var epochTaken: (Fix) -> Void = { _ in }
    /// The epochs that the receiver had stored have been processed; it does not have them any more.
    var retrieved: (Moment) -> Void = { _ in }
    /// The satellites as a SKY object, while they are shown.
    var satellites: ([UInt8]) -> Void = { _ in }
    /// A message of the receiver, while they are shown.
    var rawLine: (RawMessage) -> Void = { _ in }
  }

  private let context: LoggerContext
  private let tracking: TrackerController
  var outputs = Outputs()
  private(set) var line: ReceiverLine?
  private(set) var gpsd: GPSDSource?
  /// The description of the receiver from an earlier session.
  private var knownReceiver: String?
  /// The last receiver configuration that was requested.
  private var requestedSetUp: SetUp?
  /// True while the receiver is asleep by schedule.
  private(set) var isAsleep = false
  /// The states into which the schedule brought the receiver.
  private(set) var history = ScheduledStates()
  /// The fault of the receiver, as its last event words it; nil while it sends valid data.
  private(set) var fault: String?
  /// The time to the first fix.
  private var firstFix: FirstFixWatch
  /// The epochs, for the status.
  private var fixes = FixHistory()
  /// The satellites and messages that clients show.
  private var feed = ReceiverFeed()
  private var viewers = Viewers()

  /// What clients request besides.
  private struct Viewers {
    var showsSatellites = false
    /// True while every epoch is requested at once.
    var isLive = false
  }

  private var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }

  init(_ context: LoggerContext, _ tracking: TrackerController) {
    self.context = context
    self.tracking = tracking
    firstFix = FirstFixWatch(now: context.loop.now)
  }

  /// Opens the port, or connects to gpsd, unless that has been done. `known` describes the receiver as an earlier run found
  /// it.
  func start(known: String? = nil) {
    guard line == nil, gpsd == nil else { return }
    knownReceiver = known ?? knownReceiver
    if configuration.receiver.gpsd != nil, !configuration.isTracking { return }
    if let address = configuration.receiver.gpsd {
      start(GPSDSource(loop: loop, host: address.host, port: address.port))
    } else if let port = configuration.receiver.port {
      requestedSetUp = SetUp(configuration, inTrip: tracking.isInTrip)
      start(
        ReceiverLine(
          loop: loop, path: port, settings: DialogueSettings(configuration, inTrip: tracking.isInTrip),
          known: knownReceiver.flatMap { KnownReceiver(text: $0) }, supply: supplySwitch()))
    }
  }

  /// Takes the epochs that are buffered and closes the source. Nothing is called afterwards. With `leavesStoring` a receiver
  /// that stores its epochs goes on, and the next run retrieves them.
  func stop(now: Moment, leavesStoring: Bool) {
    line?.finish(now: now, leavesStoring: leavesStoring)
    tracking.processDeferredEvents(until: loop.now)
    gpsd?.finish(now: now)
  }

  /// Follows the master switch. gpsd deactivates a receiver without clients. A receiver that was never opened is opened if
  /// `mayStart`.
  func followMasterSwitch(mayStart: Bool) {
    if configuration.isTracking {
      firstFix.trackingBegan(now: loop.now)
      if isAsleep {
        applySchedule(until: tracking.tracker.summary.scheduleTimeout, now: loop.now)
      } else {
        line?.request(.awake)
      }
      if line == nil, mayStart { start() }
    } else {
      line?.request(.asleep(for: nil))
      gpsd?.stop()
      history.counts.end(reports: gpsd.map { Int64(clamping: $0.reports) })
      gpsd = nil
      fault = nil
    }
  }

  /// Sends a changed receiver configuration, which may differ during a trip.
  func followSetUp() {
    guard let line, let newSetUp = SetUp(configuration, inTrip: tracking.isInTrip), newSetUp != requestedSetUp
    else { return }
    requestedSetUp = newSetUp
    line.request(.setUp(newSetUp))
  }

  /// Passes the epochs before now that the receiver has sent. Returns false while it has some buffered; `asks` permits to
  /// wake it for them.
  func catchUp(now: Moment, asks: Bool) -> Bool { line?.catchUp(now: now, asks: asks) != false }

  /// Permits epochs to wait in the buffer for as long as the tracker permits, unless a client requests each at once.
  func followLatencyBudget() {
    line?.coalesceEpochs(for: viewers.isLive ? .zero : tracking.tracker.summary.latencyBudget)
  }

  /// Takes every epoch at once while a client requests it. A sleeping receiver is not woken for it.
  func showLive(_ isWanted: Bool) {
    guard isWanted != viewers.isLive else { return }
    viewers.isLive = isWanted
    followLatencyBudget()
  }

  // MARK: The sources

  /// The switch of the receiver's supply, switched on; nil if none is configured or its line is not available.
  private func supplySwitch() -> SupplySwitch? {
    guard let settings = configuration.receiver.enable else { return nil }
    do throws(SystemError) {
      let line = try OutputLine(wiring: LineWiring(settings), isActive: true)
      return { isOn throws(SystemError) in try line.set(isOn) }
    } catch {
      context.journal.log(
        .warning,
        "receiver.enable: \(error); the receiver's supply is not switched; check the line and the group gpio")
      return nil
    }
  }

  private func start(_ line: ReceiverLine) {
    line.outputs.withheld = { [unowned self] fix, now in
      tracking.process(.withheld(fix), now: now)
      // Outside of the zones it says nothing about the messages that follow.
      if tracking.tracker.privacy.hides(fix) { feed.epoch(isPrivate: true) }
    }
    line.outputs.retrieved = { [unowned self] now in outputs.retrieved(now) }
    line.outputs.caughtUp = { [unowned self] now in tracking.caughtUp(now: now) }
    line.outputs.signalStrength = { [unowned self] strongest, now in
      // While satellites are shown, the signals are reported at other times, too.
      guard !viewers.showsSatellites || tracking.tracker.summary.receiverState == .searching else { return }
      tracking.process(.received(strongest: strongest), now: now)
    }
    line.outputs.satellites = { [unowned self] report in
      guard viewers.showsSatellites else { return }
      var sky: [UInt8] = []
      SKY.append(report, to: &sky)
      feed.take(satellites: sky)
    }
    line.outputs.notice = { [unowned self, unowned line] notice in take(notice, port: line.path) }
    line.outputs.startAid = { [unowned self] now in
      let known =
        tracking.tracker.fixes.clock.quality == .receiver
        ? tracking.tracker.fixes.clock.timestamp(at: now) : nil
      return StartAid(
        receiverTime: known, systemTime: loop.clock.error().map { (loop.clock.timestamp(), $0) },
        lastLocation: tracking.tracker.locations.last, isOfThisBoot: tracking.tracker.locations.count > 0,
        now: now)
    }
    line.outputs.remember = { [unowned self] receiver in outputs.identified(receiver) }
    self.line = line
    followLines()
    begin(line, reference: timeReference())
  }

  private func start(_ gpsd: GPSDSource) {
    gpsd.onNotice = { [unowned self, unowned gpsd] notice in
      let event = EventRecord(notice, of: gpsd)
      switch notice {
      case .found, .recovered: fault = nil
      case .lost, .silent: fault = event.line
      }
      firstFix.received(event, now: loop.now)
      tracking.process(.occurred(event), now: loop.now)
    }
    self.gpsd = gpsd
    begin(gpsd)
  }

  /// The reference clock of chrony; nil if none is configured.
  private func timeReference() -> ChronyReference? {
    configuration.clock.chrony.map { path in
      ChronyReference(path: path) { [unowned self] level, line in context.journal.log(level, line) }
    }
  }

  private func begin(_ source: some ReceiverSource, reference: ChronyReference? = nil) {
    source.onEpoch = { [unowned self] fix, now in
      tracking.processDeferredEvents(until: now)
      fixes.take(fix, now: now)
      if fixes.hasFix, let speed = fix.speed { outputs.speedMeasured(speed, fix.speedAccuracy, now) }
      let began = line?.epochBegan
      let clock = loop.clock
      tracking.process(
        .epoch(fix, systemClock: clock.timestamp(), isSynchronised: clock.isSynchronised), now: now)
      feed.epoch(isPrivate: tracking.tracker.privacy.hides(fix))
      outputs.epochTaken(fix)
      reference?.take(fix, began: began, now: now, device: tracking.tracker.fixes.clock.device)
      // Directly after its epoch, even if the receiver has more epochs buffered.
      if let event = firstFix.take(fix, now: now) { tracking.processDirectly(.occurred(event), now: now) }
      listenForSatellites()
    }
    source.start()
    listenForSatellites()
    if !configuration.isTracking {
      line?.request(.asleep(for: nil))
    } else if isAsleep {
      applySchedule(until: tracking.tracker.summary.scheduleTimeout, now: loop.now)
    }
  }

  private func take(_ notice: LineNotice, port: String) {
    if case .dialogue(.identified(let identity)) = notice {
      tracking.process(.receiverIdentified(identity.family), now: loop.now)
    }
    followCyclicMode()
    guard let event = EventRecord(notice, port: port, now: loop.now) else {
      if let words = notice.words { context.journal.log(.debug, "receiver: \(port): \(words)") }
      return
    }
    switch event.kind {
    case .receiverFound, .receiverRecovered: fault = nil
    case .receiverLost, .receiverSilent, .receiverGarbled, .receiverFault: fault = event.line
    default: break
    }
    firstFix.received(event, now: loop.now)
    tracking.process(.occurred(event), now: loop.now)
  }

  // MARK: The power state

  /// Brings the receiver into the scheduled state, if receiver control or a supply switch permits it.
  ///
  /// Another receiver keeps sending, and the tracker uses the epochs that it needs.
  func bring(to state: ReceiverState, until: Moment?, now: Moment) {
    isAsleep = !state.isPowered
    history.bring(to: state, now: now)
    listenForSatellites()
    applySchedule(until: until, now: now)
  }

  /// Requests signal strengths, which are needed only during an acquisition and while a client shows them.
  private func listenForSatellites() {
    let isShown = viewers.showsSatellites && !isAsleep
    line?.reportsSignalStrength = isShown || tracking.tracker.summary.receiverState == .searching
    line?.followsSatellites = isShown
  }

  /// Lets the receiver report its satellites while a client shows them. It is not woken for them, and does not track
  /// cyclically meanwhile.
  func showSatellites(_ isWanted: Bool, now: Moment) {
    guard isWanted != viewers.showsSatellites else { return }
    viewers.showsSatellites = isWanted
    listenForSatellites()
    guard tracking.tracker.summary.receiverState == .cyclic else { return }
    applySchedule(until: tracking.tracker.summary.scheduleTimeout, now: now)
  }

  /// Passes on the messages of a serial receiver while a client shows them.
  func showLines(_ isWanted: Bool) {
    guard isWanted != feed.showsMessages else { return }
    feed.showMessages(isWanted)
    followLines()
  }

  private func followLines() {
    guard feed.showsMessages else {
      line?.onBytes = nil
      return
    }
    line?.onBytes = { [unowned self] bytes in feed.take(bytes) }
  }

  /// Ends a wake-up: passes on the satellites and messages that may be shown.
  func endWakeUp() {
    let items = feed.endWakeUp(
      hasZones: !tracking.tracker.privacy.isEmpty, isPrivate: tracking.tracker.privacy.isHidden)
    for item in items {
      switch item {
      case .message(let message): outputs.rawLine(message)
      case .satellites(let sky): outputs.satellites(sky)
      }
    }
  }

  /// Sets the desired power state of the receiver.
  private func applySchedule(until: Moment?, now: Moment) {
    guard let line, configuration.isTracking, canSleep else { return }
    let isCyclic = tracking.tracker.summary.receiverState == .cyclic && !viewers.showsSatellites
    line.request(.power(isCyclic ? .cyclic(seconds: 1) : .continuous))
    line.request(
      isAsleep
        ? .asleep(
          for: until.map { max($0 - now, .seconds(1)) },
          withoutSupply: tracking.tracker.summary.receiverState == .off
        )
        : .awake)
  }

  /// True if the receiver accepts commands or its supply can be switched.
  private var canSleep: Bool {
    configuration.receiver.control == .full || configuration.receiver.enable != nil
  }

  /// Reports to the tracker if the receiver offers cyclic tracking, by its family and its responses.
  private func followCyclicMode() {
    let isOffered = line?.offersCyclicMode ?? false
    guard isOffered != tracking.tracker.summary.hasCyclicMode else { return }
    tracking.process(.cyclicMode(isOffered: isOffered), now: loop.now)
  }

  /// True if there is a receiver that can provide positions.
  var isPresent: Bool { line != nil || gpsd != nil }

  /// The state of a receiver that stores its epochs and keeps its supply while the host sleeps; nil for any other.
  var storage: ReceiverLine.Storage? { configuration.receiver.hasOwnSupply ? line?.storage : nil }

  /// True during a dialogue with the receiver and until it is asleep. A receiver that does not respond is not busy.
  var isBusy: Bool {
    switch line?.state {
    case .identifying, .configuring, .fallingAsleep, .waking: true
    case .closed, .finding, .running, .asleep, nil: false
    }
  }

  /// The state by which the receiver draws current; nil if it does not respond, because its state is unknown.
  var energyState: ReceiverState? {
    let awake: ReceiverState = fixes.hasFix ? .tracking : .searching
    guard let line else {
      guard let gpsd, gpsd.isOpen else { return nil }
      return awake
    }
    switch line.state {
    case .asleep: return line.isWithoutSupply ? .off : .backup
    case .waking: return .searching
    case .closed: return nil
    case .finding, .identifying, .configuring, .fallingAsleep, .running:
      guard line.isOpen else { return nil }
      switch tracking.tracker.summary.receiverState {
      case .cyclic? where line.isInCyclicMode: return .cyclic
      // Cyclic tracking is not acknowledged yet.
      case .cyclic?, .tracking?, .settling?: return .tracking
      case .searching?: return .searching
      // Always on, or commanded to sleep and not asleep yet.
      case .backup?, .off?, nil: return awake
      }
    }
  }

  // MARK: The status

  /// True once an epoch had a position.
  var hasHadFix: Bool { fixes.lastFix != nil }

  /// The receiver in the status; nil without one.
  var report: StatusReport.Receiver? {
    var report = line.map { line in
      let statistics = line.statistics
      var receiver = StatusReport.Receiver(
        port: line.path, isOpen: line.isOpen, speed: line.provenSpeed.map(Int.init),
        validFrames: Int(clamping: statistics.frames),
        checksumErrors: Int(clamping: statistics.checksumErrors))
      receiver.state = line.state.rawValue
      let identity = line.receiver
      receiver.family = identity?.family.rawValue
      receiver.module = identity?.module
      receiver.firmware = identity?.firmware
      receiver.talkers = line.rivalTalkers.map {
        StatusReport.Receiver.Talkers(used: $0.used, ignored: $0.ignored)
      }
      receiver.ignoredInputs = statistics.ignored
      return receiver
    }
    if let gpsd {
      report = StatusReport.Receiver(
        port: gpsd.address, isOpen: gpsd.isOpen, speed: nil, validFrames: Int(clamping: gpsd.reports),
        checksumErrors: 0)
      report?.gpsd = StatusReport.Receiver.GPSD(
        release: gpsd.release, device: gpsd.device?.path, driver: gpsd.device?.driver)
      report?.ignoredInputs = gpsd.ignored
    }
    report?.trouble = fault.map(Self.withoutSubject)
    return report
  }

  /// The receiver as the clients of gpsd's protocol see it; nil without one.
  func sharedDevice(time: Timestamp) -> SharedDevice? {
    line.map { SharedDevice($0, time: time) } ?? gpsd.map { SharedDevice($0, time: time) }
  }

  /// The reception in the status; nil without a receiver.
  func receptionReport(now: Moment) -> StatusReport.Reception? {
    guard isPresent else { return nil }
    var report = StatusReport.Reception()
    if let last = fixes.last {
      report.fix = "\(last.kind.word)"
      report.epoch_age_s = max((now - last.moment).inSeconds, 0)
      report.no_fix_s = fixes.timeWithoutFix(now: now)?.inSeconds
      report.satellites_used = last.kind == .none ? nil : last.used
      report.satellites_in_view = last.seen
    }
    if let satellites = line?.satellites {
      report.satellites_received = satellites.received
      report.strongest_dBHz = satellites.strongest
      report.satellites_age_s = max((now - satellites.moment).inSeconds, 0)
    }
    return report
  }

  /// The satellites in the status; nil before the first epoch.
  func skyReport(now: Moment) -> StatusReport.Sky? {
    guard isPresent, let last = fixes.last else { return nil }
    var sky = StatusReport.Sky()
    sky.used = last.kind == .none ? nil : last.used
    sky.seen = line?.satellites?.received ?? last.seen
    sky.hdop = last.hdop.flatMap { $0.isFinite ? $0 : nil }
    sky.strongest_dBHz = line?.satellites?.strongest
    sky.age_s = max((now - last.moment).inSeconds, 0)
    return sky
  }

  /// The receiver as the tracker switches it, with the reasons.
  func trackerReport(now: Moment) -> StatusReport.Tracker {
    let reason = tracking.tracker.receiverReason(now: now)
    var report = StatusReport.Tracker(state: reportedState, reason: reason.sentence)
    if let fault, configuration.isTracking { report.reason = Self.withoutSubject(fault) }
    if !isPresent, configuration.isTracking {
      let isConfigured = configuration.receiver.port != nil || configuration.receiver.gpsd != nil
      report.reason =
        isConfigured ? "the receiver is not opened yet" : "no receiver: set receiver.port or receiver.gpsd"
    }
    if tracking.tracker.summary.receiverState == .cyclic, viewers.showsSatellites {
      report.reason += "; no cyclic tracking while the satellites are shown"
    }
    let since =
      tracking.tracker.summary.receiverState == nil
      ? fixes.changed : tracking.tracker.summary.receiverStateSince
    report.since_s = configuration.isTracking ? since.map { max((now - $0).inSeconds, 0) } : nil
    report.next_check_in_s = reason.nextCheck.map { max(($0 - now).inSeconds, 0) }
    report.next_check_reason = reason.nextCheckPurpose
    report.acquisition_ends_in_s = reason.acquisitionEnds.map { max(($0 - now).inSeconds, 0) }
    if report.state == .acquiring { report.signal_dBHz = line?.satellites?.strongest }
    if let profile = tracking.tracker.active.profile {
      report.profile = profile.rawValue
      report.profile_reason = profile.reason
    }
    report.policy = tracking.tracker.policyKind
    return report
  }

  /// The state of the receiver for people; one that is not scheduled follows its fixes.
  var reportedState: ReportedReceiverState {
    guard isPresent, configuration.isTracking else { return .off }
    guard let state = tracking.tracker.summary.receiverState else {
      return fixes.hasFix ? .tracking : .acquiring
    }
    let reported = ReportedReceiverState(state)
    return reported == .cyclic && viewers.showsSatellites ? .tracking : reported
  }

  private static func withoutSubject(_ line: String) -> String {
    let subject = "receiver: "
    return String(line.hasPrefix(subject) ? line.dropFirst(subject.count) : line[...])
  }

  /// Adds the figures of the receiver.
  func count(in counters: inout LoggerCounters, now: Moment) {
    guard isPresent else { return }
    counters.receiver.frames = (line?.statistics.frames ?? gpsd?.reports).map {
      history.counts.frames(now: Int64(clamping: $0))
    }
    counters.receiver.checksumErrors = line.map { Int64(clamping: $0.statistics.checksumErrors) }
    counters.receiver.starts = history.counts.starts
    counters.receiver.failedAcquisitions = history.counts.failures
    counters.receiver.timeToFirstFix = firstFix.last
    counters.receiver.fixAge = fixes.lastFix.map { max(now - $0, .zero) }
    let isExpected = configuration.isTracking
    counters.receiver.isUp = isExpected ? fault == nil && (line?.isOpen ?? gpsd?.isOpen ?? false) : nil
  }

  /// Queries the receiver once for its satellites; the status has the result.
  func askForSatellites() -> ControlOutcome {
    guard configuration.isTracking else {
      return .refused(Problem(409, "tracking is switched off; switch it on with outrider start"))
    }
    guard let line else {
      return .refused(
        Problem(409, "a receiver shared through gpsd cannot be queried; use cgps to see the satellites"))
    }
    guard line.askForSatellites() else {
      return .refused(Problem(409, "the receiver cannot be queried: \(line.path) is not open; retry later"))
    }
    guard let obstacle = line.satelliteObstacle else { return .done(#"{"asked": true}"#) }
    return .done(#"{"asked": true, "hint": "\#(obstacle.words)"}"#)
  }
}

extension ProfileCondition {
  /// The condition that selects the profile, for people.
  fileprivate var reason: String {
    switch self {
    case .lowBattery: "the power level is low or critical"
    case .inZone: "the device is in a zone with a profile"
    case .charging: "on external supply"
    case .trip: "a trip is running"
    case .moving: "the device moves"
    case .stop: "the device is stationary"
    case .always: "always"
    }
  }
}
