import EventLoop
import Formats
import LoggerConfiguration
import Quantities
import Records
import Settings
import Store
import Tracking
import Uplink

/// The delivery pipeline of one destination: its delivery and the requests to the log on its behalf.
///
/// Owned by ``DeliveryController``. A changed destination gets a new one.
final class DeliveryPipeline: DeliveryLog {
  /// The state of a delivery when its pipeline ended, for the next pipeline to the same server.
  struct Past {
    var url: Endpoint
    var failure: String?
    var machine: DeliveryMachine.Past
  }

  let settings: DestinationSettings
  let profile: OverlandProfile
  /// The privacy zones at the start of the pipeline.
  let privateZones: PrivateZones
  /// The delivery; nil before it starts and after it stops.
  private(set) var delivery: Delivery?

  /// The failure of the pipeline before, until the delivery starts.
  private let pastFailure: String?
  private unowned let controller: DeliveryController
  private let past: DeliveryMachine.Past?
  /// The end of the send interval before a sleep of the host; nil for none.
  private let notBefore: Moment?
  /// The last contact before a sleep of the host; nil for none.
  private let lastContact: Moment?
  private var storedBatchSize: Int?
  /// The end of the last accepted batch, late ones excepted; nil before the first.
  private(set) var accepted: RecordID?
  /// The number of outstanding batches that an earlier pipeline of this name requested. Their replies are ignored.
  private var foreignReplies: Int
  /// The records that the server may reject and that are sent again.
  private(set) var held: [RecordID: HeldRecord] = [:]
  /// The search for batches that may have been sent in another form: that form and the batches found so far.
  private var search: (form: RecordForm, sent: SentBatches)?

  /// Creates a pipeline. `past` is the state of the one before, `foreignReplies` the number of batches that it requested and
  /// did not get.
  init(
    _ settings: DestinationSettings, profile: OverlandProfile, privateZones: PrivateZones,
    controller: DeliveryController, past: Past?, notBefore: Moment? = nil, lastContact: Moment? = nil,
    foreignReplies: Int
  ) {
    (self.notBefore, self.lastContact) = (notBefore, lastContact)
    self.settings = settings
    self.profile = profile
    self.privateZones = privateZones
    self.controller = controller
    self.foreignReplies = foreignReplies
    let past = past.flatMap { $0.url == settings.url ? $0 : nil }
    (self.past, pastFailure) = (past?.machine, past?.failure)
  }

  /// The reason why the last attempt failed; nil while the server accepts records.
  var failure: String? {
    guard let delivery else { return pastFailure }
    return delivery.machine.lastRefusal?.reason
  }

  /// Starts the delivery, after a search for batches that may have been sent in the form `before`.
  func start(after before: RecordForm?) {
    guard let before else { return begin() }
    search = (before, SentBatches())
    loadSent(BatchRequest(size: controller.deliverySettings(of: settings).batchSize), in: before)
  }

  /// Loads a batch that may have been sent in another form.
  private func loadSent(_ request: BatchRequest, in form: RecordForm) {
    var request = request
    request.events = form.profile(uniqueID: nil).isComplete ? .all : .none
    load(request)
  }

  /// Texts that no message repeats. The response to an enrolment has a token.
  private var hidden: [String] { settings.secrets + (settings.enrols ? ["\"token\""] : []) }

  private func begin() {
    let delivery = Delivery(
      name: settings.name, transport: controller.transport(for: settings),
      settings: controller.deliverySettings(of: settings), loop: controller.loop, log: self,
      seed: controller.seed(), past: past, notBefore: notBefore, lastContact: lastContact)
    self.delivery = delivery
    // The pipeline may have ended because of the response.
    delivery.onExchange = { [weak controller, settings, secrets = hidden] exchange in
      controller?.count(exchange.hiding(secrets), of: settings.name, with: settings.token)
    }
    delivery.held(held.values.sorted { $0.id < $1.id })
    delivery.start()
  }

  /// Cancels a running request. Nothing is called afterwards. Returns the state for the next pipeline; nil if this one
  /// never started.
  func stop() -> Past? {
    let past = delivery.map { Past(url: settings.url, failure: failure, machine: $0.machine.past) }
    delivery?.end()
    (delivery, search) = (nil, nil)
    return past
  }

  // MARK: Replies of the log

  /// Handles a batch from the log; nil if the queue is empty.
  func loaded(_ batch: Batch?) {
    guard foreignReplies == 0 else {
      foreignReplies -= 1
      return
    }
    if var search = self.search {
      let next = search.sent.take(batch)
      self.search = next == nil ? nil : search
      if let next {
        return loadSent(BatchRequest(after: next, size: batch?.records.count ?? 1), in: search.form)
      }
      controller.keepForm(search.sent.ends, in: search.form, for: settings)
      return begin()
    }
    delivery?.loaded(batch)
  }

