import Formats
import Quantities
import Records
import Settings
import Store
import Tracking
import Uplink

/// What has gone to a destination since the start, however often its lane began anew.
struct DeliveryTally: Equatable {
  /// Records that its server has taken.
  var delivered: Int64 = 0
  /// The newest that it has confirmed; nil before the first.
  var acknowledged: RecordID?
  /// When its server last took records; nil before the first.
  var lastSuccess: Moment?
}

/// How it stood with a destination's server when its lane ended, for the next lane to that server.
struct DeliveryPast {
  var url: Endpoint
  var trouble: String?
  var machine: DeliveryMachine.Past
}

/// One destination: its delivery, and what the log must be asked for it.
final class DestinationLane: DeliveryLog {
  let settings: DestinationSettings
  let profile: OverlandProfile
  /// Places of which nothing is told, as they were when it began.
  let privateZones: PrivateZones
  /// Why its server takes nothing, as the last attempt has it; nil while it does.
  var trouble: String? { firstTrouble.map { lane?.machine.lastRefusal?.reason ?? $0 } }

  /// Why that began.
  private var firstTrouble: String?
  private unowned let logger: Logger
  private var lane: Delivery?
  private let past: DeliveryMachine.Past?
  /// Batches handed out and not yet acknowledged on disk, by their ends; true for those of the late queue.
  private var underWay: [RecordID: Bool] = [:]
  /// What the machine asked for last; the log answers without naming it.
  private var askedSize = 0
  private var storedBatchSize: Int?
  /// Batches that a lane before this one asked for under the same name: their answers are not for this one.
  private var foreignAnswers: Int
  /// While it is looked for what may have been sent in another form: that form, and what was found.
  private var search: (form: RecordForm, sent: SentBatches)?

  init(_ settings: DestinationSettings, logger: Logger) {
    self.settings = settings
    profile = logger.profile(of: settings)
    privateZones = PrivateZones(logger.configuration)
    self.logger = logger
    foreignAnswers = logger.storeState.batchesAsked[settings.name] ?? 0
    let past = logger.pasts[settings.name].flatMap { $0.url == settings.url ? $0 : nil }
    (self.past, firstTrouble) = (past?.machine, past?.trouble)
  }

  /// Begins with what waits; what may have been sent in another form is looked for before.
  func start() {
    guard let form = logger.formBefore(settings) else {
      logger.noteServed(settings)
      return begin()
    }
    search = (form, SentBatches())
    load(after: nil, size: logger.deliverySettings(of: settings).batchSize)
  }

  private func begin() {
    let lane = Delivery(
      name: settings.name,
      transport: logger.transport(for: settings),
      settings: logger.deliverySettings(of: settings), loop: logger.loop,
      log: self,
      seed: UInt64.random(in: .min ... .max), past: past)
    self.lane = lane
    lane.start()
  }

  var delivery: Delivery? { lane }

  /// Ends a running request; nothing is called afterwards.
  func stop() {
    // One that never began leaves what it was left.
    if let machine = lane?.machine.past {
      logger.pasts[settings.name] = DeliveryPast(url: settings.url, trouble: trouble, machine: machine)
    }
    lane?.end()
    (lane, search) = (nil, nil)
  }

  func loaded(_ batch: Store.LogBatch?) {
    guard foreignAnswers == 0 else {
      foreignAnswers -= 1
      return
    }
    if var search = self.search {
      let next = search.sent.take(batch)
      self.search = next == nil ? nil : search
      if let next { return load(after: next, size: batch?.records.count ?? 1) }
      logger.hold(search.sent.ends, in: search.form, for: settings)
      return begin()
    }
    if let batch { underWay[batch.through] = batch.isLate }
    lane?.loaded(
      batch.map {
        Uplink.LogBatch(
          records: $0.records, through: $0.through, hasMore: $0.hasMore,
          isBorderCommitted: !$0.isFull && !$0.needsBorder, needsBorder: $0.needsBorder)
      }, size: askedSize)
  }

  func acknowledged(_ through: RecordID, isLate: Bool) {
    // And shorter ones that were loaded and not sent.
    underWay = underWay.filter { $0.key > through || $0.value != isLate }
    lane?.acknowledged(through: through)
  }

  // MARK: What the delivery asks of the log

  func loadBatch(for delivery: Delivery, after: RecordID?, size: Int) {
    askedSize = size
    // Whatever was accepted has been acknowledged before this job; only a batch in flight must be stepped over.
    let inFlight = after.flatMap { through in
      underWay[through].map { BatchPosition(through: through, isLate: $0) }
    }
    load(after: inFlight, size: size)
  }

  private func load(after: BatchPosition?, size: Int) {
    logger.storeState.batchesAsked[settings.name, default: 0] += 1
    logger.post(.batch(destination: settings.name, after: after, size: size))
  }

  func commitBorder(for delivery: Delivery, through: RecordID) {
    logger.post(
      .commitBorder(
        destination: settings.name, through: through, late: underWay[through] ?? false))
  }

