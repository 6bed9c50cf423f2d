import GNSSProtocol
import Quantities

// Batching: a receiver with enough memory may store its epochs while no program needs them. Any other request
// ends batching first.
extension ReceiverDialogue {
  /// Shortest useful batching time; for a shorter one the buffer of the serial line is enough.
  static let leastLatencyBudget = Duration.seconds(60)
  /// Shortest batching time at which batching that has started continues.
  static let leastLatencyBudgetWhileStoring = Duration.seconds(30)
  /// Entries reserved for the time that the transfer takes.
  private static let spareEntries = 20
  /// The transfer takes at most this fraction (1 / n) of the batching time.
  private static let transferShare: Int64 = 20
  /// Number of entries below which it is uncertain if some are missing.
  private static let fewEntries = 5
  /// Time for which the receiver reports every epoch after a batch with less than half of the epochs, so that the cause
  /// shows.
  private static let backOffWhenEmpty = Duration.seconds(60)
  /// Largest number of unrequested epochs. One epoch may have been in transit when batching started; two were not.
  static let mostUnsolicitedEpochs = 2

  /// True if the receiver can store its epochs and send them on request, and has not rejected that. False on
  /// USB, where a wake-up of the host consumes whole packets, and on a line too slow for the transfer.
  public var offersBatching: Bool { batchSequence != nil }

  /// True if the receiver stores epochs that were not sent yet, or is sending them: received data does not
  /// describe the present.
  public var keepsEpochs: Bool { batching?.keeps ?? false }

  /// True if the stored epochs were requested; they are put in order when all have arrived.
  public var isTransferringEpochs: Bool { keepsEpochs && batching?.stage != .keeping }

  /// Number of bytes of stored epochs still to come; nil if none are.
  public var bytesToCome: Int? { batching?.bytesToCome }

  /// End of the silence that batching allows; nil without batching.
  public var quietUntil: Moment? { keepsEpochs ? batching?.deadline : nil }

  private var batching: Batching? {
    guard isBatching else { return nil }
    return if case .running(let running) = phase { running.batching } else { nil }
  }

  var isRunning: Bool { if case .running = phase { true } else { false } }

  private var batchSequence: BatchSequence? {
    guard settings.control == .full, isConfirmed, line.hasSpeed, !isBatchingRefused,
      let setUp = applied.setUp,
      Batching.time(1, speed: line.speed) * Int(Self.transferShare) <= interval
    else { return nil }
    return dialect?.batching(setUp)
  }

  /// The time for which the receiver may store epochs.
  private func keepingTime(entries: Int) -> Duration {
    min(desiredLatencyBudget, interval * max(entries - Self.spareEntries, 1))
  }

  /// True if no other request is open.
  private func mayBatch(_ running: Running, now: Moment) -> Bool {
    guard let dialect, desiredState == .awake, !isDesiredSetUpNew, running.setUpAt == nil,
      aidingSchedule.hasFix
    else {
      return false
    }
    return now >= batchingBackOffUntil && !desired.reportsSatellites && openSubject(dialect) == nil
  }

  /// Begins, ends or continues batching after every event, as requested.
  mutating func settleBatching(now: Moment, _ actions: inout [DialogueAction]) {
    if isBatching || desiredLatencyBudget >= Self.leastLatencyBudget, case .running(var running) = phase {
      if let batching = running.batching {
        if batching.stage == .keeping {
          reconsider(&running, batching, now: now, &actions)
          phase = .running(running)
        }
      } else if desiredLatencyBudget >= Self.leastLatencyBudget, running.adjusting == nil,
        running.aiding == nil,
        mayBatch(running, now: now), let sequence = batchSequence,
        keepingTime(entries: sequence.entries) >= Self.leastLatencyBudget
      {
        unsolicitedEpochs = 0
        running.batching = Batching(
          sequence, line: line, waking: applied.power == .continuous ? [] : dialect?.wake().bytes ?? [],
          now: now,
          &actions)
        phase = .running(running)
      }
    }
    guard let since = keepsSince, !keepsEpochs else { return }
    // Another phase began without a retrieval.
    keepsSince = nil
    loseEpochs(since: since, now: now, &actions)
  }

  private mutating func reconsider(
    _ running: inout Running, _ batching: Batching, now: Moment, _ actions: inout [DialogueAction]
  ) {
    if unsolicitedEpochs >= Self.mostUnsolicitedEpochs {
      // The receiver reports by itself: it has restarted and lost its settings and the stored epochs.
      running.batching = nil
      running.setUpAt = now.after(.zero)
      gate.arm()
      recordNewStart(isBlank: true, now: now)
      actions.append(.report(.restarted))
      return
    }
    let time = keepingTime(entries: batching.entries)
    guard let keepsSince, time >= Self.leastLatencyBudgetWhileStoring, mayBatch(running, now: now) else {
      running.batching?.end(now: now, &actions)
      return
    }
    running.batching?.keep(until: keepsSince + time, now: now)
  }

  /// Requests the stored epochs.
  mutating func retrieve(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase else { return }
    running.batching?.retrieve(now: now, &actions)
    phase = .running(running)
  }

  /// Handles the deadline of batching.
  mutating func batch(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase,
      let outcome = running.batching?.handleTimeout(now: now, &actions)
    else { return }
    phase = .running(running)
    follow(outcome, now: now, &actions)
  }

  mutating func handleBatchingAnswer(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction])
  {
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
        batchingBackOffUntil = now + Self.backOffWhenEmpty
      }
      keepsSince = now
      unsolicitedEpochs = 0
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
