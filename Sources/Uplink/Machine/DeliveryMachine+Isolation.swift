import Quantities
import Records

extension DeliveryMachine {
  /// What a refusal of the batch's size or content leads to; nil when the same batch is to be tried again later.
  mutating func narrow(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action]? {
    // Where only the newest record is wanted the next one takes its place anyway.
    guard !settings.isNewestOnly else { return nil }
    switch refusal.kind {
    case .tooLarge:
      guard batch.records > 1 else { return nil }
      sizeLimit = batch.records / 2
      return send(batch, now)
    case .content: return isolate(batch, refusal, now)
    case .unreachable, .outcomeUnknown, .configuration, .credentials, .wrongPlace, .busy, .redirected,
      .notConfirmed, .unrouted:
      return nil
    }
  }

  private mutating func isolate(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action]? {
    contentRefusals = min(contentRefusals, Int.max - 1) + 1
    if isolation?.unconfirmed != nil { return confirm(isRefused: true, now) }
    if isolation == nil {
      guard contentRefusals >= Isolation.patience else { return nil }
      isolation = Isolation(remaining: batch.records)
      dropAhead()
    } else if isolation?.suspects.isEmpty == true {
      isolation?.remaining = batch.records
    }
    guard batch.records == 1 else { return send(batch, now) }
    return suspect(batch, refusal, now)
  }

  private mutating func suspect(_ batch: LoadedBatch, _ refusal: Refusal, _ now: Moment) -> [Action]? {
    guard contentRefusals >= Isolation.patienceAlone, let isolation else { return nil }
    let suspect = Isolation.Suspect(batch: batch, refusal: refusal)
    let hasSuspects = !isolation.suspects.isEmpty
    guard batch.hasMore || waiting > 0, isolation.suspects.count + 1 < Isolation.mostSuspects else {
      if hasSuspects { return standBack(now) }
      guard contentRefusals >= Isolation.patienceAtTheEnd else { return nil }
      guard isolation.hasEvidence else { return standBack(now) }
      return setAside(suspect) + finish(batch, now)
    }
    contentRefusals = 0
    self.isolation?.suspects.append(suspect)
    return load()
  }

  /// The server took a record behind the suspects: now they are tried once more, one by one.
  mutating func startConfirming(_ probe: LoadedBatch, _ now: Moment) -> [Action] {
    isolation?.probe = probe
    return confirmNext(now)
  }

  mutating func confirm(isRefused: Bool, _ now: Moment) -> [Action] {
    if let index = isolation?.unconfirmed { isolation?.suspects[index].isRefusedAgain = isRefused }
    return confirmNext(now)
  }

  private mutating func confirmNext(_ now: Moment) -> [Action] {
    guard let isolation, let probe = isolation.probe else { return rest(now) }
    if let index = isolation.unconfirmed { return send(isolation.suspects[index].batch, now) }
    var actions: [Action] = []
    for suspect in isolation.suspects {
      actions += suspect.isRefusedAgain == true ? setAside(suspect) : [acknowledge(suspect.batch)]
    }
    actions.append(acknowledge(probe))
    return actions + noteSuccess() + finish(probe, now)
  }

  private mutating func setAside(_ suspect: Isolation.Suspect) -> [Action] {
    [.report(.setAside(suspect.through, suspect.refusal)), acknowledge(suspect.batch)]
  }

  private mutating func finish(_ last: LoadedBatch, _ now: Moment) -> [Action] {
    endIsolation()
    lastAccepted = last.through
    return last.hasMore ? load() : rest(now)
  }

  /// The server takes nothing at all, or there is nothing else to offer: begins again with the oldest record, later.
  mutating func standBack(_ now: Moment) -> [Action] {
    let refusal = isolation?.suspects.last?.refusal ?? lastRefusal
    endIsolation()
    // The next refusal goes straight on to the search.
    contentRefusals = Isolation.patience - 1
    waiting = max(waiting, 1)
    phase = .resting(until: nextRetry(refusal, now))
    return []
  }

  mutating func endIsolation() {
    isolation = nil
    contentRefusals = 0
  }
}
