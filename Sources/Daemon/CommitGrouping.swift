import Quantities
import Records
import Store

/// Gathers records into groups that are made durable together, so that flash is written seldom.
public struct CommitGrouping: Sendable {
  /// Zero: each record is a group of its own.
  public var interval: Duration { didSet { plan() } }
  /// When the group is due; nil while it is empty. Early enough to be durable when the interval ends.
  public private(set) var nextTimeout: Moment?
  /// How much earlier than due the group may be written to join another wake-up.
  public private(set) var slack = Duration.zero

  private var waiting = WaitingRecords(limit: Self.capacity)
  private var oldest: Moment?
  private var isUrgent = false

  /// What a commit may take on slow flash before the promise of the interval is broken.
  static let longestCommit = Duration.seconds(1)
  /// A group of so many is due at once: a recording that is played fast fills memory sooner than the interval ends.
  static let largestGroup = 1000
  /// The most records that wait for a log that cannot keep up; at 1 Hz nearly three hours.
  static let capacity = 10_000

  public init(interval: Duration) { self.interval = interval }

  public var count: Int { waiting.records.count }

  public mutating func add(_ record: LogRecord, atOnce: Bool, now: Moment) {
    waiting.add(record)
    if atOnce { isUrgent = true }
    let isFirst = oldest == nil
    if isFirst { oldest = now }
    if isFirst || isDueAtOnce { plan() }
  }

  private var isDueAtOnce: Bool { isUrgent || count >= Self.largestGroup }

  /// Made when the answer changes and not each time the loop asks: every fix passes here.
  private mutating func plan() {
    guard !isDueAtOnce else { return (nextTimeout, slack) = (oldest, .zero) }
    nextTimeout = oldest.map { $0 + interval - min(interval / 4, Self.longestCommit) }
    slack = interval / 2
  }

  /// Takes the group. `dropped` locations before it found no room in memory.
  public mutating func take() -> (records: [LogRecord], dropped: Int) {
    defer {
      waiting.clear()
      oldest = nil
      isUrgent = false
      plan()
    }
    return (waiting.records, waiting.dropped)
  }
}
