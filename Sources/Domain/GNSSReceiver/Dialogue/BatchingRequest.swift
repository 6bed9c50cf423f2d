import GNSSProtocol
import Quantities

/// The time between the last epoch of one run of the program and the first one that the next run retrieved.
public struct MissingEpochs: Equatable, Sendable {
  /// UTC of the last epoch before.
  public var after: Timestamp
  /// UTC of the first epoch afterwards.
  public var before: Timestamp
  /// Epochs for which the receiver had no room; zero if it stored none in this time, because it had no fix, restarted, or its
  /// epochs were lost on the line.
  public var dropped: Int

  public init(after: Timestamp, before: Timestamp, dropped: Int) {
    (self.after, self.before, self.dropped) = (after, before, dropped)
  }

  /// Number of epochs at this interval.
  func count(interval: Duration) -> Int {
    let steps = Int(exactly: ((before - after) / max(interval, .milliseconds(1))).rounded()) ?? 0
    return max(steps - 1, 0)
  }
}

/// The request to store epochs in the receiver: if it is in order now, and how long a batch may last.
struct BatchingRequest: Sendable {
  /// Shortest useful batching time; for a shorter one the buffer of the serial line is enough.
  static let leastLatencyBudget = Duration.seconds(60)
  /// Shortest batching time at which batching that has started continues.
  private static let leastLatencyBudgetWhileStoring = Duration.seconds(30)
  /// Entries reserved for the time that the transfer takes.
  private static let spareEntries = 20
  /// Number of entries below which it is uncertain if some are missing.
  private static let fewEntries = 5
  /// Time for which the receiver reports every epoch after a batch with less than half of the epochs, so that
  /// the cause shows.
  private static let backOffWhenEmpty = Duration.seconds(60)
  /// Largest number of unrequested epochs. One epoch may have been in transit when batching started; two were
  /// not.
  private static let mostUnsolicitedEpochs = 2

  /// Longest time that epochs may stay in the receiver's memory.
  private var latencyBudget = Duration.zero
  private(set) var isRefused = false
  /// Earliest time at which batching may start again.
  private var backOffUntil = Moment.zero
  /// Start of the batch that was not retrieved yet; nil while the receiver reports every epoch.
  private var keepsSince: Moment?
  /// Epochs that the receiver reported by itself during batching.
  private var unsolicitedEpochs = 0
  /// UTC of the last epoch.
  private(set) var lastEpoch: Timestamp?
  /// The batch that an earlier run left in the receiver, until its first epoch.
  private var earlierBatch: EarlierBatch?
  /// The epochs of that batch that are missing and not reported.
  private var missing: MissingEpochs?

  /// A batch that an earlier run of the program began.
  private struct EarlierBatch {
    /// UTC of the last epoch before it.
    var after: Timestamp
    /// Epochs for which the receiver had no room.
    var dropped = 0
  }

  mutating func request(latencyBudget: Duration) { self.latencyBudget = max(latencyBudget, .zero) }

  /// True if the requested time is long enough to begin batching.
  var isUseful: Bool { latencyBudget >= Self.leastLatencyBudget }

  /// True if a batch was begun and not retrieved.
  var isKeeping: Bool { keepsSince != nil }

  /// True if the receiver reports by itself during batching: it has restarted and lost its settings and the
  /// stored epochs.
  var isContradicted: Bool { unsolicitedEpochs >= Self.mostUnsolicitedEpochs }

  /// True if a receiver with this number of entries may begin to store epochs.
  func mayBegin(entries: Int, interval: Duration) -> Bool {
    isUseful && time(entries: entries, interval: interval) >= Self.leastLatencyBudget
  }

  /// True if no back-off prevents batching.
  func isAllowed(now: Moment) -> Bool { now >= backOffUntil }

  /// The end of the current batch; nil if batching is to end.
  func batchEnd(entries: Int, interval: Duration) -> Moment? {
    let time = time(entries: entries, interval: interval)
    guard let keepsSince, time >= Self.leastLatencyBudgetWhileStoring else { return nil }
    return keepsSince + time
  }

  /// The time for which the receiver may store epochs.
  private func time(entries: Int, interval: Duration) -> Duration {
    min(latencyBudget, interval * max(entries - Self.spareEntries, 1))
  }

  // MARK: The course of a batch

  /// The commands that begin batching are being sent.
  mutating func beginning() { unsolicitedEpochs = 0 }

  mutating func begun(now: Moment) { keepsSince = now }

  /// A batch that an earlier run of the program began after the epoch at `time` is being retrieved.
  mutating func continued(after time: Timestamp?, now: Moment) {
    keepsSince = now
    earlierBatch = time.map { EarlierBatch(after: $0) }
  }

  /// The receiver had no room for so many epochs of the batch of an earlier run.
  mutating func earlierDropped(_ count: Int) { earlierBatch?.dropped += count }

  /// Takes note of a fix; counts one that was reported immediately during batching.
  mutating func received(_ fix: Fix) {
    if let time = fix.timestamp {
      lastEpoch = time
      if let batch = earlierBatch, time > batch.after {
        earlierBatch = nil
        missing = MissingEpochs(after: batch.after, before: time, dropped: batch.dropped)
      }
    }
    guard !fix.isStored, isKeeping else { return }
    unsolicitedEpochs = min(unsolicitedEpochs + 1, Self.mostUnsolicitedEpochs)
  }

  /// Records a retrieval of `count` epochs; the next batch begins.
  mutating func retrieved(_ count: Int, interval: Duration, now: Moment) {
    let time = now - (keepsSince ?? now)
    if time >= interval * Self.fewEntries, interval * (2 * count) < time {
      backOffUntil = now + Self.backOffWhenEmpty
    }
    keepsSince = now
    unsolicitedEpochs = 0
  }

  mutating func ended() { keepsSince = nil }

  /// Reports once that the batch of an earlier run does not begin where that run ended.
  mutating func reportMissing(interval: Duration, _ actions: inout [DialogueAction]) {
    guard let missing else { return }
    self.missing = nil
    if missing.count(interval: interval) > 0 {
      actions.append(.report(.epochsMissing(missing, count: missing.count(interval: interval))))
    }
  }

  /// Reports the epochs of a batch as lost, because another phase began without a retrieval.
  mutating func abandon(interval: Duration, now: Moment, _ actions: inout [DialogueAction]) {
    guard let since = keepsSince else { return }
    keepsSince = nil
    let count = Int(exactly: ((now - since) / interval).rounded(.down)) ?? 0
    if count > 0 { actions.append(.report(.epochsLost(count))) }
  }

  /// Gives up batching after a command failed; without `command` none has.
  mutating func refuse(command: String?, _ actions: inout [DialogueAction]) {
    guard let command else { return }
    isRefused = true
    actions.append(.report(.batchingFailed(command: command)))
  }

  /// Allows batching, because the next device on this port may be another one.
  mutating func allow() { isRefused = false }
}
