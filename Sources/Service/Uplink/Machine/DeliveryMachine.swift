import Quantities
import Records

/// The state machine of one delivery pipeline: decides which records are sent when, and when they count as delivered.
///
/// The machine performs no input or output. Its owner, ``Delivery``, passes every ``Event`` to ``handle(_:now:)``,
/// performs the returned ``Action`` values in order, and calls ``handleTimeout(now:)`` at ``nextTimeout``.
///
/// **Phases.** The machine is `idle` until the send interval or a full batch is due. `loading` requests the
/// oldest batch from the log, which stores its boundary at the same time if the batch is due. If required, `shortening`
/// cuts the batch, and `committingBatchBoundary` stores a boundary that the log has not stored with the batch.
/// `posting` waits for the response. A success leads to the next batch or back to idle, a failure to `backingOff`. The
/// phase `awaitingAcknowledgement` delays a batch until the log has stored an earlier acknowledgement.
///
/// **Events.** The log reports that it is readable or was reopened, that records have become durable, and the
/// completion of loading, shortening and committing. The transport reports a ``Verdict``. The daemon reports a request
/// to send now, the start of a movement, and changed settings.
///
/// **Actions.** Load or shorten a batch, commit a batch boundary, post a batch, acknowledge it and load the next, abandon
/// the running request, and report a ``DeliveryReport`` to the journal and the log.
///
/// **Durability.** Only durable records are sent. The log can reproduce a full batch by counting; the boundary of any
/// other batch is committed before its first byte is sent. After a crash the same batch is therefore sent again, byte
/// for byte. A batch is acknowledged once the server has confirmed it, or if nothing in it can be sent. The cursor
/// moves when the log has committed the acknowledgement, which `acknowledged` reports. Batch n+1 may be posted while
/// the acknowledgement of batch n is being committed; batch n+2 must wait for it. Except during a search for a rejected
/// record, a crash therefore repeats at most two confirmed batches.
///
/// **Rules.**
///
/// - One request at a time, oldest records first. The same batch is posted until it is accepted.
/// - If a batch is sent as several messages, its confirmed front is acknowledged, and only the rest is sent again.
/// - Full batches follow each other immediately. Otherwise there is one attempt per send interval.
/// - After a failure the same batch is retried after a ``RetryDelay``. ``OutageReports`` decides what is reported.
/// - A batch whose content the server rejects repeatedly is halved until one record remains. That record is set aside once
///   the server has accepted another (see ``Isolation``). If the fault may be the server's, it is held, and the batches
///   after it go on (see ``HeldRecords``).
public struct DeliveryMachine: Sendable {
  public private(set) var settings: Settings
  public private(set) var phase = Phase.idle(until: nil)
  private(set) var attempts: DeliveryAttempts
  private(set) var isolation = Isolation()
  private(set) var queue = QueueEstimate()
  /// The search for a newer location, if only the newest is sent; nil while there is none.
  private(set) var newer: NewerLocationSearch?
  private(set) var held = HeldRecords()
  private(set) var ahead = LookAhead.none
  /// The maximum number of records per request that follows from a status 413 of the server.
  private(set) var sizeLimit: Int?
  /// True if the whole queue is sent regardless of the send interval.
  private(set) var sendsAll = false
  /// The last contact with the server, without an earlier one the start; nil before that.
  private(set) var lastContact: Moment?
  /// The ends of the accepted batches whose acknowledgement is not on disk yet.
  private(set) var uncommitted: [BatchPosition] = []

  /// Creates a machine that waits for ``Event/started``.
  ///
  /// `seed` spreads the retries of several devices. `past` is the state of the previous machine for the same server.
  /// `notBefore` is the end of the send interval before a sleep of the host, and `lastContact` the last contact before it.
  public init(
    settings: Settings, seed: UInt64, past: Past? = nil, notBefore: Moment? = nil, lastContact: Moment? = nil
  ) {
    self.settings = settings
    self.lastContact = lastContact ?? past?.lastContact
    attempts = DeliveryAttempts(seed: seed, past: past)
    if let notBefore { attempts.postpone(until: notBefore) }
  }

