import Quantities
import Records
import Settings
import Store
import Tracking
import Uplink

/// One destination: its delivery, and what the log must be asked for it.
final class DestinationLane: DeliveryLog {
  let settings: DestinationSettings
  private(set) var delivered: Int64 = 0
  private(set) var acknowledged: RecordID?
  private(set) var trouble: String?

  private unowned let logger: Logger
  private var lane: Delivery?
  /// Batches handed out and not yet acknowledged on disk: how many records, and from which queue.
  private var underWay: [RecordID: (count: Int, isLate: Bool)] = [:]
  /// What the machine asked for last; the log answers without naming it.
  private var askedSize = 0
  /// Batches asked for and not answered yet.
  private(set) var unanswered = 0
  private var storedBatchSize: Int?

  init(_ settings: DestinationSettings, batchSize: Int, sendInterval: Duration?, logger: Logger) {
    self.settings = settings
    self.logger = logger
    lane = Delivery(
      name: settings.name, endpoint: Delivery.Endpoint(settings),
      settings: DeliveryMachine.Settings(settings, batchSize: batchSize, sendInterval: sendInterval),
      loop: logger.loop, client: logger.client, log: self, version: Release.version,
      seed: UInt64.random(in: .min ... .max))
  }

  var delivery: Delivery? { lane }

  /// Ends a running request; nothing is called afterwards.
  func stop() { lane = nil }

  func loaded(_ batch: Store.LogBatch?) {
    unanswered -= 1
    if let batch { underWay[batch.through] = (batch.records.count, batch.isLate) }
    lane?.loaded(
      batch.map {
        Uplink.LogBatch(
          records: $0.records, through: $0.through, hasMore: $0.hasMore, isBorderCommitted: !$0.needsBorder)
      }, size: askedSize)
  }

  func acknowledged(_ through: RecordID) {
    if let batch = underWay.removeValue(forKey: through) {
      delivered += Int64(batch.count)
      if !batch.isLate { acknowledged = through }
    }
    lane?.acknowledged(through: through)
  }

  // MARK: What the delivery asks of the log

  func loadBatch(for delivery: Delivery, after: RecordID?, size: Int) {
    askedSize = size
    unanswered += 1
    // Whatever was accepted has been acknowledged before this job; only a batch in flight must be stepped over.
    let inFlight = after.flatMap { through in
      underWay[through].map { BatchPosition(through: through, isLate: $0.isLate) }
    }
    post(.batch(destination: settings.name, after: inFlight, size: size))
  }

  func commitBorder(for delivery: Delivery, through: RecordID) {
    post(
      .commitBorder(
        destination: settings.name, through: through, late: underWay[through]?.isLate ?? false))
  }

  func acknowledge(for delivery: Delivery, through: RecordID) {
    let size = delivery.machine.settings.batchSize
    post(
      .acknowledge(
        destination: settings.name, through: through, late: underWay[through]?.isLate ?? false,
        newBatchSize: size == storedBatchSize ? nil : size))
    storedBatchSize = size
  }

  func newestFix(for delivery: Delivery) -> LogRecord? { logger.tracker.lastLocation }

  func delivery(_ delivery: Delivery, reports report: DeliveryReport) {
    let kind: EventKind
    switch report {
    case .failing(let refusal):
      trouble = refusal.reason
      kind = .deliveryFailing
    case .recovered:
      trouble = nil
      kind = .deliveryRecovered
    }
    let event = EventRecord(kind, detail: report.message(destination: settings.name))
    logger.tell(.occurred(event), now: logger.loop.now)
  }

  /// True when a durable record would be sent at once.
  func isWaitingForRecords(now: Moment) -> Bool {
    guard case .resting(let until)? = lane?.machine.phase, let until else { return false }
    return until <= now
  }

  private func post(_ job: StoreJob) { logger.postInOrder(job) }
}

extension Logger {
  /// Whether somebody wants to be woken as soon as the next group is durable.
  func isAnyoneWaitingForRecords(now: Moment) -> Bool {
    deliveries.values.contains { $0.isWaitingForRecords(now: now) }
  }

  func startDeliveries() {
    postInOrder(
      .register(
        destinations: configuration.destinations.map(\.name), batchSize: configuration.main.batchSize))
    for destination in configuration.destinations {
      let lane = DestinationLane(
        destination, batchSize: configuration.main.batchSize, sendInterval: configuration.sendInterval,
        logger: self)
      deliveries[destination.name] = lane
      lane.delivery?.start()
    }
  }

  func stopDeliveries() {
    for (name, lane) in deliveries {
      lane.stop()
      storeState.staleBatches[name, default: 0] += lane.unanswered
    }
    deliveries.removeAll()
  }

  /// Hands a batch to the lane that asked for it; one that has been stopped since gets nothing, nor does its
  /// successor, which would send the batch twice.
  func deliver(_ batch: Store.LogBatch?, to destination: String) {
    if let stale = storeState.staleBatches[destination], stale > 0 {
      storeState.staleBatches[destination] = stale - 1
    } else {
      deliveries[destination]?.loaded(batch)
    }
  }

  /// Follows a changed configuration: lanes that are as before only learn the new sizes.
  func changeDeliveries() {
    guard storeState.isOpen else { return }
    guard configuration.destinations == deliveries.values.map(\.settings).sorted(like: configuration) else {
      stopDeliveries()
      startDeliveries()
      return
    }
    for lane in deliveries.values {
      lane.delivery?.change(
        DeliveryMachine.Settings(
          lane.settings, batchSize: configuration.main.batchSize, sendInterval: configuration.sendInterval))
    }
  }

  /// Posts a job that concerns cursors. When the store's queue is full it is offered again in the loop's next turns,
  /// and so is every one after it: an acknowledgement has to come before the next batch is asked for.
  func postInOrder(_ job: StoreJob) {
    if !storeState.refusedJobs.isEmpty || !store.post(job) { storeState.refusedJobs.append(job) }
  }

  func offerRefusedJobs() {
    while let job = storeState.refusedJobs.first, store.post(job) { storeState.refusedJobs.removeFirst() }
  }
}

extension [DestinationSettings] {
  /// In the order in which the configuration names them.
  fileprivate func sorted(like configuration: Configuration) -> [DestinationSettings] {
    let order = configuration.destinations.map(\.name)
    return sorted { (order.firstIndex(of: $0.name) ?? .max) < (order.firstIndex(of: $1.name) ?? .max) }
  }
}
