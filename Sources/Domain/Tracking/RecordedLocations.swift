import Quantities
import Records

/// The last recorded location, the number of locations since the start, and the silence since then.
public struct RecordedLocations: Sendable {
  /// The last recorded location; nil before the first one and after one that must not be disclosed.
  public private(set) var last: LogRecord?
  /// Number of locations recorded since the start.
  public private(set) var count: Int64 = 0
  /// Start of the longest time without a record or heartbeat.
  private(set) var silentSince: Moment?
  /// Time of the last record in this run.
  private var recordedAt: Moment?

  /// Shortest time between two records of a location that replaces the fixes, unless something asks for one.
  static let shortestRepetition = Duration.seconds(60)

  /// Time since the last record, if it has the same location and is recent; else nil.
  func repetition(of coordinate: Coordinate, now: Moment) -> Duration? {
    guard let recordedAt, now - recordedAt < Self.shortestRepetition,
      case .location(let location)? = last?.body, location.coordinate == coordinate
    else { return nil }
    return now - recordedAt
  }

  /// The program started after a sleep of the host, with the silence until now.
  mutating func resumed(silence: Duration, now: Moment) { silentSince = silentSince ?? now - silence }

  /// The program started.
  mutating func began(now: Moment) { silentSince = silentSince ?? now }

  /// A location was recorded. Returns true for the first one since the start.
  mutating func recorded(_ record: LogRecord, now: Moment) -> Bool {
    defer { count += 1 }
    last = record
    (silentSince, recordedAt) = (now, now)
    return count == 0
  }

  /// The last location was recorded again, with the time until which the device was there.
  mutating func repeated(_ record: LogRecord) {
    last = record
    count += 1
  }

  /// Continues after the last record of an earlier run.
  mutating func resume(after record: LogRecord) { last = record }

  /// A heartbeat was recorded.
  mutating func beat(now: Moment) { silentSince = now }

  /// Dates the last record.
  mutating func date(_ time: Timestamp, _ quality: ClockQuality) {
    guard last?.time == nil else { return }
    last?.time = time
    last?.timeQuality = quality
  }

  /// Discards the last location: it is in a privacy zone.
  mutating func forgetLast() { last = nil }
}
