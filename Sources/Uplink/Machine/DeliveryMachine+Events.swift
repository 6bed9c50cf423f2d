import Quantities
import Records

extension DeliveryMachine {
  mutating func start(_ now: Moment) -> [Action] {
    guard case .resting = phase else { return [] }
    guard settings.sendInterval != nil || sendsAll else {
      // The queue is unknown: it is loaded once sending is switched on.
      waiting = max(waiting, 1)
      return []
    }
    if let heldUntil, now < heldUntil, !sendsAll {
      waiting = max(waiting, 1)
      phase = .resting(until: nextAttempt)
      return []
    }
    return load()
  }

  mutating func noteRecords(_ count: Int, _ now: Moment) -> [Action] {
    waiting += min(max(count, 0), Int.max - waiting)
    arrived += min(max(count, 0), Int.max - arrived)
    return loadIfDue(now)
  }

  mutating func noteReopened(_ now: Moment) -> [Action] {
    waiting = max(waiting, 1)
    return loadIfDue(now)
  }

  private mutating func loadIfDue(_ now: Moment) -> [Action] {
    switch phase {
    case .resting(let until):
      guard waiting > 0, let until, until <= now else { return [] }
      return load()
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .posting, .backingOff: return []
    }
  }

  mutating func noteLoaded(_ batch: LoadedBatch?, _ now: Moment) -> [Action] {
    if isAheadStale {
      isAheadStale = false
      countBack(batch)
      if case .loading = phase { return load() }
      return []
    }
    arrived = 0
    switch phase {
    case .loading: return take(batch, now)
    case .resting: return []
    case .shortening, .committingBorder, .awaitingAcknowledgement, .posting, .backingOff:
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

  mutating func noteBorder(_ through: RecordID, _ now: Moment) -> [Action] {
    switch phase {
    case .committingBorder(var batch):
      guard batch.through == through else { return [] }
      batch.isBorderCommitted = true
      return send(batch, now)
    case .resting, .loading, .shortening, .awaitingAcknowledgement, .posting, .backingOff: return []
    }
  }

  mutating func noteShortened(_ batch: LoadedBatch, _ now: Moment) -> [Action] {
    switch phase {
    case .shortening: return batch.features == 0 ? pass(batch, now) : send(batch, now)
    case .resting, .loading, .committingBorder, .awaitingAcknowledgement, .posting, .backingOff: return []
    }
  }

  mutating func noteAnswer(_ verdict: Verdict, _ now: Moment) -> [Action] {
    switch phase {
    case .posting(let batch, _):
      switch verdict {
      case .accepted: return accept(batch, now)
      case .acceptedOddly(let reason):
        oddAnswers = min(oddAnswers, Int.max - 1) + 1
        return (oddAnswers == 1 ? [.report(.odd(reason))] : []) + accept(batch, now)
      case .refused(let refusal): return fail(batch, refusal, now)
      }
    case .resting, .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .backingOff: return []
    }
  }

  mutating func noteAcknowledged(_ through: RecordID, _ now: Moment) -> [Action] {
    // Acknowledgements complete in the order of the requests. Record ids are not ordered: late records have smaller
    // ones.
    if let index = uncommitted.firstIndex(of: through) { uncommitted.removeSubrange(...index) }
    switch phase {
    case .awaitingAcknowledgement(let batch): return send(batch, now)
    case .resting, .loading, .shortening, .committingBorder, .posting, .backingOff: return []
    }
  }

  mutating func sendNow(_ now: Moment) -> [Action] {
    sendsAll = true
    backOff.reset()
    switch phase {
    case .resting: return load()
    case .backingOff(let batch, _): return retry(batch, now)
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .posting: return []
    }
  }

  /// Retries a failed batch early when the device starts to move: it is awake and may reach a network.
  ///
  /// The server's `Retry-After` is respected.
  mutating func moveOff(_ now: Moment) -> [Action] {
    guard case .backingOff(let batch, let until?) = phase, isPatient, now < until else { return [] }
    if let asked = lastRefusal?.retryAfter, let lastAttempt, now < lastAttempt + asked { return [] }
    return retry(batch, now)
  }

  mutating func change(_ new: Settings, _ now: Moment) -> [Action] {
    let isOtherSize = new.batchSize != settings.batchSize
    if isOtherSize { sizeLimit = nil }
    settings = new
    switch phase {
    case .resting:
      let until = nextAttempt
      phase = .resting(until: until)
      guard waiting > 0, let until, until <= now else { return [] }
      return load()
    case .posting(let batch, let until):
      guard isOtherSize, !batch.isBorderCommitted else { return [] }
      phase = .posting(batch.withBorder, until: until)
      return [.commitBorder(through: batch.through)]
    case .backingOff(let batch, let until):
      let next = settings.sendInterval == nil && !sendsAll ? nil : until ?? now
      guard isOtherSize, !batch.isBorderCommitted else {
        phase = .backingOff(batch, until: next)
        return []
      }
      phase = .backingOff(batch.withBorder, until: next)
      return [.commitBorder(through: batch.through)]
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement: return []
    }
  }
}

extension LoadedBatch {
  fileprivate var withBorder: LoadedBatch {
    var batch = self
    batch.isBorderCommitted = true
    return batch
  }
}