  // MARK: Requests of the delivery

  func loadBatch(for delivery: Delivery, _ request: BatchRequest) { load(request) }

  private func load(_ request: BatchRequest) {
    controller.requestBatch(of: settings.name, by: .batch(destination: settings.name, request))
  }

  func commitBatchBoundary(for delivery: Delivery, at position: BatchPosition) {
    controller.post(
      .commitBatchBoundary(destination: settings.name, through: position.through, late: position.isLate))
  }

  func acknowledge(
    for delivery: Delivery, at position: BatchPosition, taken: TakenRecords?, next: BatchRequest?
  ) {
    controller.count(taken, by: settings.name)
    if taken != nil { controller.fleet.confirmReport(to: settings.name) }
    let movesCursor =
      switch position.held {
      case .update, .end: false
      case .hold, nil: true
      }
    let size = movesCursor ? delivery.machine.batchSize : storedBatchSize
    let job = StoreJob.acknowledge(
      destination: settings.name, through: position.through, late: position.isLate,
      newBatchSize: size == storedBatchSize ? nil : size, next: next,
      urgent: delivery.machine.awaitsAcknowledgement, held: position.held)
    storedBatchSize = size
    if next == nil { controller.post(job) } else { controller.requestBatch(of: settings.name, by: job) }
    note(position.held)
    if !position.isLate, movesCursor { accepted = max(accepted ?? .zero, position.through) }
    if let taken { controller.outputs.accepted(taken, settings.name) }
  }

  /// Follows the changes of held records.
  private func note(_ change: HeldChange?) {
    switch change {
    case .hold(let record): held[record.id] = record
    case .update(let record): held[record.id] = record.isSetAside ? nil : record
    case .end(let id): held[id] = nil
    case nil: break
    }
  }

  /// Handles the records that the log holds for the destination.
  func held(_ records: [HeldRecord]) {
    for record in records where held[record.id] == nil { held[record.id] = record }
    delivery?.held(records)
  }

  func delivery(_ delivery: Delivery, wasAnswered body: [UInt8]) {
    if profile.isComplete { controller.handleAnswer(body, to: self) }
    controller.outputs.answered(body, settings.name)
  }

  func report(for delivery: Delivery) -> [UInt8]? {
    profile.isComplete ? controller.fleet.report(for: settings) : nil
  }

  func runningTrip(for delivery: Delivery) -> [UInt8]? { controller.runningTrip(for: profile) }

  func disclosed(_ record: LogRecord, for delivery: Delivery) -> LogRecord? {
    let record = privateZones.disclosed(record)
    // In the Overland format the device ID is a part of the record form.
    guard let name = settings.deviceID, settings.form != .overland else { return record }
    return record?.withDeviceID(name)
  }

  func newestFix(for delivery: Delivery) -> LogRecord? { controller.newestFix }

  func delivery(_ delivery: Delivery, reports report: DeliveryReport) {
    switch report {
    case .setAside: controller.countSetAside(by: settings.name)
    case .failing, .recovered, .unconfirmed: break
    }
    controller.process(report, of: settings.name)
  }

  // MARK: The state

  /// True while a request is in progress.
  var isSending: Bool {
    if case .posting? = delivery?.machine.phase { true } else { false }
  }

  /// True while an operation is in progress that ends without new input.
  var isBusy: Bool {
    switch delivery?.machine.phase {
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: true
    case .idle, .backingOff, nil: false
    }
  }

  /// True if a durable record would be sent immediately.
  func isWaitingForRecords(now: Moment) -> Bool {
    guard case .idle(let until)? = delivery?.machine.phase, let until else { return false }
    return until <= now
  }

  /// True if half of the send interval has passed, or a failed batch is to be retried.
  func isDueSoon(now: Moment) -> Bool {
    guard let machine = delivery?.machine else { return false }
    switch machine.phase {
    case .idle:
      guard let due = machine.nextTimeout, let interval = machine.settings.sendInterval else { return false }
      return due - now <= interval / 2
    case .backingOff: return machine.settings.sendInterval != nil
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: return false
    }
  }
}

/// The batches that may have been sent to a destination and are not acknowledged in the log.
///
/// There are at most two, each with a batch boundary that the log has stored (see ``Uplink/DeliveryMachine``).
struct SentBatches: Equatable {
  private(set) var ends: [RecordID] = []

  /// Handles the next batch of the log; returns the position after which to search on, nil if all are found.
  mutating func take(_ batch: Batch?) -> BatchPosition? {
    // Without a stored boundary no byte of the batch was sent.
    guard let batch, batch.boundary != .missing else { return nil }
    ends.append(batch.through)
    return ends.count < 2 ? batch.position : nil
  }
}
