import Quantities
import Records

extension DeliveryMachine {
  /// The transport keeps to the timeout itself; only when it does not is the attempt abandoned, this much
  /// later.
  static let grace = Duration.seconds(5)

  /// When the interval allows the next attempt; nil while sending is off.
  var nextAttempt: Moment? {
    guard let interval = settings.sendInterval else { return nil }
    return lastAttempt.map { $0 + interval } ?? .zero
  }

  /// Asks for the oldest batch that is neither accepted nor in hand.
  mutating func load() -> [Action] {
    phase = .loading
    return [requestBatch(after: lastAccepted)]
  }

  private mutating func requestBatch(after: RecordID?) -> Action {
    waiting = 0
    return .loadBatch(after: after, size: max(settings.batchSize, 1))
  }

  /// A batch that is not sent now still waits in the log.
  mutating func countBack(_ batch: LoadedBatch?) {
    guard let batch else { return }
    waiting += min(max(batch.records, 1), Int.max - waiting)
    arrived += min(max(batch.records, 1), Int.max - arrived)
  }

  /// Goes on with the batch that was loaded, or rests.
  mutating func take(_ batch: LoadedBatch?, _ now: Moment) -> [Action] {
    guard let batch else {
      sendsAll = false
      return rest(now)
    }
    if batch.features == 0 {
      lastAccepted = batch.through
      let acknowledgement = acknowledge(batch)
      return [acknowledgement] + (batch.hasMore ? load() : rest(now))
    }
    let isDue = nextAttempt.map { $0 <= now } ?? false
    let flows = settings.sendInterval != nil && (batch.isFull || isDue)
    guard sendsAll || flows else {
      countBack(batch)
      return rest(now)
    }
    return send(batch, now)
  }

  /// Posts the batch once everything that must be on disk before it is there.
  mutating func send(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    let size = max(settings.batchSize, 1)
    guard batch.isReproducible(size: size) else {
      phase = .committingBorder(batch)
      return [.commitBorder(through: batch.through)]
    }
    guard uncommitted.count <= 1 else {
      phase = .awaitingAcknowledgement(batch)
      return []
    }
    let hasBacklog = batch.hasMore || ahead != .none || arrived > size - min(batch.records, size)
    phase = .posting(batch, until: now + settings.timeout + Self.grace)
    lastAttempt = now
    var actions = [Action.post(batch, attachCurrent: hasBacklog)]
    if ahead == .none, batch.hasMore || waiting >= size {
      ahead = .loading
      actions.append(requestBatch(after: batch.through))
    }
    return actions
  }

  mutating func accept(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    lastAccepted = batch.through
    lastRefusal = nil
    backOff.reset()
    var actions = [acknowledge(batch)]
    if failures > 0 {
      actions.append(.report(.recovered(failures: failures)))
      failures = 0
    }
    if !batch.hasMore { sendsAll = false }
    let following = ahead
    ahead = .none
    switch following {
    case .ready(let next): return actions + take(next, now)
    case .loading:
      phase = .loading
      return actions
    case .none: return actions + rest(now)
    }
  }

  mutating func fail(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action] {
    let wait = backOff.nextWait(retryAfter: refusal.retryAfter)
    failures = min(failures, Int.max - 1) + 1
    lastRefusal = refusal
    phase = .backingOff(batch, until: settings.sendInterval == nil && !sendsAll ? nil : now + wait)
    return failures == 1 ? [.report(.failing(refusal))] : []
  }

  private mutating func acknowledge(_ batch: LoadedBatch) -> Action {
    uncommitted.append(batch.through)
    return .acknowledge(through: batch.through)
  }

  /// Nothing in hand: loads at once what may go at once, otherwise waits for the interval.
  private mutating func rest(_ now: Moment) -> [Action] {
    let until = nextAttempt
    phase = .resting(until: until)
    guard waiting > 0 else { return [] }
    let isDue = until.map { $0 <= now } ?? false
    let isFull = settings.sendInterval != nil && waiting >= max(settings.batchSize, 1)
    return sendsAll || isDue || isFull ? load() : []
  }
}
