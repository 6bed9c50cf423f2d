import LoggerConfiguration
import Formats
import Quantities
import Records
import Settings
import Store
import Tracking
import Uplink

/// The deliveries to a destination since the start of the logger, over all of its pipelines.
struct DeliveryTotals: Equatable {
  /// Number of records that the server accepted.
  var delivered: Int64 = 0
  /// The newest acknowledged record; nil before the first.
  var acknowledged: RecordID?
  /// The time of the last accepted request; nil before the first.
  var lastSuccess: Moment?
}

/// The state of a delivery when its pipeline ended, for the next pipeline to the same server.
struct EndedDelivery {
  var url: Endpoint
  var trouble: String?
  var machine: DeliveryMachine.Past
}

/// The delivery pipeline of one destination: its delivery and the requests to the log on its behalf.
///
/// Owned by the logger. A changed destination gets a new one.
final class DeliveryPipeline: DeliveryLog {
  let settings: DestinationSettings
  let profile: OverlandProfile
  /// The privacy zones at the start of the pipeline.
  let privateZones: PrivateZones
  /// The reason why the last attempt failed; nil while the server accepts records.
  var trouble: String? { firstFailure.map { pipeline?.machine.lastRefusal?.reason ?? $0 } }

  /// The reason of the first failure of the series.
  private var firstFailure: String?
  private unowned let logger: Logger
  private var pipeline: Delivery?
  private let past: DeliveryMachine.Past?
  /// The batches that were loaded and are not acknowledged in the log, by their last record. The value is true for the
  /// late queue.
  private var inProgress: [RecordID: Bool] = [:]
  /// The size of the last requested batch; the reply of the log does not contain it.
  private var requestedSize = 0
  private var storedBatchSize: Int?
  /// The number of outstanding batches that an earlier pipeline of this name requested. Their replies are ignored.
  private var foreignReplies: Int
  /// The search for batches that may have been sent in another form: that form and the batches found so far.
  private var search: (form: RecordForm, sent: SentBatches)?

  init(_ settings: DestinationSettings, logger: Logger) {
    self.settings = settings
    profile = logger.profile(of: settings)
    privateZones = PrivateZones(logger.configuration)
    self.logger = logger
    foreignReplies = logger.storeState.batchesRequested[settings.name] ?? 0
    let past = logger.endedDeliveries[settings.name].flatMap { $0.url == settings.url ? $0 : nil }
    (self.past, firstFailure) = (past?.machine, past?.trouble)
  }

  /// Starts the delivery, after a search for batches that may have been sent in another form.
  func start() {
    guard let form = logger.formBefore(settings) else {
      logger.recordServed(settings)
      return begin()
    }
    search = (form, SentBatches())
    load(after: nil, size: logger.deliverySettings(of: settings).batchSize)
  }

  private func begin() {
    let pipeline = Delivery(
      name: settings.name,
      transport: logger.transport(for: settings),
      settings: logger.deliverySettings(of: settings), loop: logger.loop,
      log: self,
      seed: logger.deliverySeed(), past: past)
    self.pipeline = pipeline
    pipeline.start()
  }

  /// The delivery; nil before it starts and after it stops.
  var delivery: Delivery? { pipeline }

  /// Cancels a running request. Nothing is called afterwards.
  func stop() {
    // A pipeline that never started keeps the state of the one before.
    if let machine = pipeline?.machine.past {
      logger.endedDeliveries[settings.name] = EndedDelivery(
        url: settings.url, trouble: trouble, machine: machine)
    }
    pipeline?.end()
    (pipeline, search) = (nil, nil)
  }

  /// Handles a batch from the log; nil if the queue is empty.
  func loaded(_ batch: Store.LogBatch?) {
    guard foreignReplies == 0 else {
      foreignReplies -= 1
      return
    }
    if var search = self.search {
      let next = search.sent.take(batch)
      self.search = next == nil ? nil : search
      if let next { return load(after: next, size: batch?.records.count ?? 1) }
      logger.keepForm(search.sent.ends, in: search.form, for: settings)
      return begin()
    }
    if let batch { inProgress[batch.through] = batch.isLate }
    pipeline?.loaded(
      batch.map {
        Uplink.LogBatch(
          records: $0.records, through: $0.through, hasMore: $0.hasMore,
          isBatchBoundaryCommitted: !$0.isFull && !$0.needsBatchBoundary,
          needsBatchBoundary: $0.needsBatchBoundary)
      }, size: requestedSize)
  }

  /// Handles the confirmation that the log has stored the acknowledgement of a batch.
  func acknowledged(_ through: RecordID, isLate: Bool) {
    // Shorter batches that were loaded and not sent are removed, too.
    inProgress = inProgress.filter { $0.key > through || $0.value != isLate }
    pipeline?.acknowledged(through: through)
  }

  // MARK: Requests of the delivery

  func loadBatch(for delivery: Delivery, after: RecordID?, size: Int) {
    requestedSize = size
    // Accepted batches have been acknowledged before this job; only a batch in flight must be skipped.
    let inFlight = after.flatMap { through in
      inProgress[through].map { BatchPosition(through: through, isLate: $0) }
    }
    load(after: inFlight, size: size)
  }

  private func load(after: BatchPosition?, size: Int) {
    logger.storeState.batchesRequested[settings.name, default: 0] += 1
    logger.post(.batch(destination: settings.name, after: after, size: size))
  }

  func commitBatchBoundary(for delivery: Delivery, through: RecordID) {
    logger.post(
      .commitBatchBoundary(
        destination: settings.name, through: through, late: inProgress[through] ?? false))
  }

