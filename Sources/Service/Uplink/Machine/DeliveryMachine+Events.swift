import Quantities
import Records

extension DeliveryMachine {
  mutating func start(_ now: Moment) -> [Action] {
    guard case .idle = phase else { return [] }
    guard settings.sendInterval != nil || sendsAll else {
      // The queue is unknown: it is loaded once sending is switched on.
      waiting = max(waiting, 1)
      return []
    }
    if let retryAfterEnd, now < retryAfterEnd, !sendsAll {
      waiting = max(waiting, 1)
      phase = .idle(until: nextAttempt)
      return []
    }
    return load(now)
  }

  mutating func handleRecords(_ count: Int, _ now: Moment) -> [Action] {
    waiting += min(max(count, 0), Int.max - waiting)
    arrived += min(max(count, 0), Int.max - arrived)
    return loadIfDue(now)
  }

  mutating func handleReopened(_ now: Moment) -> [Action] {
    waiting = max(waiting, 1)
    return loadIfDue(now)
  }

  private mutating func loadIfDue(_ now: Moment) -> [Action] {
    switch phase {
    case .idle(let until):
      guard waiting > 0, let until, until <= now else { return [] }
      return load(now)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting, .backingOff:
      return []
    }
  }

  mutating func handleLoaded(_ batch: LoadedBatch?, _ now: Moment) -> [Action] {
    if isAheadStale {
      isAheadStale = false
      countBack(batch)
      if case .loading = phase { return load(now) }
      return []
    }
    arrived = 0
    switch phase {
    case .loading: return take(batch, now)
    case .idle: return []
    case .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting, .backingOff:
      guard case .loading = ahead else { return [] }
      if let batch, batch.isFull || batch.features == 0 {
        ahead = .ready(batch)
      } else {
        // Incomplete: it is loaded again when its turn comes, and may have grown.
        ahead = .none
        countBack(batch)
      }
      return []
    }
  }

  mutating func handleBatchBoundary(_ through: RecordID, _ now: Moment) -> [Action] {
    switch phase {
    case .committingBatchBoundary(var batch):
      guard batch.through == through else { return [] }
      batch.boundary = .stored
      return send(batch, now)
    case .idle, .loading, .shortening, .awaitingAcknowledgement, .posting, .backingOff: return []
    }
  }

  mutating func handleShortened(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    switch phase {
    case .shortening: return batch.features == 0 ? pass(batch, now) : send(batch, now)
    case .idle, .loading, .committingBatchBoundary, .awaitingAcknowledgement, .posting, .backingOff: return []
    }
  }

  mutating func handleVerdict(_ verdict: Verdict, _ now: Moment) -> [Action] {
    switch phase {
    case .posting(let batch, _):
      switch verdict {
      case .accepted: return accept(batch, now)
      case .acceptedUnconfirmed(let reason):
        unconfirmedResponses = min(unconfirmedResponses, Int.max - 1) + 1
        return (unconfirmedResponses == 1 ? [.report(.unconfirmed(reason))] : []) + accept(batch, now)
      case .refused(let refusal): return fail(batch, refusal, now)
      }
    case .idle, .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .backingOff:
      return []
    }
  }

  mutating func handleAcknowledged(_ through: RecordID, _ now: Moment) -> [Action] {
    // Acknowledgements complete in the order of the requests. Record ids are not ordered: late records have smaller
    // ones.
    if let index = uncommitted.firstIndex(where: { $0.through == through }) {
      uncommitted.removeSubrange(...index)
    }
    switch phase {
    case .awaitingAcknowledgement(let batch): return send(batch, now)
    case .idle, .loading, .shortening, .committingBatchBoundary, .posting, .backingOff: return []
    }
  }

  mutating func sendNow(_ now: Moment) -> [Action] {
    sendsAll = true
    backOff.reset()
    switch phase {
    case .idle: return load(now)
    case .backingOff(let batch, _): return retry(batch, now)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: return []
    }
  }

  /// Retries a failed batch early when the device starts to move: it is awake and may reach a network.
  ///
  /// The server's `Retry-After` is respected.
  mutating func retryEarly(_ now: Moment) -> [Action] {
    guard case .backingOff(let batch, let until?) = phase, waitsForInterval, now < until else { return [] }
    if let asked = lastRefusal?.retryAfter, let lastAttempt, now < lastAttempt + asked { return [] }
    return retry(batch, now)
  }

  mutating func change(_ new: Settings, _ now: Moment) -> [Action] {
    let isOtherSize = new.batchSize != settings.batchSize
    if isOtherSize { sizeLimit = nil }
    settings = new
    switch phase {
    case .idle:
      let until = nextAttempt
      phase = .idle(until: until)
      guard waiting > 0, let until, until <= now else { return [] }
      return load(now)
    case .posting(let batch, let until):
      guard isOtherSize, batch.boundary != .stored else { return [] }
      phase = .posting(batch.withBatchBoundary, until: until)
      return [.commitBatchBoundary(at: batch.position)]
    case .backingOff(let batch, let until):
      let next = settings.sendInterval == nil && !sendsAll ? nil : until ?? now
      guard isOtherSize, batch.boundary != .stored else {
        phase = .backingOff(batch, until: next)
        return []
      }
      phase = .backingOff(batch.withBatchBoundary, until: next)
      return [.commitBatchBoundary(at: batch.position)]
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: return []
    }
  }
}

extension LoadedBatch {
  fileprivate var withBatchBoundary: LoadedBatch {
    var batch = self
    batch.boundary = .stored
    return batch
  }
}
