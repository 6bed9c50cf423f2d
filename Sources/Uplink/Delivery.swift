import Formats
import Quantities
import Records
import SystemLoop

/// Brings the log to one destination: carries out what a ``DeliveryMachine`` decides.
///
/// Belongs to the loop's thread.
public final class Delivery {
  public let name: String
  /// What was decided, for those who ask; only events change it.
  public private(set) var machine: DeliveryMachine

  private let loop: EventLoop
  private let transport: any BatchTransport
  private unowned let log: any DeliveryLog
  private var timer: LoopTimer?
  private var batches: [RecordID: Prepared] = [:]
  private var events: [DeliveryMachine.Event] = []
  private var isHandling = false
  private var isEnded = false
  /// Attempts so far: an answer to an earlier one is not for this one.
  private var attempts = 0

  /// A batch in hand: what the log gave, and what of it can be sent.
  private struct Prepared {
    var batch: LogBatch
    var rendered: RenderedBatch
    /// The newest location among what is sent.
    var newestLocation: StoredRecord?
    /// The server has said that it has what can be sent.
    var isTaken = false

    /// The newest of its locations as `current` would have it.
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

  /// `log` must outlive the delivery, but for the call in which it ends it. `seed` spreads the retries of several devices.
  /// `past` is of the delivery that went to the same server before.
  public init(
    name: String, transport: any BatchTransport, settings: DeliveryMachine.Settings, loop: EventLoop,
    log: any DeliveryLog, seed: UInt64, past: DeliveryMachine.Past? = nil
  ) {
    self.name = name
    self.loop = loop
    self.transport = transport
    self.log = log
    machine = DeliveryMachine(settings: settings, seed: seed, past: past)
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

  /// Gives up a running request and begins no other, also where the log does so while it is told something.
  public func end() {
    isEnded = true
    transport.stop()
    timer?.arm(within: nil)
  }

  // MARK: What happened

  /// The log can be read: begins with what waits in it.
  public func start() { handle(.started) }

  /// So many more records can be sent: they are durable and have a time. Events of the log are none.
  public func recordsDurable(count: Int) { handle(.recordsDurable(count: count)) }

  /// The log was opened again, and may hold more than was counted.
  public func logReopened() { handle(.logReopened) }

  /// Sends everything now, whatever interval and back-off say.
  public func sendNow() { handle(.sendNow) }

  /// The box, which rested, moves off.
  public func movedOff() { handle(.movedOff) }

  public func change(_ settings: DeliveryMachine.Settings) { handle(.settingsChanged(settings)) }

  /// Nil when no record waits. `size` is what was asked for.
  public func loaded(_ batch: LogBatch?, size: Int) {
    let newest = log.newestFix(for: self)?.time
    guard let batch, let dated = batch.upToUndated, let part = bucketed(dated, newest: newest) else {
      return handle(.batchLoaded(nil))
    }
    // The log must know which part is under way, or it would hand it out again.
    if part.through != batch.through {
      log.shorten(for: self, from: batch.through, through: part.through, records: part.records.count)
    }
    handle(.batchLoaded(prepare(part, size: size)))
  }

  /// What may have been sent comes again with the same end, however its records are cut now.
  private func bucketed(_ batch: LogBatch, newest: Timestamp?) -> LogBatch? {
    guard !batch.isBorderCommitted, !transport.holds(batch.through) else { return batch }
    return batch.within(transport.cut.bucket, newest: newest)
  }

  public func borderCommitted(through: RecordID) { handle(.borderCommitted(through: through)) }

  public func acknowledged(through: RecordID) { handle(.acknowledged(through: through)) }

  // MARK: What to do

  /// Keeps the batch and what can be sent of it, and tells the machine what it needs to know.
  private func prepare(_ batch: LogBatch, size: Int) -> LoadedBatch {
    let isNewestOnly = transport.cut.isNewestOnly
    let wanted = isNewestOnly ? batch.withoutOlderLocations : batch.records
    let told = wanted.compactMap { stored in
      log.disclosed(stored.record, for: self).map {
        StoredRecord(id: stored.id, boot: stored.boot, record: $0)
      }
    }
    let rendered = transport.rendered(told, endingAt: batch.through)
    batches[batch.through] = Prepared(
      batch: batch, rendered: rendered, newestLocation: told.last(where: \.isLocation))
    var loaded = LoadedBatch(
      through: batch.through, size: size, records: batch.records.count, features: rendered.count,
      hasMore: batch.hasMore, isBorderCommitted: batch.isBorderCommitted, needsBorder: batch.needsBorder)
    loaded.isSuperseded = isNewestOnly && wanted.allSatisfy(\.isLocation)
    return loaded
  }

  private func handle(_ event: DeliveryMachine.Event) {
    events.append(event)
    handleEvents()
  }

  /// One event after the other: the log may answer while an action is being carried out.
  private func handleEvents() {
    guard !isHandling, !isEnded else { return }
    while !events.isEmpty, !isEnded {
      let event = events.removeFirst()
      carryOut(machine.handle(event, now: loop.now))
    }
    if batches.count > machine.batchesInHand.count {
      let needed = machine.batchesInHand
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
    // What was done is told, whoever has ended it meanwhile.
    case .acknowledge(let through):
      log.acknowledge(for: self, through: through, taken: batches[through]?.taken)
    case .report(let report): log.delivery(self, reports: report)
    case .loadBatch where isEnded, .shorten where isEnded, .commitBorder where isEnded, .post where isEnded,
      .abandonPost where isEnded:
      break
    case .loadBatch(let after, let size): log.loadBatch(for: self, after: after, size: size)
    case .shorten(let batch, let count): shorten(batch, to: count)
    case .commitBorder(let through): log.commitBorder(for: self, through: through)
    case .post(let batch, let attachCurrent): post(batch, attachCurrent: attachCurrent)
    case .abandonPost:
      attempts += 1
      transport.abandon()
    }
  }

  private func shorten(_ batch: LoadedBatch, to count: Int) {
    guard let prepared = batches[batch.through], let last = prepared.batch.records.prefix(count).last else {
      return
    }
    log.shorten(for: self, from: batch.through, through: last.id, records: count)
    let front = LogBatch(
      records: Array(prepared.batch.records.prefix(count)), through: last.id, hasMore: true,
      isBorderCommitted: false, needsBorder: true)
    handle(.shortened(prepare(front, size: batch.size)))
  }

  private func post(_ batch: LoadedBatch, attachCurrent: Bool) {
    guard let rendered = batches[batch.through]?.rendered else {
      let missing = Refusal(.configuration, reason: "internal error, the content of the batch is missing")
      return handle(.answered(.refused(missing)))
    }
    attempts += 1
    let attempt = attempts
    let newest = log.newestFix(for: self).flatMap { OverlandFeature($0, isWhole: false) }
    // What lies behind the batch may be nothing that this destination gets: a newest fix that the batch holds itself
    // is no `current`.
    let isInBatch = newest != nil && newest == batches[batch.through]?.newestFeature
    let outgoing = OutgoingBatch(
      batch: rendered, current: attachCurrent && !isInBatch ? newest : nil,
      newest: newest ?? rendered.records.last.flatMap { OverlandFeature($0, isWhole: false) },
      trip: log.runningTrip(for: self), deadline: loop.now + machine.settings.timeout,
      keepsConnection: batch.hasMore || machine.settings.sendInterval.map { $0 < .seconds(100) } ?? false)
    transport.send(outgoing) { [weak self] verdict, answer in
      guard let self, attempt == attempts, !isEnded else { return }
      if verdict.isSuccess { batches[batch.through]?.isTaken = true }
      // What the log learns may have it end this delivery and let go of itself.
      withExtendedLifetime(log) {
        handle(.answered(verdict))
        if verdict.isSuccess { log.delivery(self, wasAnswered: answer) }
      }
    }
  }
}