  /// Processes an event and returns the actions to perform.
  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    var actions = ActionList()
    switch event {
    case .started: start(now, &actions)
    case .recordsDurable(let count):
      queue.add(count)
      loadIfDue(now, &actions)
    case .logReopened:
      queue.assumeRecords()
      loadIfDue(now, &actions)
    case .batchLoaded(let batch): handleLoaded(batch, now, &actions)
    case .batchBoundaryCommitted(let through): handleBatchBoundary(through, now, &actions)
    case .shortened(let batch): handleShortened(batch, now, &actions)
    case .answered(let verdict): handleVerdict(verdict, now, &actions)
    case .partlyAccepted(let front, let rest): accept(front, before: rest, now, &actions)
    case .held(let records, let isLast): held.add(records, isLast: isLast, now: now)
    case .acknowledged(let through): handleAcknowledged(through, now, &actions)
    case .sendNow: sendNow(now, &actions)
    case .startedMoving: retryEarly(now, &actions)
    case .settingsChanged(let settings): change(settings, now, &actions)
    }
    return actions.list
  }

  /// Processes the timeout that ``nextTimeout`` announced and returns the actions to perform.
  public mutating func handleTimeout(now: Moment) -> [Action] {
    guard let due = nextTimeout, due <= now else { return [] }
    var actions = ActionList()
    switch phase {
    case .idle:
      let isOrdinary = queue.waiting > 0 || checkInTime.map { $0 <= now } ?? false
      if isOrdinary || !sendHeld(now, &actions) { load(now, &actions) }
    case .posting(let batch, _):
      let refusal = Refusal(
        .outcomeUnknown,
        reason: "no response before the timeout; check the server's load or raise the timeout")
      actions.append(.abandonPost)
      fail(batch, refusal, now, &actions)
    case .backingOff(let batch, _): retry(batch, now, &actions)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: break
    }
    return actions.list
  }

  // MARK: Events

  private mutating func start(_ now: Moment, _ actions: inout ActionList) {
    guard case .idle = phase else { return }
    lastContact = lastContact ?? now
    guard settings.sendInterval != nil || sendsAll else {
      // The queue is unknown: it is loaded once sending is switched on.
      queue.assumeRecords()
      return
    }
    if attempts.isPostponed(now: now), !sendsAll {
      queue.assumeRecords()
      phase = .idle(until: nextAttempt)
      return
    }
    load(now, &actions)
  }

  private mutating func loadIfDue(_ now: Moment, _ actions: inout ActionList) {
    switch phase {
    case .idle(let until):
      guard queue.waiting > 0, let until, until <= now else { return }
      load(now, &actions)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting, .backingOff:
      break
    }
  }

  private mutating func handleLoaded(_ batch: LoadedBatch?, _ now: Moment, _ actions: inout ActionList) {
    if ahead == .stale {
      ahead = .none
      queue.putBack(batch)
      if case .loading = phase { load(now, &actions) }
      return
    }
    queue.loaded()
    switch phase {
    case .loading: take(batch, now, &actions)
    case .idle: break
    case .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting, .backingOff:
      guard ahead == .loading else { return }
      if let batch, batch.isFull || batch.features == 0 {
        ahead = .ready(batch)
      } else {
        // Incomplete: it is loaded again when its turn comes, and may have grown.
        ahead = .none
        queue.putBack(batch)
      }
    }
  }

  private mutating func handleBatchBoundary(_ through: RecordID, _ now: Moment, _ actions: inout ActionList) {
    switch phase {
    case .committingBatchBoundary(let batch):
      if batch.through == through { send(batch.withBatchBoundary, now, &actions) }
    case .idle, .loading, .shortening, .awaitingAcknowledgement, .posting, .backingOff: break
    }
  }

  private mutating func handleShortened(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    switch phase {
    case .shortening:
      if batch.features == 0 { pass(batch, now, &actions) } else { send(batch, now, &actions) }
    case .idle, .loading, .committingBatchBoundary, .awaitingAcknowledgement, .posting, .backingOff: break
    }
  }

  private mutating func handleVerdict(_ verdict: Verdict, _ now: Moment, _ actions: inout ActionList) {
    switch phase {
    case .posting(let batch, _):
      switch verdict {
      case .accepted: accept(batch, now, &actions)
      case .acceptedUnconfirmed(let reason):
        if attempts.countUnconfirmed() == 1 { actions.append(.report(.unconfirmed(reason))) }
        accept(batch, now, &actions)
      case .refused(let refusal): fail(batch, refusal, now, &actions)
      }
    case .idle, .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .backingOff:
      break
    }
  }

  private mutating func handleAcknowledged(_ through: RecordID, _ now: Moment, _ actions: inout ActionList) {
    // Acknowledgements complete in the order of the requests. Record ids are not ordered: late records have smaller
    // ones.
    if let index = uncommitted.firstIndex(where: { $0.through == through }) {
      uncommitted.removeSubrange(...index)
    }
    switch phase {
    case .awaitingAcknowledgement(let batch): send(batch, now, &actions)
    case .idle, .loading, .shortening, .committingBatchBoundary, .posting, .backingOff: break
    }
  }

  private mutating func sendNow(_ now: Moment, _ actions: inout ActionList) {
    sendsAll = true
    attempts.resetBackOff()
    switch phase {
    case .idle: load(now, &actions)
    case .backingOff(let batch, _): retry(batch, now, &actions)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: break
    }
  }

  /// Retries a failed batch early when the device starts to move: it is awake and may reach a network.
  ///
  /// The server's `Retry-After` is respected.
  private mutating func retryEarly(_ now: Moment, _ actions: inout ActionList) {
    guard case .backingOff(let batch, let until?) = phase, waitsForInterval, now < until,
      !attempts.isWithinRetryAfter(now: now)
    else { return }
    retry(batch, now, &actions)
  }

  private mutating func change(_ new: Settings, _ now: Moment, _ actions: inout ActionList) {
    let isOtherSize = new.batchSize != settings.batchSize
    if isOtherSize { sizeLimit = nil }
    settings = new
    switch phase {
    case .idle:
      phase = .idle(until: nextAttempt)
      loadIfDue(now, &actions)
    case .posting(let batch, let until):
      guard isOtherSize, batch.boundary != .stored else { return }
      phase = .posting(batch.withBatchBoundary, until: until)
      actions.append(.commitBatchBoundary(at: batch.position))
    case .backingOff(let batch, let until):
      let next = settings.sendInterval == nil && !sendsAll ? nil : until ?? now
      guard isOtherSize, batch.boundary != .stored else {
        phase = .backingOff(batch, until: next)
        return
      }
      phase = .backingOff(batch.withBatchBoundary, until: next)
      actions.append(.commitBatchBoundary(at: batch.position))
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: break
    }
  }

  // MARK: Loading

  /// The earliest time of the next attempt by the send interval; nil while sending is off.
  private var nextAttempt: Moment? { settings.sendInterval.map(attempts.earliest(atInterval:)) }

  /// Becomes idle, or loads the next batch immediately if it is due.
  private mutating func becomeIdle(_ now: Moment, _ actions: inout ActionList) {
    if sendHeld(now, &actions) { return }
    let until = nextAttempt
    phase = .idle(until: until)
    guard queue.waiting > 0 else { return }
    let isDue = until.map { $0 <= now } ?? false
    let isFull =
      settings.sendInterval != nil && settings.pacing == .fullBatches && queue.waiting >= batchSize
    if sendsAll || isDue || isFull { load(now, &actions) }
  }

  /// Requests the oldest batch that is neither accepted nor in progress. If it will be sent whatever its size, its boundary
  /// is stored with the request.
  private mutating func load(_ now: Moment, _ actions: inout ActionList) {
    phase = .loading
    guard ahead != .stale else { return }
    let isDue = nextAttempt.map { $0 <= now || isolation.isSearching } ?? false
    request(
      after: newer?.last ?? isolation.lastSuspect?.position ?? uncommitted.last,
      largestToSend: (sendsAll || isDue) && newer == nil ? mostRecords ?? .max : 0, &actions)
  }

  private mutating func request(
    after: BatchPosition?, largestToSend: Int, _ actions: inout ActionList
  ) {
    queue.requested()
    actions.load(BatchRequest(after: after, size: batchSize, largestToSend: largestToSend))
  }

  /// Sends or postpones a loaded batch.
  private mutating func take(_ batch: LoadedBatch?, _ now: Moment, _ actions: inout ActionList) {
    if held.current != nil { return takeHeld(batch, now, &actions) }
    if newer != nil { return continueSearch(with: batch, now, &actions) }
    guard let batch else {
      if isolation.hasSuspects { return abandonSearch(now) }
      sendsAll = false
      return becomeIdle(now, &actions)
    }
    if batch.features == 0 { return pass(batch, now, &actions) }
    guard settings.isNewestOnly, batch.newestLocation != nil, batch.hasMore else {
      return takeSendable(batch, now, &actions)
    }
    newer = NewerLocationSearch(candidate: batch, isRetry: false)
    load(now, &actions)
  }

  /// Sends or postpones a batch that is not empty, and whose newest location no other supersedes.
  private mutating func takeSendable(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    let isDue = nextAttempt.map { $0 <= now } ?? false
    if settings.pacing == .whenDue, isDue { sendsAll = true }
    let isFlowing = settings.pacing == .fullBatches && batch.isFull
    let flows = settings.sendInterval != nil && (isFlowing || isDue || isolation.isSearching)
    guard sendsAll || flows else {
      queue.putBack(batch)
      return becomeIdle(now, &actions)
    }
    send(batch, now, &actions)
  }

  /// Handles the batch after the ones in which no newer location was found; nil at the end of the queue.
  private mutating func continueSearch(
    with batch: LoadedBatch?, _ now: Moment, _ actions: inout ActionList
  ) {
    guard let step = newer?.take(batch) else { return }
    switch step {
    case .loadNext: load(now, &actions)
    case .send(let candidate, let isRetry):
      newer = nil
      // What follows was loaded, but is in no batch in progress.
      queue.assumeRecords()
      if isRetry { send(candidate, now, &actions) } else { takeSendable(candidate, now, &actions) }
    case .supersede(let candidate, let by):
      newer = nil
      guard candidate.hasOnlyLocations else {
        queue.putBack(by)
        var others = candidate
        others.omitsLocations = true
        phase = .shortening(others)
        return actions.append(.shorten(others, to: others.records))
      }
      acknowledge(candidate, &actions)
      take(by, now, &actions)
    }
  }

  /// Acknowledges a batch in which nothing can be sent.
  private mutating func pass(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    // The acknowledgement would cover the suspects before the batch, too.
    if isolation.hasSuspects { return abandonSearch(now) }
    acknowledge(batch, &actions)
    isolation.passed(batch)
    proceed(after: batch, now, &actions)
  }

  private mutating func proceed(after batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    if batch.hasMore { load(now, &actions) } else { becomeIdle(now, &actions) }
  }

  /// Discards the batch that was loaded in advance, because it no longer follows the batch in progress.
  private mutating func dropAhead() { queue.putBack(ahead.drop()) }

  // MARK: Sending

  /// The time after the timeout at which an attempt is abandoned. It matters only if the transport exceeds its own
  /// timeout.
  static let grace = Duration.seconds(5)

  /// Posts the batch, or shortens it first. It waits until everything that must be on disk before is written.
  private mutating func send(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    if let most = mostRecords, most < batch.records {
      phase = .shortening(batch)
      dropAhead()
      return actions.append(.shorten(batch, to: most))
    }
    guard batch.isReproducible(size: batchSize) else {
      phase = .committingBatchBoundary(batch)
      return actions.append(.commitBatchBoundary(at: batch.position))
    }
    guard !awaitsAcknowledgement else {
      phase = .awaitingAcknowledgement(batch)
      return
    }
    let hasBacklog =
      batch.hasMore || ahead.isExpected || queue.arrived > batchSize - min(batch.records, batchSize)
    phase = .posting(batch, until: now + settings.timeout + Self.grace)
    attempts.begin(now: now)
    actions.append(.post(batch, attachCurrent: hasBacklog))
    if settings.looksAhead, !settings.isNewestOnly, ahead == .none, !isolation.isSearching,
      batch.hasMore || queue.waiting >= batchSize
    {
      ahead = .loading
      // Only a full batch is used, and the boundary of the batch in progress must stay.
      request(after: batch.position, largestToSend: 0, &actions)
    }
  }

  /// The maximum number of records in the next request; nil if there is no limit.
  private var mostRecords: Int? {
    let limit = [settings.largestRequest, sizeLimit, isolation.next].compactMap { $0 }.min()
    return limit.map { max($0, 1) }
  }

  /// Sends a failed batch again, or a newer location if only the newest is sent. The old one is acknowledged only once a
  /// newer one is loaded: the records that follow may be others.
  private mutating func retry(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    guard settings.isNewestOnly, batch.hasOnlyLocations, batch.hasMore || queue.waiting > 0 else {
      return send(batch, now, &actions)
    }
    dropAhead()
    newer = NewerLocationSearch(candidate: batch, isRetry: true)
    load(now, &actions)
  }

  // MARK: Held records

  /// Loads the held record that is due; false if there is none, or while other requests are expected.
  private mutating func sendHeld(_ now: Moment, _ actions: inout ActionList) -> Bool {
    guard ahead == .none, newer == nil, !isolation.isSearching, attempts.failures == 0,
      settings.sendInterval != nil || sendsAll, let id = held.begin(now: now)
    else { return false }
    phase = .loading
    var request = BatchRequest(size: 1)
    request.held = id
    actions.load(request)
    return true
  }

  /// Sends a held record. Its boundary is stored: it is alone.
  private mutating func takeHeld(_ batch: LoadedBatch?, _ now: Moment, _ actions: inout ActionList) {
    guard let batch else {
      held.remove()
      return becomeIdle(now, &actions)
    }
    guard batch.features > 0 else { return endHeld(batch, now, &actions) }
    phase = .posting(batch, until: now + settings.timeout + Self.grace)
    actions.append(.post(batch, attachCurrent: false))
  }

  /// Ends the attempts to send a held record: it is delivered, or nothing of it can be sent any more.
  private mutating func endHeld(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    held.remove()
    change(.end(batch.through), of: batch.through, &actions)
    becomeIdle(now, &actions)
  }

  /// Stores a change of a held record, which moves no cursor.
  private func change(_ change: HeldChange, of id: RecordID, _ actions: inout ActionList) {
    var position = BatchPosition(through: id, isLate: false)
    position.held = change
    actions.append(.acknowledge(at: position, next: nil))
  }

  /// Counts the refusals of held records, because the server has accepted another one.
  private mutating func countRefusals(_ now: Moment, _ actions: inout ActionList) {
    for outcome in held.accepted(now: now) {
      switch outcome {
      case .update(let record): change(.update(record), of: record.id, &actions)
      case .setAside(let record, let refusal):
        actions.append(.report(.setAside(record.id, refusal, from: record.from)))
        change(.update(record), of: record.id, &actions)
      case .end(let id): change(.end(id), of: id, &actions)
      }
    }
  }

  // MARK: Success

  private mutating func accept(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    if batch.isHeld {
      lastContact = now
      return endHeld(batch, now, &actions)
    }
    countRefusals(now, &actions)
    let wasSearching = isolation.isSearching
    if let step = isolation.accepted(batch) { return carryOut(step, now, &actions) }
    if batch.records > 0 { acknowledge(batch, &actions) }
    lastContact = now
    reportSuccess(now, &actions)
    if !batch.hasMore { sendsAll = false }
    switch ahead.advance() {
    case .ready(let next): take(next, now, &actions)
    case .loading: phase = .loading
    // During a search no batch is loaded in advance.
    case .none, .stale:
      if wasSearching, batch.hasMore { load(now, &actions) } else { becomeIdle(now, &actions) }
    }
  }

  /// True if the front of the batch up to `through` can be acknowledged while its rest is in progress. A search for a
  /// rejected record concerns whole batches.
  public func maySplitBatch(through: RecordID) -> Bool {
    guard case .posting(let batch, _) = phase else { return false }
    return batch.through == through && !isolation.isSearching
  }

  /// True if an acknowledgement is not on disk yet.
  public var isAcknowledging: Bool { !uncommitted.isEmpty }

  /// Acknowledges the front of the batch in progress. The time limit starts again for the rest.
  private mutating func accept(
    _ front: LoadedBatch, before rest: LoadedBatch, _ now: Moment, _ actions: inout ActionList
  ) {
    guard maySplitBatch(through: rest.through) else { return }
    _ = isolation.accepted(front)
    acknowledge(front, &actions)
    lastContact = now
    reportSuccess(now, &actions)
    phase = .posting(rest, until: now + settings.timeout + Self.grace)
  }

  private mutating func acknowledge(_ batch: LoadedBatch, _ actions: inout ActionList) {
    uncommitted.append(batch.position)
    actions.acknowledge(batch.position)
  }

  private mutating func reportSuccess(_ now: Moment, _ actions: inout ActionList) {
    if let failures = attempts.succeed(now: now) { actions.append(.report(.recovered(failures: failures))) }
  }

  // MARK: Failure

  /// The number of failures after which a device on battery waits for the send interval.
  static let quickRetries = 2

  private mutating func fail(
    _ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment, _ actions: inout ActionList
  ) {
    if batch.isHeld {
      held.refuse(refusal, now: now)
      return becomeIdle(now, &actions)
    }
    held.refused()
    if attempts.fail(refusal, now: now) {
      actions.append(.report(.failing(refusal, isRetried: sendsUnasked)))
    }
    if !narrow(batch, refusal, now, &actions) {
      phase = .backingOff(batch, until: nextRetry(refusal, now))
    }
  }

  /// True if a retry waits for the send interval.
  private var waitsForInterval: Bool { settings.savesEnergy && failures > Self.quickRetries && !sendsAll }

  /// The time of the next attempt after a failure; nil if only on request.
  private mutating func nextRetry(_ refusal: Refusal?, _ now: Moment) -> Moment? {
    let wait = attempts.nextWait(retryAfter: refusal?.retryAfter)
    guard let interval = settings.sendInterval else {
      if !settings.retriesRequests { sendsAll = false }
      return sendsAll ? now + wait : nil
    }
    if isolation.isCounting {
      return now + min(wait, max(refusal?.retryAfter ?? .zero, Isolation.longestCountedWait))
    }
    return now + (waitsForInterval ? max(wait, interval) : wait)
  }

  /// Handles a rejection of the batch's size or content; returns false if the same batch is to be retried later.
  private mutating func narrow(
    _ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment, _ actions: inout ActionList
  ) -> Bool {
    // If only the newest record is sent, the next one replaces this batch.
    guard !settings.isNewestOnly else { return false }
    switch refusal.kind {
    case .tooLarge:
      guard batch.records > 1 else { return false }
      sizeLimit = batch.records / 2
      send(batch, now, &actions)
      return true
    case .content, .outcomeUnknown:
      guard batch.records > 0, refusal.concernsContent else { return false }
      let hasFollowing = batch.hasMore || queue.waiting > 0 || ahead.isReady
      let wasSearching = isolation.isSearching
      let step = isolation.rejected(batch, refusal, isLast: !hasFollowing)
      if !wasSearching, isolation.isSearching { dropAhead() }
      guard let step else { return false }
      carryOut(step, now, &actions)
      return true
    case .unreachable, .configuration, .credentials, .wrongAddress, .busy, .redirected,
      .notConfirmed, .unrouted:
      return false
    }
  }

  private mutating func carryOut(_ step: Isolation.Step, _ now: Moment, _ actions: inout ActionList) {
    switch step {
    case .send(let batch): send(batch, now, &actions)
    case .loadNext: load(now, &actions)
    case .abandon: abandonSearch(now)
    case .setAside(let suspect):
      setAside(suspect, &actions)
      proceed(after: suspect.batch, now, &actions)
    case .conclude(let suspects, let probe):
      for suspect in suspects {
        if suspect.isRefusedAgain != true {
          acknowledge(suspect.batch, &actions)
        } else if suspect.refusal.mayBeServer {
          hold(suspect.batch, now, &actions)
        } else {
          setAside(suspect, &actions)
        }
      }
      acknowledge(probe, &actions)
      reportSuccess(now, &actions)
      proceed(after: probe, now, &actions)
    }
  }

  /// Passes a record that is sent again later; the cursor moves past it when it is stored as held.
  private mutating func hold(_ batch: LoadedBatch, _ now: Moment, _ actions: inout ActionList) {
    let record = HeldRecord(id: batch.through, from: batch.from)
    held.hold(record, now: now)
    var position = batch.position
    position.held = .hold(record)
    uncommitted.append(position)
    actions.acknowledge(position)
  }

  private mutating func setAside(_ suspect: Isolation.Suspect, _ actions: inout ActionList) {
    let batch = suspect.batch
    actions.append(.report(.setAside(batch.through, suspect.refusal, from: batch.from)))
    acknowledge(suspect.batch, &actions)
  }

  /// Ends the search without a result, because the server accepts no record or no other record exists. Delivery
  /// restarts later with the oldest record.
  private mutating func abandonSearch(_ now: Moment) {
    let refusal = isolation.abandon() ?? lastRefusal
    queue.assumeRecords()
    phase = .idle(until: nextRetry(refusal, now))
  }
}
