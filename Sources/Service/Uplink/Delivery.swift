import EventLoop
import Formats
import Quantities
import Records

/// Delivers the log to one destination: performs the actions of a ``DeliveryMachine``.
///
/// The machine decides, the ``DeliveryLog`` supplies and acknowledges records, the ``BatchTransport`` sends them. The
/// daemon owns one instance per destination. Not thread-safe: all calls are made on the loop's thread.
public final class Delivery {
  public let name: String
  /// The state of the delivery, readable for status and tests. It changes only through events.
  public private(set) var machine: DeliveryMachine

  /// Called after each attempt that was not abandoned.
  public var onExchange: (Exchange) -> Void = { _ in }

  private let loop: EventLoop
  private let transport: any BatchTransport
  private unowned let log: any DeliveryLog
  private var timer: LoopTimer?
  private var batches: [RecordID: Prepared] = [:]
  /// The size of the requested batch.
  private var requestedSize = 0
  private var events: [DeliveryMachine.Event] = []
  private var isHandling = false
  private var isEnded = false
  /// The number of attempts. A verdict on an earlier attempt is ignored.
  private var attempts = 0

  /// A batch in progress: the records from the log and their rendered form.
  private struct Prepared {
    var batch: Batch
    var rendered: RenderedBatch
    /// The newest location among the records that are sent.
    var newestLocation: StoredRecord?
    /// True if the server has confirmed the rendered records.
    var isTaken = false

    /// The newest location of the batch in the form of `current`.
    var newestFeature: OverlandFeature? {
      newestLocation.flatMap { OverlandFeature($0.record, isWhole: false) }
    }

    var taken: TakenRecords? {
      guard isTaken else { return nil }
      var taken = TakenRecords(count: rendered.count, newestLocation: newestLocation?.id)
      if case .location(let location)? = newestLocation?.record.body {
        taken.newestAccuracyMillimetres = location.horizontalAccuracyMillimetres.map(Int64.init)
      }
      return taken
    }
  }

  /// Creates a delivery that waits for ``start()``.
  ///
  /// `log` must outlive the delivery, except during the call that ends it. `seed` is the seed of the back-off, which
  /// spreads the retries of several devices. `past` is the state of the previous delivery to the same server.
  public init(
    name: String, transport: any BatchTransport, settings: DeliveryMachine.Settings, loop: EventLoop,
    log: any DeliveryLog, seed: UInt64, past: DeliveryMachine.Past? = nil,
    notBefore: Moment? = nil, lastContact: Moment? = nil
  ) {
    self.name = name
    self.loop = loop
    self.transport = transport
    self.log = log
    machine = DeliveryMachine(
      settings: settings, seed: seed, past: past, notBefore: notBefore, lastContact: lastContact)
    timer = loop.addTimer("delivery") { [weak self] now in
      guard let self else { return }
      carryOut(machine.handleTimeout(now: now))
      handleEvents()
    }
  }

  deinit {
    transport.stop()
    if let timer { loop.removeTimer(timer) }
  }

  /// Cancels a running request and starts no other. The log may call it from one of its methods.
  public func end() {
    isEnded = true
    transport.stop()
    timer?.arm(within: nil)
  }

  // MARK: Events

  /// Reports that the log can be read. Delivery of its queue starts.
  public func start() { handle(.started) }

  /// Reports `count` more records that can be sent: they are durable and dated. Events of the log do not count.
  public func recordsDurable(count: Int) { handle(.recordsDurable(count: count)) }

  /// Reports that the log was reopened and may hold more records than were counted.
  public func logReopened() { handle(.logReopened) }

  /// Sends the whole queue now, regardless of interval and back-off.
  public func sendNow() { handle(.sendNow) }

  /// Reports that the device was stationary and starts to move.
  public func startedMoving() { handle(.startedMoving) }

  public func change(_ settings: DeliveryMachine.Settings) { handle(.settingsChanged(settings)) }

  /// Handles the batch that the log was asked for; nil if there is nothing to send.
  public func loaded(_ batch: Batch?) {
    guard batch == nil, machine.isCheckInDue(now: loop.now) else {
      return handle(.batchLoaded(batch.map { prepare($0, size: requestedSize) }))
    }
    handle(.batchLoaded(prepareCheckIn()))
  }

  /// Handles the records that the log holds for this destination, or that get a last chance before they are deleted.
  public func held(_ records: [HeldRecord], isLastChance: Bool = false) {
    if !records.isEmpty { handle(.held(records, isLastChance: isLastChance)) }
  }

  public func batchBoundaryCommitted(through: RecordID) { handle(.batchBoundaryCommitted(through: through)) }

  public func acknowledged(through: RecordID) { handle(.acknowledged(through: through)) }

