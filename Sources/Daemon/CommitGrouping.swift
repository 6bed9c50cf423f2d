import Quantities
import Records
import Store

/// Gathers records into groups that are made durable together, so that flash is written seldom.
public struct CommitGrouping: Sendable {
  /// Zero: each record is a group of its own.
  public var interval: Duration { didSet { (lead, leeway) = Self.reserves(of: interval) } }
  /// How long before the end of the interval a group is due, and how much earlier still it may be written.
  private var lead: Duration
  private var leeway: Duration
  private var waiting = WaitingRecords(limit: Self.capacity)
  private var oldest: Moment?
  private var isUrgent = false

  /// What a commit may take on slow flash before the promise of the interval is broken.
  static let longestCommit = Duration.seconds(1)
  /// A group of so many is due at once: a recording that is played fast fills memory sooner than the interval ends.
  static let largestGroup = 1000
  /// The most records that wait for a log that cannot keep up; at 1 Hz nearly three hours.
  static let capacity = 10_000

  public init(interval: Duration) {
    self.interval = interval
    (lead, leeway) = Self.reserves(of: interval)
  }

  private static func reserves(of interval: Duration) -> (lead: Duration, leeway: Duration) {
    (min(interval / 4, longestCommit), interval / 2)
  }

  public var count: Int { waiting.records.count }

  public mutating func add(_ record: LogRecord, atOnce: Bool, now: Moment) {
    waiting.add([record])
    if oldest == nil { oldest = now }
    if atOnce { isUrgent = true }
  }

  private var isDueAtOnce: Bool { isUrgent || count >= Self.largestGroup }

  /// When the group is due; nil while it is empty. Early enough to be durable when the interval ends.
  public var nextTimeout: Moment? {
    oldest.map { isDueAtOnce ? $0 : $0 + interval - lead }
  }

  /// How much earlier than due the group may be written to join another wake-up.
  public var slack: Duration { isDueAtOnce ? .zero : leeway }

  /// Takes the group. `dropped` locations before it found no room in memory.
  public mutating func take() -> (records: [LogRecord], dropped: Int) {
    defer {
      waiting.clear()
      oldest = nil
      isUrgent = false
    }
    return (waiting.records, waiting.dropped)
  }
}
