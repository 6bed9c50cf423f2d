import Quantities

// A receiver that has the memory may keep its epochs while nobody waits for them; whatever else is wanted of it ends
// that first.
extension ReceiverDialogue {
  /// A shorter wait needs no memory of the receiver's: a line's buffer holds as much.
  static let leastPatience = Duration.seconds(60)
  /// A wait that was worth it goes on being so down to this.
  static let leastPatienceWhileKeeping = Duration.seconds(30)
  /// Entries that are left for the time that the telling takes.
  private static let spareEntries = 20
  /// The telling takes no more than one part in so many of the keeping.
  private static let shareOfTelling: Int64 = 20
  /// Of fewer entries nobody can tell whether some are missing.
  private static let fewEntries = 5
  /// One that kept less than half of its epochs speaks by itself for so long, to show why.
  private static let restWhenEmpty = Duration.seconds(60)
  /// An epoch may have been on its way when it was told to say no more; two were not.
  static let mostStrays = 2

  /// It can keep its epochs and tell them when asked, and has not refused that. Not on USB, where a wake-up of the host
  /// takes whole packets, nor on a line too slow for the telling.
  public var offersBatching: Bool { batchRecipe != nil }

  /// It keeps epochs that were not told yet, or is telling them: what is heard of it is not the present.
  public var keepsEpochs: Bool { batching?.keeps ?? false }

  /// It has been asked, and the epochs that come are to be put in order once all are there.
  public var isTellingEpochs: Bool { keepsEpochs && batching?.stage != .keeping }

  /// Bytes of kept epochs that are on their way; nil while none are.
  public var bytesToCome: Int? { batching?.bytesToCome }

  /// Until then its silence is agreed; nil where there is no such agreement.
  public var quietUntil: Moment? { keepsEpochs ? batching?.deadline : nil }

  private var batching: Batching? {
    guard isBatching else { return nil }
    return if case .running(let running) = phase { running.batching } else { nil }
  }

  var isRunning: Bool { if case .running = phase { true } else { false } }

  private var batchRecipe: BatchRecipe? {
    guard settings.control == .full, isConfirmed, line.hasSpeed, !isBatchingRefused, let given,
      Batching.time(1, speed: line.speed) * Int(Self.shareOfTelling) <= interval
    else { return nil }
    return dialect?.batching(given)
  }

  /// For so long it may keep them.
  private func keepingTime(entries: Int) -> Duration {
    min(wantedPatience, interval * max(entries - Self.spareEntries, 1))
  }

  /// Nothing else is wanted of it.
  private func mayBatch(_ running: Running, now: Moment) -> Bool {
    guard let dialect, demand == .awake, !isWishNew, running.setUpAt == nil, aidPlan.hasFix else {
      return false
    }
    return now >= batchingRestsUntil && !wantsSatellites && openSubject(dialect) == nil
  }

  /// After everything that happens: begins, ends or goes on, as is wanted.
  mutating func settleBatching(now: Moment, _ actions: inout [DialogueAction]) {
    if isBatching || wantedPatience >= Self.leastPatience, case .running(var running) = phase {
      if let batching = running.batching {
        if batching.stage == .keeping {
          reconsider(&running, batching, now: now, &actions)
          phase = .running(running)
        }
      } else if wantedPatience >= Self.leastPatience, running.adjusting == nil, running.aiding == nil,
        mayBatch(running, now: now), let recipe = batchRecipe,
        keepingTime(entries: recipe.entries) >= Self.leastPatience
      {
        strayEpochs = 0
        running.batching = Batching(
          recipe, line: line, waking: toldPower == .continuous ? [] : dialect?.wake().bytes ?? [], now: now,
          &actions)
        phase = .running(running)
      }
    }
    guard let since = keepsSince, !keepsEpochs else { return }
    // It was brought to something else without having been asked.
    keepsSince = nil
    loseEpochs(since: since, now: now, &actions)
  }

  private mutating func reconsider(
    _ running: inout Running, _ batching: Batching, now: Moment, _ actions: inout [DialogueAction]
  ) {
    if strayEpochs >= Self.mostStrays {
      // It speaks by itself: it has started anew and forgotten what it was told, and what it kept.
      running.batching = nil
      running.setUpAt = now.after(.zero)
      gate.arm()
      noteNewStart(isBlank: true, now: now)
      actions.append(.report(.restarted))
      return
    }
    let time = keepingTime(entries: batching.entries)
    guard let keepsSince, time >= Self.leastPatienceWhileKeeping, mayBatch(running, now: now) else {
      running.batching?.end(now: now, &actions)
      return
    }
    running.batching?.keep(until: keepsSince + time, now: now)
  }

  /// Asks for what is kept.
  mutating func retrieve(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase else { return }
    running.batching?.retrieve(now: now, &actions)
    phase = .running(running)
  }

  /// Its deadline.
  mutating func batch(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase,
      let outcome = running.batching?.handleTimeout(now: now, &actions)
    else { return }
    phase = .running(running)
    follow(outcome, now: now, &actions)
  }

  mutating func noteBatching(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase,
      let outcome = running.batching?.take(answer, now: now, &actions)
    else { return }
    phase = .running(running)
    follow(outcome, now: now, &actions)
  }

  private mutating func follow(_ outcome: Batching.Outcome, now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase, let batching = running.batching else { return }
    switch outcome {
    case .working: return
    case .begun: keepsSince = now
    case .taken(let count):
      let time = now - (keepsSince ?? now)
      if time >= interval * Self.fewEntries, interval * (2 * count) < time {
        batchingRestsUntil = now + Self.restWhenEmpty
      }
      keepsSince = now
      strayEpochs = 0
      reportLost(&running, &actions)
    case .ended:
      keepsSince = nil
      reportLost(&running, &actions)
      running.batching = nil
      phase = .running(running)
      giveUpBatching(command: batching.failed, &actions)
      return settle(now: now, setUpAt: running.setUpAt, &actions)
    case .silent:
      giveUpBatching(command: batching.failed, &actions)
      running.batching = nil
      phase = .running(running)
      return follow(Running.Outcome.silent, now: now, &actions)
    }
    phase = .running(running)
  }

  private mutating func giveUpBatching(command: String?, _ actions: inout [DialogueAction]) {
    guard let command else { return }
    isBatchingRefused = true
    actions.append(.report(.batchingFailed(command: command)))
  }

  private func reportLost(_ running: inout Running, _ actions: inout [DialogueAction]) {
    if let lost = running.batching?.takeLost(), lost > 0 { actions.append(.report(.epochsLost(lost))) }
  }

  private mutating func loseEpochs(since: Moment, now: Moment, _ actions: inout [DialogueAction]) {
    let count = Int(exactly: ((now - since) / interval).rounded(.down)) ?? 0
    if count > 0 { actions.append(.report(.epochsLost(count))) }
  }
}