  // MARK: Actions

  /// Renders a batch, keeps both forms, and returns its description for the machine.
  ///
  /// Without `locations` the locations are omitted, because a later batch has a newer one.
  private func prepare(_ batch: Batch, size: Int, locations: Bool = true) -> LoadedBatch {
    var disclosedRecords = batch.records.compactMap { stored in
      log.disclosed(stored.record, for: self).map {
        StoredRecord(id: stored.id, boot: stored.boot, record: $0)
      }
    }
    // A location that is not disclosed supersedes none.
    if transport.isNewestOnly { disclosedRecords = disclosedRecords.withNewestLocation(locations) }
    let rendered = transport.rendered(disclosedRecords, of: batch.range)
    batches[batch.through] = Prepared(
      batch: batch, rendered: rendered, newestLocation: disclosedRecords.last(where: \.isLocation))
    var loaded = LoadedBatch(
      position: batch.position, size: size, records: batch.records.count, features: rendered.count,
      hasMore: batch.hasMore, boundary: batch.boundary)
    loaded.from = batch.from
    loaded.isHeld = batch.isHeld
    if transport.isNewestOnly, rendered.count > 0 {
      loaded.newestLocation = batches[batch.through]?.newestLocation?.record.time
      loaded.hasOnlyLocations = disclosedRecords.allSatisfy(\.isLocation)
    }
    return loaded
  }

  /// Renders a request without records, which covers nothing of the log.
  private func prepareCheckIn() -> LoadedBatch {
    let empty = Batch(records: [], through: .zero, boundary: .stored, hasMore: false, isLate: false)
    batches[.zero] = Prepared(batch: empty, rendered: transport.rendered([], of: empty.range))
    return LoadedBatch(
      position: empty.position, size: requestedSize, records: 0, features: 1, hasMore: false,
      boundary: .stored)
  }

  private func handle(_ event: DeliveryMachine.Event) {
    events.append(event)
    handleEvents()
  }

  /// Handles events one after the other, because the log may respond while an action is performed.
  private func handleEvents() {
    guard !isHandling, !isEnded else { return }
    while !events.isEmpty, !isEnded {
      let event = events.removeFirst()
      carryOut(machine.handle(event, now: loop.now))
    }
    if batches.count > machine.batchesInProgress.count {
      let needed = machine.batchesInProgress
      batches = batches.filter { needed.contains($0.key) }
    }
    guard !isEnded else { return }
    timer?.arm(within: machine.nextWake)
  }

  private func carryOut(_ actions: [DeliveryMachine.Action]) {
    isHandling = true
    defer { isHandling = false }
    withExtendedLifetime(log) {
      for action in actions { carryOut(action) }
    }
  }

  private func carryOut(_ action: DeliveryMachine.Action) {
    switch action {
    // Completed work is reported even if the delivery has been ended meanwhile.
    case .acknowledge(let position, let next):
      log.acknowledge(
        for: self, at: position, taken: batches[position.through]?.taken,
        next: isEnded ? nil : next.map(completed))
    case .report(let report): log.delivery(self, reports: report)
    case .loadBatch where isEnded, .shorten where isEnded, .commitBatchBoundary where isEnded,
      .post where isEnded,
      .abandonPost where isEnded:
      break
    case .loadBatch(let request): log.loadBatch(for: self, completed(request))
    case .shorten(let batch, let count): shorten(batch, to: count)
    case .commitBatchBoundary(let position): log.commitBatchBoundary(for: self, at: position)
    case .post(let batch, let attachCurrent): post(batch, attachCurrent: attachCurrent)
    case .abandonPost:
      attempts += 1
      transport.abandon()
    }
  }

  /// The request of the machine with the rules of the transport.
  private func completed(_ request: BatchRequest) -> BatchRequest {
    requestedSize = request.size
    var request = request
    request.events = transport.events
    var cut = transport.cut
    if cut.interval != nil { cut.newestFix = log.newestFix(for: self)?.time }
    request.cut = cut
    return request
  }

  private func shorten(_ batch: LoadedBatch, to count: Int) {
    guard let whole = batches[batch.through]?.batch else { return }
    if batch.omitsLocations {
      return handle(.shortened(prepare(whole, size: batch.size, locations: false)))
    }
    let front = whole.prefix(count, hasMore: true)
    handle(.shortened(prepare(front, size: batch.size)))
  }

  /// True if the next attempt sends a part of the batch.
  private func isShortened(_ batch: LoadedBatch) -> Bool {
    switch machine.phase {
    case .shortening: true
    case .backingOff(let next, _), .posting(let next, _), .committingBatchBoundary(let next),
      .awaitingAcknowledgement(let next):
      next.records < batch.records && next.position.through <= batch.position.through
    case .idle, .loading: false
    }
  }

