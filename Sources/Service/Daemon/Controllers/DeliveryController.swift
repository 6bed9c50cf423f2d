import Energy
import EventLoop
import Formats
import HTTPClient
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Store
import System
import Tracking
import Uplink

/// Owns the deliveries: a pipeline for each destination, the radio that they share, and what is known about destinations
/// beyond a restart.
final class DeliveryController {
  /// Handlers, set before ``start()``.
  struct Outputs {
    /// The response of a server, which may contain settings, and the name of the destination.
    var answered: ([UInt8], String) -> Void = { _, _ in }
    /// Records that a server accepted.
    var accepted: (TakenRecords, String) -> Void = { _, _ in }
    /// An attempt to send has ended.
    var exchanged: (Exchange, String) -> Void = { _, _ in }
    /// The radio is up.
    var networkUp: () -> Void = {}
    /// The registry has changed and is to be saved at once.
    var registryChanged: () -> Void = {}
    /// Returns true if the logging mode of a destination is a server's value on trial.
    var isLoggingModeOnTrial: (String) -> Bool = { _ in false }
    /// Returns true if a source of positions can be asked.
    var canMeasure: () -> Bool = { false }
  }

  private let context: LoggerContext
  private let tracking: TrackerController
  private let log: LogController
  /// Returns the seed of the back-off of a delivery.
  let seed: () -> UInt64
  private let transports: TransportFactory
  var outputs = Outputs()
  private(set) var pipelines: [String: DeliveryPipeline] = [:]
  private var history = DeliveryHistory()
  private(set) var registry: DestinationRegistry
  /// The contact with servers that take reports.
  let fleet: FleetController
  private var backlog = BacklogWatch()
  /// The radio; nil if it is not switched.
  private(set) var radio: NetworkRadio?
  private let checkIns: CheckIns
  let probes: DestinationProbes
  /// The power level that the deliveries follow.
  private var stage = PowerStage.normal
  /// Ends the last upload at a critical battery; nil before the first.
  private var lastUploadTimer: LoopTimer?

