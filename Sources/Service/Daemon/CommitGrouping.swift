import Quantities
import Records
import Store

/// Collects records into groups that are committed together, to reduce writes to flash.
///
/// The logger adds records and takes the group when ``nextTimeout`` has passed.
public struct CommitGrouping: Sendable {
  /// The longest time from a record to its commit; zero commits every record by itself.
  private var interval: Duration
  /// The time at which the group is due: early enough to be durable when the interval ends. Nil while the group is empty.
  public private(set) var nextTimeout: Moment?
  /// The time by which the group may be written early to share another wake-up.
  public private(set) var slack = Duration.zero

  private var waiting = WaitingRecords(limit: Self.capacity)
  private var oldest: Moment?
  private var isUrgent = false

  /// The time reserved for the commit itself on slow flash.
  static let longestCommit = Duration.seconds(1)
  /// Number of records at which a group is due immediately, because a recording that is played fast fills memory before
  /// the interval ends.
  static let largestGroup = 1000
  /// The maximum number of records that are kept for a log that cannot keep up; nearly three hours at 1 Hz.
  static let capacity = 10_000

  public init(interval: Duration) { self.interval = interval }

  /// Changes the longest time from a record to its commit.
  public mutating func setInterval(_ interval: Duration) {
    self.interval = interval
    schedule()
  }

  /// The number of records in the group.
  public var count: Int { waiting.records.count }

  /// Adds a record. `atOnce` makes the group due immediately.
  public mutating func add(_ record: LogRecord, atOnce: Bool, now: Moment) {
    waiting.add(record)
    if atOnce { isUrgent = true }
    let isFirst = oldest == nil
    if isFirst { oldest = now }
    if isFirst || isDueAtOnce { schedule() }
  }

  private var isDueAtOnce: Bool { isUrgent || count >= Self.largestGroup }

  /// Computes the deadline when it changes, not on every turn of the loop: every fix passes here.
  private mutating func schedule() {
    guard !isDueAtOnce else { return (nextTimeout, slack) = (oldest, .zero) }
    nextTimeout = oldest.map { $0 + interval - min(interval / 4, Self.longestCommit) }
    slack = interval / 2
  }

  /// Removes and returns the group. `dropped` is the number of older locations that were dropped because memory is
  /// bounded.
  public mutating func take() -> (records: [LogRecord], dropped: Int) {
    defer {
      waiting.clear()
      oldest = nil
      isUrgent = false
      schedule()
    }
    return (waiting.records, waiting.dropped)
  }
}