  /// The shortest time between two acknowledgements of parts of one batch, which spares the medium. A crash repeats the
  /// messages of this time.
  private static let partInterval = Duration.seconds(1)

  /// Acknowledges the records of a batch before the message `index` of `rendered`, and keeps the rest of the batch as the
  /// one in progress. Returns the rest; nil if nothing was acknowledged.
  private func split(_ batch: LoadedBatch, _ rendered: RenderedBatch, at index: Int) -> LoadedBatch? {
    guard rendered.messages.indices.contains(index), machine.maySplitBatch(through: batch.through),
      let prepared = batches[batch.through],
      let first = prepared.rendered.messages.firstIndex(where: { $0.id == rendered.messages[index].id }),
      let start = prepared.batch.records.firstIndex(where: { $0.id == rendered.messages[index].id }),
      first > 0, start > 0
    else { return nil }
    let front = prepared.batch.prefix(start, hasMore: true)
    guard front.through != batch.through else { return nil }
    let taken = prepared.rendered.part(0..<first)
    var newest: StoredRecord?
    if let index = taken.records.lastIndex(where: \.isLocation), taken.messages.indices.contains(index),
      let stored = front.records.first(where: { $0.id == taken.messages[index].id })
    {
      let (id, record) = (taken.messages[index].id, taken.records[index])
      newest = StoredRecord(id: id, boot: stored.boot, record: record)
    }
    batches[front.through] = Prepared(batch: front, rendered: taken, newestLocation: newest, isTaken: true)
    var rest = prepared
    rest.batch.records.removeFirst(start)
    rest.batch.from = front.isLate ? nil : RecordID(front.through.rawValue + 1)
    rest.rendered = prepared.rendered.part(first..<prepared.rendered.messages.count)
    batches[batch.through] = rest
    var (before, after) = (batch, batch)
    (before.position, before.records, before.features) = (front.position, start, first)
    (after.records, after.features) = (rest.batch.records.count, rest.rendered.count)
    handle(.partlyAccepted(front: before, rest: after))
    return after
  }

  private func post(_ batch: LoadedBatch, attachCurrent: Bool) {
    guard let rendered = batches[batch.through]?.rendered else {
      let missing = Refusal(.configuration, reason: "internal error, the content of the batch is missing")
      return handle(.answered(.refused(missing)))
    }
    attempts += 1
    let attempt = attempts
    let newest = log.newestFix(for: self).flatMap { OverlandFeature($0, isWhole: false) }
    // The records after the batch may all be excluded from this destination. `current` is omitted if the batch itself
    // contains the newest fix.
    let isInBatch = newest != nil && newest == batches[batch.through]?.newestFeature
    var outgoing = OutgoingBatch(
      batch: rendered, current: attachCurrent && !isInBatch ? newest : nil,
      newest: newest ?? rendered.records.last.flatMap { OverlandFeature($0, isWhole: false) },
      trip: log.runningTrip(for: self), report: log.report(for: self),
      deadline: loop.now + machine.settings.timeout,
      keepsConnection: batch.hasMore || machine.settings.sendInterval.map { $0 < .seconds(100) } ?? false)
    let began = loop.now
    var (confirmed, acknowledged, left) = (0, loop.now, batch)
    outgoing.onProgress = { [weak self] count in
      confirmed = count
      guard let self, attempt == attempts, !isEnded, !machine.isAcknowledging,
        loop.now - acknowledged >= Self.partInterval
      else { return }
      // The log may end this delivery and release itself while it stores the acknowledgement.
      withExtendedLifetime(log) {
        guard let rest = split(left, rendered, at: count) else { return }
        (acknowledged, left) = (loop.now, rest)
      }
    }
    transport.send(outgoing) { [weak self] verdict, answer in
      guard let self, attempt == attempts, !isEnded else { return }
      let status = transport.lastStatus
      if !verdict.isSuccess, confirmed > 0 {
        withExtendedLifetime(log) { left = split(left, rendered, at: confirmed) ?? left }
        guard attempt == attempts, !isEnded else { return }
      }
      defer {
        onExchange(
          Exchange(
            endedAt: loop.now, after: loop.now - began, records: rendered.count,
            bytes: rendered.bytes.count, status: status, answer: answer, verdict: verdict,
            isHalved: isShortened(left)))
      }
      if verdict.isSuccess { batches[batch.through]?.isTaken = true }
      // The log may end this delivery and release itself while it handles the result.
      withExtendedLifetime(log) {
        handle(.answered(verdict))
        if verdict.isSuccess { log.delivery(self, wasAnswered: answer) }
      }
    }
  }
}
