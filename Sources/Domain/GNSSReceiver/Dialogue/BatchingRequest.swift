import GNSSProtocol
import Quantities

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

  /// Counts a fix that was reported immediately during batching.
  mutating func received(_ fix: Fix) {
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
