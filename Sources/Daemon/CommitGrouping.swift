import Quantities
import Records

/// Gathers records into groups that are made durable together, so that flash is written seldom.
public struct CommitGrouping: Sendable {
  /// Zero: each record is a group of its own.
  public var interval: Duration
  public private(set) var records: [LogRecord] = []
  /// Records given up because the log could not keep up and memory is bounded.
  private var dropped: Int64 = 0
  private var oldest: Moment?
  private var isUrgent = false

  /// What a commit may take on slow flash before the promise of the interval is broken.
  static let longestCommit = Duration.seconds(1)
  /// The most records that wait; at 1 Hz nearly three hours.
  static let capacity = 10_000

  public init(interval: Duration) { self.interval = interval }

  public mutating func add(_ record: LogRecord, atOnce: Bool, now: Moment) {
    if records.count >= Self.capacity { makeRoom() }
    records.append(record)
    if oldest == nil { oldest = now }
    if atOnce { isUrgent = true }
  }

  /// When the group is due; nil while it is empty. Early enough to be durable when the interval ends.
  public var nextTimeout: Moment? {
    oldest.map { isUrgent ? $0 : $0 + interval - min(interval / 4, Self.longestCommit) }
  }

  /// How much earlier than due the group may be written to join another wake-up.
  public var slack: Duration { isUrgent ? .zero : interval / 2 }

  /// How many records were given up since the last call.
  public mutating func takeDropped() -> Int64 {
    defer { dropped = 0 }
    return dropped
  }

  /// Takes the group that is due.
  public mutating func take() -> [LogRecord] {
    defer {
      records.removeAll(keepingCapacity: true)
      oldest = nil
      isUrgent = false
    }
    return records
  }

  /// Puts a group back that could not be handed over; it is due again after a pause.
  public mutating func putBack(_ group: [LogRecord], until moment: Moment) {
    records.insert(contentsOf: group, at: 0)
    oldest = moment - interval
    isUrgent = false
  }

  /// Gives up the oldest location: events explain the log and stay.
  private mutating func makeRoom() {
    let index = records.firstIndex { if case .location = $0.body { true } else { false } } ?? 0
    records.remove(at: index)
    dropped += 1
  }
}
