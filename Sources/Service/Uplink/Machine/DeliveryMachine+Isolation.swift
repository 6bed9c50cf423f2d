import Quantities
import Records

extension DeliveryMachine {
  /// Handles a rejection of the batch's size or content; returns nil if the same batch is to be retried later.
  mutating func narrow(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action]? {
    // If only the newest record is sent, the next one replaces this batch.
    guard !settings.isNewestOnly else { return nil }
    switch refusal.kind {
    case .tooLarge:
      guard batch.records > 1 else { return nil }
      sizeLimit = batch.records / 2
      return send(batch, now)
    case .content: return isolate(batch, refusal, now)
    case .unreachable, .outcomeUnknown, .configuration, .credentials, .wrongAddress, .busy, .redirected,
      .notConfirmed, .unrouted:
      return nil
    }
  }

  private mutating func isolate(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action]? {
    contentRefusals = min(contentRefusals, Int.max - 1) + 1
    if isolation?.unconfirmed != nil { return confirm(isRefused: true, now) }
    if isolation == nil {
      guard contentRefusals >= Isolation.rejectionsBeforeCut else { return nil }
      isolation = Isolation(remaining: batch.records)
      dropAhead()
    } else if isolation?.suspects.isEmpty == true {
      isolation?.remaining = batch.records
    }
    guard batch.records == 1 else { return send(batch, now) }
    return suspect(batch, refusal, now)
  }

  private mutating func suspect(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action]? {
    guard contentRefusals >= Isolation.rejectionsAlone, let isolation else { return nil }
    let suspect = Isolation.Suspect(batch: batch, refusal: refusal)
    let hasSuspects = !isolation.suspects.isEmpty
    guard batch.hasMore || waiting > 0, isolation.suspects.count + 1 < Isolation.mostSuspects else {
      if hasSuspects { return abandonSearch(now) }
      guard contentRefusals >= Isolation.rejectionsAtTheEnd else { return nil }
      guard isolation.hasEvidence else { return abandonSearch(now) }
      return setAside(suspect) + finish(batch, now)
    }
    contentRefusals = 0
    self.isolation?.suspects.append(suspect)
    return load(now)
  }

  /// Sends the suspects again, one by one, after the server has accepted a later record.
  mutating func startConfirming(_ probe: LoadedBatch, _ now: Moment) -> [Action] {
    isolation?.probe = probe
    return confirmNext(now)
  }

  mutating func confirm(isRefused: Bool, _ now: Moment) -> [Action] {
    if let index = isolation?.unconfirmed { isolation?.suspects[index].isRefusedAgain = isRefused }
    return confirmNext(now)
  }

  private mutating func confirmNext(_ now: Moment) -> [Action] {
    guard let isolation, let probe = isolation.probe else { return becomeIdle(now) }
    if let index = isolation.unconfirmed { return send(isolation.suspects[index].batch, now) }
    var actions: [Action] = []
    for suspect in isolation.suspects {
      actions += suspect.isRefusedAgain == true ? setAside(suspect) : [acknowledge(suspect.batch)]
    }
    actions.append(acknowledge(probe))
    return actions + recordSuccess() + finish(probe, now)
  }

  private mutating func setAside(_ suspect: Isolation.Suspect) -> [Action] {
    [.report(.setAside(suspect.through, suspect.refusal)), acknowledge(suspect.batch)]
  }

  private mutating func finish(_ last: LoadedBatch, _ now: Moment) -> [Action] {
    endIsolation()
    return last.hasMore ? load(now) : becomeIdle(now)
  }

  /// Ends the search without a result, because the server accepts no record or no other record exists. Delivery
  /// restarts later with the oldest record.
  mutating func abandonSearch(_ now: Moment) -> [Action] {
    let refusal = isolation?.suspects.last?.refusal ?? lastRefusal
    endIsolation()
    // The next rejection restarts the search immediately.
    contentRefusals = Isolation.rejectionsBeforeCut - 1
    waiting = max(waiting, 1)
    phase = .idle(until: nextRetry(refusal, now))
    return []
  }

  mutating func endIsolation() {
    isolation = nil
    contentRefusals = 0
  }
}
