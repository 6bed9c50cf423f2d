import Quantities
import Records

extension DeliveryMachine {
  /// The time after the timeout at which an attempt is abandoned. It matters only if the transport exceeds its own
  /// timeout.
  static let grace = Duration.seconds(5)

  /// The earliest time of the next attempt by the send interval; nil while sending is off.
  var nextAttempt: Moment? {
    guard let interval = settings.sendInterval else { return nil }
    return max(lastAttempt.map { $0 + interval } ?? .zero, retryAfterEnd ?? .zero)
  }

  /// Requests the oldest batch that is neither accepted nor in progress. If it will be sent whatever its size, its boundary
  /// is stored with the request.
  mutating func load(_ now: Moment) -> [Action] {
    phase = .loading
    guard !isAheadStale else { return [] }
    let isDue = nextAttempt.map { $0 <= now || isolation != nil } ?? false
    return [
      requestBatch(
        after: isolation?.suspects.last?.batch.position ?? uncommitted.last,
        largestToSend: sendsAll || isDue ? mostRecords ?? .max : 0)
    ]
  }

  private mutating func requestBatch(after: BatchPosition?, largestToSend: Int) -> Action {
    waiting = 0
    return .loadBatch(BatchRequest(after: after, size: batchSize, largestToSend: largestToSend))
  }

  /// Adds a batch that is not sent now to the count of the queue.
  mutating func countBack(_ batch: LoadedBatch?) {
    guard let batch else { return }
    waiting += min(max(batch.records, 1), Int.max - waiting)
    arrived += min(max(batch.records, 1), Int.max - arrived)
  }

  /// Sends or postpones a loaded batch.
  mutating func take(_ batch: LoadedBatch?, _ now: Moment) -> [Action] {
    guard let batch else {
      if isolation?.suspects.isEmpty == false { return abandonSearch(now) }
      sendsAll = false
      return becomeIdle(now)
    }
    if batch.features == 0 { return pass(batch, now) }
    let isDue = nextAttempt.map { $0 <= now } ?? false
    if settings.pacing == .whenDue, isDue { sendsAll = true }
    let flows = settings.sendInterval != nil && (isFlowing(batch) || isDue || isolation != nil)
    guard sendsAll || flows else {
      countBack(batch)
      return becomeIdle(now)
    }
    return send(batch, now)
  }

  private func isFlowing(_ batch: LoadedBatch) -> Bool { settings.pacing == .fullBatches && batch.isFull }

  /// Acknowledges a batch in which nothing can be sent.
  mutating func pass(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    // The acknowledgement would cover the suspects before the batch, too.
    if isolation?.suspects.isEmpty == false { return abandonSearch(now) }
    let acknowledgement = acknowledge(batch)
    isolation?.subtract(passed: batch.records)
    if isolation?.remaining == 0 { endIsolation() }
    return [acknowledgement] + (batch.hasMore ? load(now) : becomeIdle(now))
  }

  /// Sends a failed batch again, or newer records if only the newest is sent.
  mutating func retry(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    guard settings.isNewestOnly, batch.isSuperseded, batch.hasMore || waiting > 0 else {
      return send(batch, now)
    }
    dropAhead()
    return [acknowledge(batch)] + load(now)
  }

  /// Posts the batch, or shortens it first. It waits until everything that must be on disk before is written.
  mutating func send(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    if let most = mostRecords, most < batch.records { return shorten(batch, to: most) }
    guard batch.isReproducible(size: batchSize) else {
      phase = .committingBatchBoundary(batch)
      return [.commitBatchBoundary(at: batch.position)]
    }
    guard !awaitsAcknowledgement else {
      phase = .awaitingAcknowledgement(batch)
      return []
    }
    let hasBacklog = batch.hasMore || ahead != .none || arrived > batchSize - min(batch.records, batchSize)
    phase = .posting(batch, until: now + settings.timeout + Self.grace)
    (lastAttempt, retryAfterEnd) = (now, nil)
    var actions = [Action.post(batch, attachCurrent: hasBacklog)]
    if ahead == .none, !isAheadStale, isolation == nil, batch.hasMore || waiting >= batchSize {
      ahead = .loading
      // Only a full batch is used, and the boundary of the batch in progress must stay.
      actions.append(requestBatch(after: batch.position, largestToSend: 0))
    }
    return actions
  }