  var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }
  private var journal: Journal { context.journal }
  /// The client for all HTTP destinations.
  var client: HTTPClient { transports.client }
  var retained: RetainedController { transports.retained }

  /// Creates the client for all HTTP destinations; `stored` are the settings before this start. Throws errors of libcurl.
  init(
    _ context: LoggerContext, _ tracking: TrackerController, _ log: LogController, stored: StoredSettings,
    seed: @escaping () -> UInt64
  ) throws {
    self.context = context
    self.tracking = tracking
    self.log = log
    self.seed = seed
    transports = try TransportFactory(context, log)
    registry = DestinationRegistry(stored)
    fleet = FleetController(context, tokens: stored.tokens ?? [:])
    checkIns = CheckIns(loop: context.loop)
    probes = DestinationProbes(loop: context.loop, client: transports.client)
    checkIns.send = { [unowned self] name, hasPosition in
      fleet.questions.positionEnded(for: name, isStored: hasPosition)
      sendNow(to: name)
    }
    fleet.tokensChanged = { [unowned self] in
      outputs.registryChanged()
      configurationChanged()
    }
    transports.requests.report = { [unowned self] in reportPosition(to: $0, now: $1) }
  }

  /// Stops all deliveries and the radio.
  func stop() {
    stopPipelines()
    fleet.stop()
    probes.stop()
    radio?.stop()
    checkIns.stop()
    transports.requests.stop()
    retained.stop()
    if let lastUploadTimer { loop.removeTimer(lastUploadTimer) }
  }

  // MARK: Pipelines

  /// Starts the pipelines: the log was opened, and contains records up to ``LogController/lastID``.
  func logOpened() {
    registry.forgetRecords(after: log.lastID)
    startPipelines()
  }

  /// The send intervals and contacts, for the two functions below after a sleep of the host.
  var intervalsText: String { DeliveryHistory.text(of: pipelines, now: loop.now) }

  /// Continues the times since the last contacts of a run that ended `pause` ago with a planned sleep of the host,
  /// whatever woke it. Called before ``logOpened()``.
  func resumeContacts(_ text: String, after pause: Duration) {
    history.resumeContacts(text, after: pause, now: loop.now)
  }

  /// Continues the send intervals of a run that ended `pause` ago with a planned sleep of the host. Called before
  /// ``logOpened()``. An interval that ends soon is over.
  func resumeIntervals(_ text: String, after pause: Duration) {
    history.resumeIntervals(text, after: pause, now: loop.now)
  }

  /// Continues after a salvage, which may have more records for the destinations.
  func logReopened() {
    for pipeline in pipelines.values { pipeline.delivery?.logReopened() }
  }

  /// Adapts the pipelines to a changed configuration, or to the start or end of a trip.
  func configurationChanged() {
    // Without an open log there are no pipelines yet.
    if log.isOpen { startPipelines() }
  }

  /// Starts the pipelines of the configured destinations. Those of unchanged destinations continue with the new settings.
  private func startPipelines() {
    let destinations = configuration.effectiveDestinations(duringTrip: tracking.isInTrip)
    let sizes = destinations.map { ($0.name, deliverySettings(of: $0).batchSize) }
    let events = destinations.map { ($0.name, $0.events) }
    post(.register(batchSizes: Dictionary(sizes) { $1 }, events: Dictionary(events) { $1 }))
    let before = pipelines
    pipelines = [:]
    for var destination in destinations where configuration.isTracking {
      destination.isLoggingModeOnTrial = outputs.isLoggingModeOnTrial(destination.name)
      destination.token = fleet.token(for: destination)
      if let pipeline = before[destination.name], pipeline.settings.isServed(as: destination),
        pipeline.profile == profile(of: destination), pipeline.privateZones == PrivateZones(configuration)
      {
        pipelines[destination.name] = pipeline
        pipeline.delivery?.change(deliverySettings(of: destination))
        continue
      }
      if let pipeline = before[destination.name] { end(pipeline) }
      start(destination)
    }
    for (name, pipeline) in before where pipelines[name] == nil { end(pipeline) }
  }

  private func start(_ destination: DestinationSettings) {
    let name = destination.name
    let pipeline = DeliveryPipeline(
      destination, profile: profile(of: destination), privateZones: PrivateZones(configuration),
      controller: self, past: history.past(of: name), notBefore: notBefore(destination),
      lastContact: history.takeLastContact(with: name),
      foreignReplies: history.outstandingBatches(of: name))
    pipelines[name] = pipeline
    let form = registry.formBefore(name, now: state(of: destination))
    if form == nil { conclude(registry.serve(name, now: state(of: destination))) }
    pipeline.start(after: form)
  }

  /// The end of the send interval before a sleep of the host, at most one interval from now.
  private func notBefore(_ destination: DestinationSettings) -> Moment? {
    guard let time = history.takePostponement(of: destination.name),
      let interval = deliverySettings(of: destination).sendInterval
    else { return nil }
    return min(time, loop.now + interval)
  }

  private func end(_ pipeline: DeliveryPipeline) {
    // A pipeline that never started keeps the state of the one before.
    if let past = pipeline.stop() { history.ended(past, of: pipeline.settings.name) }
  }

  private func stopPipelines() {
    for pipeline in pipelines.values { end(pipeline) }
    pipelines.removeAll()
  }

  /// Sends everything that is durable, to all destinations.
  func sendNow() {
    for pipeline in pipelines.values { pipeline.delivery?.sendNow() }
  }

  /// Sends to a destination what is durable.
  func sendNow(to name: String) { pipelines[name]?.delivery?.sendNow() }

  /// Tries failing destinations again: a missing network may have been the cause. While sending is off, nothing is.
  func networkReturned() {
    for pipeline in pipelines.values where pipeline.failure != nil {
      guard let delivery = pipeline.delivery, delivery.machine.sendsUnasked else { continue }
      delivery.sendNow()
    }
  }

  /// Informs the deliveries that the device began to move.
  func beganToMove() {
    for pipeline in pipelines.values { pipeline.delivery?.startedMoving() }
  }

  // MARK: Settings of a delivery

  /// The longest send interval to which the battery budget may extend the configured one.
  static let longestInterval = Duration.seconds(6 * 3600)
  /// The shortest send interval at a low battery.
  static let sparingInterval = Duration.seconds(1800)

  /// The delivery settings of a destination at the present power level.
  func deliverySettings(of destination: DestinationSettings) -> DeliveryMachine.Settings {
    var settings = DeliveryMachine.Settings(destination, supply: configuration.supply)
    // The next request has the token of the response.
    let configured = configuration.destinations.first { $0.name == destination.name }
    settings.looksAhead = !(configured.map(fleet.isEnrolling) ?? false)
    if let rules = radio?.schedule.rules, destination.form != .file { settings.timeout += rules.longestRise }
    settings.sendInterval = settings.sendInterval.map {
      max($0, min($0 * tracking.tracker.power.budget.intervalFactor, Self.longestInterval))
    }
    switch stage {
    case .normal: break
    case .low, .lastPosition:
      settings.sendInterval = settings.sendInterval.map { max($0, Self.sparingInterval) }
    case .survival:
      settings.retriesRequests = isSendingLast && settings.sendInterval != nil
      settings.sendInterval = nil
    }
    return settings
  }

  /// The profile of the destination's format, with the unique ID of this installation if `unique_id` is set.
  func profile(of destination: DestinationSettings) -> OverlandProfile {
    var profile =
      RecordForm(destination, under: configuration)?.profile(uniqueID: log.identities.uniqueID)
      ?? destination.overlandProfile
    profile.addIdentity(
      log.identities, from: registry.firstRecord(for: destination.name), deviceID: configuration.deviceID
    )
    return profile
  }

  private func state(of destination: DestinationSettings) -> DestinationState {
    DestinationState(destination, form: RecordForm(destination, under: configuration))
  }

  /// The transport to a destination, preceded by the switching of the radio if that is configured.
  func transport(for destination: DestinationSettings) -> any BatchTransport {
    transports.transport(
      for: destination, profile: profile(of: destination),
      held: registry.states[destination.name]?.held ?? [],
      radio: radio)
  }

  // MARK: Requests of the pipelines

  /// Passes a job to the log.
  func post(_ job: StoreJob) { log.post(job) }

  /// Passes a job to the log that answers with a batch of a destination.
  func requestBatch(of name: String, by job: StoreJob) {
    history.requestedBatch(of: name)
    post(job)
  }

  /// Keeps the format of these batches until they are acknowledged, also after a restart.
  func keepForm(_ ends: [RecordID], in form: RecordForm, for destination: DestinationSettings) {
    registry.keepForm(ends, in: form, for: destination.name, now: state(of: destination))
    outputs.registryChanged()
  }

  /// Counts the records that a server accepted; `taken` is nil for records that it did not need.
  func count(_ taken: TakenRecords?, by name: String) {
    history.accepted(taken, by: name, now: loop.now)
  }

  /// Adds registry and tokens to the settings that are saved.
  func store(in stored: inout StoredSettings) {
    registry.store(in: &stored)
    fleet.store(in: &stored)
  }

  /// Keeps an attempt to send for the status; `token` was sent with it.
  func count(_ exchange: Exchange, of name: String, with token: Secret?) {
    history.exchanged(exchange, with: name)
    outputs.exchanged(exchange, name)
    fleet.handle(status: exchange.status, to: token, of: name)
  }

  /// Counts a record that was set aside.
  func countSetAside(by name: String) { history.setAside(by: name) }

  /// Reports a change of a delivery as an event.
  func process(_ report: DeliveryReport, of name: String) {
    let event = TrackerEvent.occurred(EventRecord(report, of: name))
    guard case .setAside = report else { return tracking.process(event, now: loop.now) }
    // The event is durable before the cursor moves: it waits for no epochs that the receiver has buffered.
    tracking.processDirectly(event, now: loop.now)
    log.commit(now: loop.now)
  }

  /// The newest location of the tracker, for destinations that get only that.
  var newestFix: LogRecord? { tracking.tracker.current(at: loop.now) }

  /// The object `trip` of a request; nil without a trip and while the date of its start is unknown.
  func runningTrip(for profile: OverlandProfile) -> [UInt8]? {
    guard let trip = tracking.tracker.places.trips.running, let start = trip.start.time else { return nil }
    var text: [UInt8] = []
    OverlandRunningTrip(
      mode: trip.mode, start: start, distanceMillimetres: trip.distanceMillimetres,
      startLocation: trip.startLocation, currentLocation: trip.lastLocation
    ).append(to: &text, for: profile)
    return text
  }

  // MARK: Servers that take reports

  /// Handles the confirmation of a batch by a server that takes reports: it may lack earlier records.
  func handleAnswer(_ body: [UInt8], to pipeline: DeliveryPipeline) {
    let (name, answer) = (pipeline.settings.name, FleetAnswer(body))
    // A request without records is not acknowledged.
    if !pipeline.isSending { fleet.confirmReport(to: name) }
    let accepted = pipeline.accepted ?? history.totals(of: name).acknowledged
    let isPresent = pipelines[name] === pipeline
    let isNewAddress = isPresent && (answer?.have).map { registry.answered(name, have: $0) } ?? false
    // Another server learns its first record from the next request.
    // A held record is not lost: it is sent again.
    let mayRewind = isPresent && !(isNewAddress && answer?.have == 0) && pipeline.held.isEmpty
    let missing = fleet.handle(
      answer, from: name, accepted: accepted, first: registry.firstRecord(for: name), mayRewind: mayRewind)
    if isNewAddress { firstRecordChanged() }
    guard let missing else { return }
    if let pipeline = pipelines.removeValue(forKey: name) { end(pipeline) }
    post(.rewind(destination: name, to: missing))
  }

  /// The next requests tell the server its first record, which is stored.
  private func firstRecordChanged() {
    outputs.registryChanged()
    configurationChanged()
  }

  /// Continues after the queue of a destination has moved back.
  private func rewound(_ name: String, _ records: ClosedRange<RecordID>?, now: Moment) {
    history.forgetAcknowledgement(of: name)
    if let records {
      let count = records.upperBound.rawValue - records.lowerBound.rawValue + 1
      let fields: EventFields = [
        .destination: .text(name), .record: .integer(records.lowerBound.rawValue), .count: .integer(count),
      ]
      tracking.process(.occurred(EventRecord(.queueRewound, fields)), now: now)
    }
    configurationChanged()
  }

  // MARK: Replies of the log

  /// Handles a reply of the log; those about other matters are ignored.
  func handle(_ reply: StoreAnswer, now: Moment) {
    switch reply {
    case .committed(let group):
      for pipeline in pipelines.values { pipeline.delivery?.recordsDurable(count: group.queued) }
      if checkIns.isPositionTaken { checkIns.end() }
      sendLast()
    case .dated(let count):
      guard count > 0 else { return }
      for pipeline in pipelines.values { pipeline.delivery?.recordsDurable(count: count) }
    case .batch(let name, let batch):
      history.receivedBatch(of: name)
      pipelines[name]?.loaded(batch)
    case .batchBoundaryCommitted(let name, let through, _):
      pipelines[name]?.delivery?.batchBoundaryCommitted(through: through)
    case .acknowledged(let name, let through, let isLate):
      if !isLate {
        history.acknowledged(through, by: name)
        if registry.acknowledged(through, by: name) { outputs.registryChanged() }
      }
      pipelines[name]?.delivery?.acknowledged(through: through)
    case .dropped(let name, let count, let through):
      recordDroppedQueue(count, through: through, of: name, now: now)
    case .rewound(let name, let records): rewound(name, records, now: now)
    case .status(let log):
      conclude(registry.reportMoved(log))
      conclude(registry.reportRemoved(log))
      for event in backlog.take(log.destinations) { tracking.process(.occurred(event), now: now) }
    case .registered(let report):
      let newestOnly = configuration.effectiveDestinations(duringTrip: tracking.isInTrip)
        .filter(\.isNewestOnly).map(\.name)
      conclude(registry.registered(report, newestOnly: Set(newestOnly)))
      for (name, held) in report.held { pipelines[name]?.held(held) }
    case .expired(let report):
      for (name, held) in report.lastChances {
        pipelines[name]?.delivery?.held(held, isLastChance: true)
      }
    case .room: if !pipelines.isEmpty { post(.status()) }
    case .opened, .refused, .settingsKept, .newestLocation, .closed, .token, .written, .wrote,
      .commitLatency, .missing, .checked, .damaged, .failing, .recovered:
      break
    }
  }

  /// Logs and saves the result of a change of the registry.
  private func conclude(_ outcome: DestinationRegistry.Outcome) {
    for warning in outcome.warnings { journal.log(.warning, warning) }
    if outcome.needsSizes { post(.status()) }
    if outcome.isChanged { outputs.registryChanged() }
  }

  // MARK: Queues

  /// Discards the queues of these destinations and stops their pipelines; the next configuration creates new ones.
  func dropQueues(of names: [String]) {
    // Records that are not durable yet belong to the queue.
    log.commit(now: loop.now)
    for name in names {
      if let pipeline = pipelines.removeValue(forKey: name) { end(pipeline) }
      post(.drop(destination: name))
    }
  }

  /// Removes a destination that is no longer configured from the log.
  func forget(_ name: String) {
    log.commit(now: loop.now)
    registry.forget(name)
    post(.drop(destination: name, forgets: true))
  }

  /// Handles the confirmation that the queue of a destination is discarded, and reports it.
  private func recordDroppedQueue(_ count: Int, through: RecordID, of name: String, now: Moment) {
    if registry.endFirstQueue(of: name) { outputs.registryChanged() }
    if registry.endForgetting(name) {
      history.forget(name)
      outputs.registryChanged()
    }
    if registry.dropped(name, through: through) { firstRecordChanged() }
    tracking.process(.occurred(EventRecord(dropped: count, waitingFor: name)), now: now)
  }

  // MARK: Check-ins

  /// Acquires a position in any tracking mode and sends it as soon as it is durable.
  func checkIn(with names: [String], now: Moment) {
    guard configuration.isTracking else { return }
    journal.log(.notice, "remote settings \(names.joined(separator: ", ")): check-in")
    checkIns.add(names)
    tracking.process(.checkIn, now: now)
    // Without a fix the queue is sent, for the sake of the response.
    checkIns.setDeadline(now + min(.seconds(60), configuration.remote.maxSilence / 16))
  }

  /// Acquires a fresh position for `outrider send` or a server that asks, in any tracking mode, and sends it as soon as it
  /// is durable.
  ///
  /// There is none to wait for if the last one is fresh, if the battery is critical, if there is neither receiver nor Wi-Fi
  /// zone, or if an acquisition failed recently.
  func requestPosition(for names: [String], now: Moment) -> CheckIns.Request {
    guard !names.isEmpty, outputs.canMeasure() || tracking.tracker.network.isZoneJoined, stage != .survival
    else { return .declined }
    // A location of an earlier run is old.
    let last = tracking.tracker.locations.count > 0 ? tracking.tracker.locations.last?.moment : nil
    let request = checkIns.request(for: names, lastPosition: last, now: now)
    if case .acquire = request { tracking.process(.positionRequested, now: now) }
    return request
  }

  /// Acquires a position because a server requests it, in any tracking mode, and sends it as soon as it is durable.
  private func reportPosition(to name: String, now: Moment) {
    guard configuration.isTracking, stage != .survival, pipelines[name] != nil,
      outputs.canMeasure() || tracking.tracker.network.isZoneJoined
    else { return }
    if !checkIns.isPending { checkIns.setDeadline(now + CheckIns.positionTimeout) }
    checkIns.add([name])
    tracking.process(.positionRequested, now: now)
  }

  /// Notes that a location is about to be written. Returns true if a check-in waits for it, so that it is written at once.
  func locationKept() -> Bool { checkIns.takePosition() }

  /// Sends to the waiting destinations: the position that they wait for is durable, or there is none.
  func sendCheckIn() { checkIns.end() }

  /// True if a delivery or a check-in waits for the next commit.
  func isWaitingForRecords(now: Moment) -> Bool {
    checkIns.isPositionTaken || pipelines.values.contains { $0.isWaitingForRecords(now: now) }
  }

  // MARK: The power level

  /// The time for the last upload at a critical battery, including its last position.
  static let lastUpload = Duration.seconds(300)

  /// Follows the power level. At a critical battery everything is sent once more, then nothing.
  func follow(_ stage: PowerStage, now: Moment) {
    self.stage = stage
    fleet.requestReports(to: pipelines.keys)
    lastUploadTimer?.arm(at: nil)
    guard stage == .survival else { return configurationChanged() }
    log.commit(now: now)
    let timer = lastUploadTimer ?? loop.addTimer("last sending") { [unowned self] _ in endSending() }
    lastUploadTimer = timer
    timer.arm(at: now + Self.lastUpload, slack: .seconds(30))
    configurationChanged()
    sendLast()
  }

  /// True during the last upload at a critical battery.
  var isSendingLast: Bool {
    guard case .survival = stage else { return false }
    return lastUploadTimer?.isArmed ?? false
  }

  /// Sends all durable records during the last upload at a critical battery, except where sending is off.
  private func sendLast() {
    guard isSendingLast else { return }
    for pipeline in pipelines.values {
      guard let delivery = pipeline.delivery, delivery.machine.sendsUnasked else { continue }
      delivery.sendNow()
    }
  }

  /// Ends the last upload: new pipelines have no connection and stay idle.
  private func endSending() {
    stopPipelines()
    configurationChanged()
  }

  // MARK: The radio

  /// Starts the control of the radio, by the configured switch and rules unless others are given. Without a switch, or if switching fails, the
  /// network is used as it is.
  func startRadio(by given: NetworkSwitch? = nil, rules: RadioSchedule.Rules? = nil) {
    guard radio == nil else { return }
    do throws(SystemError) {
      var network = given
      if given == nil { network = try NetworkSwitch(configuration.network, loop: loop) }
      guard let network else { return }
      let radio = NetworkRadio(
        network, rules: rules ?? RadioSchedule.Rules(configuration.network), loop: loop)
      radio.onFault = { [unowned self] fault in
        let event = EventRecord(network: fault, failures: self.radio?.schedule.failures)
        tracking.process(.occurred(event), now: loop.now)
      }
      radio.onUp = { [unowned self] in
        sendDueDeliveries()
        outputs.networkUp()
      }
      self.radio = radio
    } catch {
      journal.log(
        .warning, "network.line: \(error); the network is not switched; check the line and the group gpio")
    }
  }

  /// Starts all deliveries that are due soon, so that they share the radio session.
  private func sendDueDeliveries() {
    let now = loop.now
    for pipeline in pipelines.values where pipeline.isDueSoon(now: now) { pipeline.delivery?.sendNow() }
  }

  // MARK: The state

  /// True while something is being sent or tested: a batch, a check-in, or the last upload at a critical battery.
  var isBusy: Bool {
    isSendingLast || checkIns.isPending || probes.isBusy || fleet.questions.isBusy
      || pipelines.values.contains { $0.isBusy }
  }

  /// True while a request to a server is in progress.
  private var isSending: Bool {
    pipelines.values.contains { $0.isSending && $0.settings.form != .file }
  }

  /// The use of the radio, by which it draws current. A session is charged from its start: a radio that searches for its
  /// network draws as much as one that sends.
  var radioUse: RadioUse {
    guard let schedule = radio?.schedule else { return isSending ? .sending : .idle }
    let isTransmitting = isSending || schedule.isOn && !schedule.isUp
    return isTransmitting ? .sending : schedule.isOn ? .idle : .off
  }

  /// True while the radio prevents the sleep of the host. A halt switches it off; in suspend it would stay on.
  var isRadioInUse: Bool {
    guard let schedule = radio?.schedule, schedule.isOn else { return false }
    return configuration.host.sleep == .suspend || !schedule.isUp
  }

  /// The shortest send interval of a destination; the longest one without any.
  var shortestInterval: Duration {
    pipelines.values.compactMap { deliverySettings(of: $0.settings).sendInterval }.min()
      ?? Self.longestInterval
  }

  /// The next deadline of a delivery; nil if there is none.
  var nextTimeout: Moment? { pipelines.values.compactMap { $0.delivery?.machine.nextTimeout }.min() }

  /// The names of the destinations whose last attempt failed, sorted.
  var failing: [String] {
    pipelines.values.filter { $0.failure != nil }.map(\.settings.name).sorted()
  }

  /// True if a destination is a server, and no directory.
  func isServer(_ name: String) -> Bool {
    pipelines[name].map { $0.settings.form != .file } ?? false
  }

  /// The deliveries to a destination since the start of the logger.
  func totals(of name: String) -> DeliveryHistory.Totals { history.totals(of: name) }

  /// A destination in the status.
  func report(_ name: String, now: Moment) -> StatusReport.Destination {
    var destination = StatusReport.Destination(
      name, pipelines[name], totals(of: name), last: history.exchanges(with: name).first, now: now)
    let settings = configuration.destinations.first { $0.name == name }
    destination.kind = settings?.form.rawValue
    destination.server = settings.flatMap { probes.server(of: $0) }
    destination.new_through_id = registry.firstQueues[name].map { Int(clamping: $0) }
    destination.queued = log.queued(for: name, now: now)
    return destination
  }

  /// Adds the figures of the configured destinations.
  func count(in counters: inout LoggerCounters, time: (Moment) -> Timestamp?) {
    history.count(in: &counters, of: configuration.destinations.map(\.name), time: time)
  }

  /// The last exchanges with one destination, or with all, newest first.
  func sends(with name: String?, time: (Moment) -> Timestamp?) -> SendsReport {
    history.sends(with: name.map { [$0] } ?? configuration.destinations.map(\.name), time: time)
  }

  /// The radio in the status; nil if it is not switched.
  var networkReport: StatusReport.Network? {
    guard let schedule = radio?.schedule else { return nil }
    return StatusReport.Network(
      state: schedule.isUp ? "up" : schedule.isOn ? "switching" : "down",
      sessions: Int(clamping: schedule.sessions), failures: Int(clamping: schedule.failures))
  }
}