  func acknowledge(for delivery: Delivery, through: RecordID, taken: TakenRecords?) {
    logger.deliveryTotals[settings.name, default: DeliveryTotals()].delivered += Int64(taken?.count ?? 0)
    if taken != nil { logger.deliveryTotals[settings.name]?.lastSuccess = logger.loop.now }
    let size = delivery.machine.batchSize
    logger.post(
      .acknowledge(
        destination: settings.name, through: through, late: inProgress[through] ?? false,
        newBatchSize: size == storedBatchSize ? nil : size))
    storedBatchSize = size
    if let taken { logger.handleAcceptedRecords(taken, by: settings.name) }
  }

  func shorten(for delivery: Delivery, from: RecordID, through: RecordID, records: Int) {
    inProgress[through] = inProgress[from] ?? false
  }

  func delivery(_ delivery: Delivery, wasAnswered body: [UInt8]) {
    logger.handleResponse(body, from: settings.name)
  }

  func runningTrip(for delivery: Delivery) -> [UInt8]? { logger.runningTrip(for: profile) }

  func disclosed(_ record: LogRecord, for delivery: Delivery) -> LogRecord? {
    let record = privateZones.disclosed(record)
    // In the Overland format the device ID is a part of the record form.
    guard let name = settings.deviceID, settings.form != .overland else { return record }
    return record?.withDeviceID(name)
  }

  func newestFix(for delivery: Delivery) -> LogRecord? { logger.tracker.current(at: logger.loop.now) }

  func delivery(_ delivery: Delivery, reports report: DeliveryReport) {
    switch report {
    case .failing(let refusal): firstFailure = refusal.reason
    case .recovered: firstFailure = nil
    case .setAside, .unconfirmed: break
    }
    logger.process(.occurred(EventRecord(report, of: settings.name)), now: logger.loop.now)
    // The event of a record that is set aside is durable before the cursor moves.
    if case .setAside = report { logger.commit(now: logger.loop.now) }
  }

  /// True while a request is in progress.
  var isSending: Bool {
    if case .posting? = pipeline?.machine.phase { true } else { false }
  }

  /// True if a durable record would be sent immediately.
  func isWaitingForRecords(now: Moment) -> Bool {
    guard case .idle(let until)? = pipeline?.machine.phase, let until else { return false }
    return until <= now
  }
}

extension Logger {
  /// True if a delivery or a check-in waits for the next commit.
  func isAnyoneWaitingForRecords(now: Moment) -> Bool {
    checkIn.isTaken || deliveries.values.contains { $0.isWaitingForRecords(now: now) }
  }

  /// Starts the pipelines of the configured destinations. Those of unchanged destinations continue with the new settings.
  func startDeliveries() {
    let destinations = configuration.effectiveDestinations(duringTrip: tripRuns)
    let sizes = destinations.map { ($0.name, deliverySettings(of: $0).batchSize) }
    post(.register(batchSizes: Dictionary(sizes) { $1 }))
    let before = deliveries
    deliveries = [:]
    for var destination in destinations where configuration.isTracking {
      destination.isLoggingModeOnTrial = settingsState.server.isLoggingModeOnTrial(for: destination.name)
      if let pipeline = before[destination.name], pipeline.settings.isServed(as: destination),
        pipeline.profile == profile(of: destination), pipeline.privateZones == PrivateZones(configuration)
      {
        deliveries[destination.name] = pipeline
        pipeline.delivery?.change(deliverySettings(of: destination))
        continue
      }
      before[destination.name]?.stop()
      let pipeline = DeliveryPipeline(destination, logger: self)
      deliveries[destination.name] = pipeline
      pipeline.start()
    }
    for (name, pipeline) in before where deliveries[name] == nil { pipeline.stop() }
  }

  /// Discards the queues of these destinations and stops their pipelines; the next configuration creates new ones.
  func dropQueues(of names: [String]) {
    // Records that are not durable yet belong to the queue.
    commit(now: loop.now)
    for name in names {
      deliveries.removeValue(forKey: name)?.stop()
      post(.drop(destination: name))
    }
  }

  /// Removes a destination that is no longer configured from the log.
  func forgetDestination(_ name: String) {
    commit(now: loop.now)
    settingsState.departing.remove(name)
    settingsState.forgotten.insert(name)
    post(.drop(destination: name, forgets: true))
  }

  /// Handles the confirmation that the log has stored the cursor of a destination.
  func recordAcknowledgement(_ through: RecordID, for destination: String, isLate: Bool) {
    if !isLate {
      deliveryTotals[destination, default: DeliveryTotals()].acknowledged = through
      if let last = settingsState.newcomers[destination], through.rawValue >= last {
        removeNewDestination(destination)
      }
    }
    deliveries[destination]?.acknowledged(through, isLate: isLate)
  }

  /// Handles the confirmation that the queue of a destination is discarded, and reports it.
  func recordDroppedQueue(_ count: Int, for destination: String) {
    removeNewDestination(destination)
    if settingsState.forgotten.remove(destination) != nil {
      settingsState.departed.remove(destination)
      settingsState.destinationStates[destination] = nil
      deliveryTotals[destination] = nil
      keepSettings(now: loop.now, atOnce: true)
    }
    process(.occurred(EventRecord(dropped: count, waitingFor: destination)), now: loop.now)
  }

  /// Stops all pipelines.
  func stopDeliveries() {
    for pipeline in deliveries.values { pipeline.stop() }
    deliveries.removeAll()
  }

  /// Adapts the pipelines to a changed configuration.
  func changeDeliveries() {
    // Without an open log there are no pipelines yet.
    if storeState.isOpen { startDeliveries() }
  }
}