  /// The maximum number of records in the next request; nil if there is no limit.
  private var mostRecords: Int? {
    let limit = [settings.largestRequest, sizeLimit, isolation?.next].compactMap { $0 }.min()
    return limit.map { max($0, 1) }
  }

  mutating func shorten(_ batch: LoadedBatch, to count: Int) -> [Action] {
    phase = .shortening(batch)
    dropAhead()
    return [.shorten(batch, to: count)]
  }

  /// Discards the batch that was loaded in advance, because it no longer follows the batch in progress.
  mutating func dropAhead() {
    switch ahead {
    case .none: break
    case .loading: isAheadStale = true
    case .ready(let batch): countBack(batch)
    }
    ahead = .none
  }

  mutating func accept(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    let wasSearching = isolation != nil
    contentRefusals = 0
    if isolation?.unconfirmed != nil { return confirm(isRefused: false, now) }
    if isolation?.suspects.isEmpty == false { return startConfirming(batch, now) }
    isolation?.hasEvidence = true
    isolation?.subtract(passed: batch.records)
    if isolation?.remaining == 0 { endIsolation() }
    let actions = [acknowledge(batch)] + recordSuccess()
    if !batch.hasMore { sendsAll = false }
    let following = ahead
    ahead = .none
    switch following {
    case .ready(let next): return actions + take(next, now)
    case .loading:
      phase = .loading
      return actions
    // During a search no batch is loaded in advance.
    case .none: return actions + (wasSearching && batch.hasMore ? load(now) : becomeIdle(now))
    }
  }

  mutating func recordSuccess() -> [Action] {
    lastRefusal = nil
    backOff.reset()
    guard failures > 0 else { return [] }
    defer { failures = 0 }
    return [.report(.recovered(failures: failures))]
  }

  mutating func fail(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action] {
    failures = min(failures, Int.max - 1) + 1
    // A missing subscriber is a different condition from an unreachable broker, and reported again.
    let isNew = failures == 1 || (refusal.kind == .unrouted && lastRefusal?.kind != .unrouted)
    lastRefusal = refusal
    let report: [Action] = isNew ? [.report(.failing(refusal))] : []
    return report + (narrow(batch, refusal, now) ?? waitAndRetry(batch, refusal, now))
  }

  /// The number of failures after which a device on battery waits for the send interval.
  static let quickRetries = 2

  mutating func waitAndRetry(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action] {
    phase = .backingOff(batch, until: nextRetry(refusal, now))
    return []
  }

  /// True if a retry waits for the send interval.
  var waitsForInterval: Bool { settings.savesEnergy && failures > Self.quickRetries && !sendsAll }

  /// The time of the next attempt after a failure; nil if only on request.
  mutating func nextRetry(_ refusal: Refusal?, _ now: Moment) -> Moment? {
    let wait = backOff.nextWait(retryAfter: refusal?.retryAfter)
    guard let interval = settings.sendInterval else { return sendsAll ? now + wait : nil }
    return now + (waitsForInterval ? max(wait, interval) : wait)
  }

  mutating func acknowledge(_ batch: LoadedBatch) -> Action {
    uncommitted.append(batch.position)
    return .acknowledge(at: batch.position, next: nil)
  }

  /// Becomes idle, or loads the next batch immediately if it is due.
  mutating func becomeIdle(_ now: Moment) -> [Action] {
    let until = nextAttempt
    phase = .idle(until: until)
    guard waiting > 0 else { return [] }
    let isDue = until.map { $0 <= now } ?? false
    let isFull = settings.sendInterval != nil && settings.pacing == .fullBatches && waiting >= batchSize
    return sendsAll || isDue || isFull ? load(now) : []
  }
}