  func acknowledge(for delivery: Delivery, through: RecordID, taken: TakenRecords?) {
    logger.tallies[settings.name, default: DeliveryTally()].delivered += Int64(taken?.count ?? 0)
    if taken != nil { logger.tallies[settings.name]?.lastSuccess = logger.loop.now }
    let size = delivery.machine.batchSize
    logger.post(
      .acknowledge(
        destination: settings.name, through: through, late: underWay[through] ?? false,
        newBatchSize: size == storedBatchSize ? nil : size))
    storedBatchSize = size
    if let taken { logger.noteTaken(taken, by: settings.name) }
  }

  func shorten(for delivery: Delivery, from: RecordID, through: RecordID, records: Int) {
    underWay[through] = underWay[from] ?? false
  }

  func delivery(_ delivery: Delivery, wasAnswered body: [UInt8]) {
    logger.takeAnswer(body, from: settings.name)
  }

  func runningTrip(for delivery: Delivery) -> [UInt8]? { logger.runningTrip(for: profile) }

  func disclosed(_ record: LogRecord, for delivery: Delivery) -> LogRecord? {
    let record = privateZones.disclosed(record)
    // In the form of Overland the name is part of what a batch keeps.
    guard let name = settings.deviceID, settings.form != .overland else { return record }
    return record?.called(name)
  }

  func newestFix(for delivery: Delivery) -> LogRecord? { logger.tracker.current(at: logger.loop.now) }

  func delivery(_ delivery: Delivery, reports report: DeliveryReport) {
    switch report {
    case .failing(let refusal): firstTrouble = refusal.reason
    case .recovered: firstTrouble = nil
    case .setAside, .odd: break
    }
    logger.tell(.occurred(EventRecord(report, of: settings.name)), now: logger.loop.now)
    // The word on a record that is given up is on disk before the record counts as done.
    if case .setAside = report { logger.commit(now: logger.loop.now) }
  }

  /// A batch is on its way, or its answer.
  var isSending: Bool {
    if case .posting? = lane?.machine.phase { true } else { false }
  }

  /// True when a durable record would be sent at once.
  func isWaitingForRecords(now: Moment) -> Bool {
    guard case .resting(let until)? = lane?.machine.phase, let until else { return false }
    return until <= now
  }
}

extension Logger {
  /// Whether somebody wants to be woken as soon as the next group is durable.
  func isAnyoneWaitingForRecords(now: Moment) -> Bool {
    checkIn.isTaken || deliveries.values.contains { $0.isWaitingForRecords(now: now) }
  }

  /// Lanes for what the configuration names; those that are as before only learn the new sizes and go on.
  func startDeliveries() {
    let destinations = configuration.effectiveDestinations(duringTrip: tripRuns)
    let sizes = destinations.map { ($0.name, deliverySettings(of: $0).batchSize) }
    post(.register(batchSizes: Dictionary(sizes) { $1 }))
    let before = deliveries
    deliveries = [:]
    for var destination in destinations where configuration.isTracking {
      destination.isLoggingModeOnTrial = book.server.isLoggingModeOnTrial(for: destination.name)
      if let lane = before[destination.name], lane.settings.isServed(as: destination),
        lane.profile == profile(of: destination), lane.privateZones == PrivateZones(configuration)
      {
        deliveries[destination.name] = lane
        lane.delivery?.change(deliverySettings(of: destination))
        continue
      }
      before[destination.name]?.stop()
      let lane = DestinationLane(destination, logger: self)
      deliveries[destination.name] = lane
      lane.start()
    }
    for (name, lane) in before where deliveries[name] == nil { lane.stop() }
  }

  /// What waits for these destinations is not sent any more. Their lanes end; the next configuration makes new ones.
  func dropQueues(of names: [String]) {
    // What is not durable yet waits as well.
    commit(now: loop.now)
    for name in names {
      deliveries.removeValue(forKey: name)?.stop()
      post(.drop(destination: name))
    }
  }

  /// The log knows a destination no more that is not configured any more.
  func forgetDestination(_ name: String) {
    commit(now: loop.now)
    book.departing.remove(name)
    book.forgotten.insert(name)
    post(.drop(destination: name, forgets: true))
  }

  /// It is on disk that the destination has everything of the queue through an id.
  func noteAcknowledged(_ through: RecordID, for destination: String, isLate: Bool) {
    if !isLate {
      tallies[destination, default: DeliveryTally()].acknowledged = through
      if let last = book.newcomers[destination], through.rawValue >= last { noteCaughtUp(destination) }
    }
    deliveries[destination]?.acknowledged(through, isLate: isLate)
  }

  func noteDropped(_ count: Int, for destination: String) {
    noteCaughtUp(destination)
    if book.forgotten.remove(destination) != nil {
      book.departed.remove(destination)
      book.standings[destination] = nil
      tallies[destination] = nil
      keepSettings(now: loop.now, atOnce: true)
    }
    tell(.occurred(EventRecord(dropped: count, waitingFor: destination)), now: loop.now)
  }

  func stopDeliveries() {
    for lane in deliveries.values { lane.stop() }
    deliveries.removeAll()
  }

  /// Follows a changed configuration.
  func changeDeliveries() {
    // Without an open log there are no lanes yet.
    if storeState.isOpen { startDeliveries() }
  }
}
