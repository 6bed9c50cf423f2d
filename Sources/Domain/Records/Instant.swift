import Quantities

/// A point in time within a record: in UTC, or on the boot clock while the date is unknown.
public enum Instant: Hashable, Sendable {
  case utc(Timestamp)
  /// A time that is not dated yet, on the clock of the boot that wrote the record.
  case boot(Moment)

  /// The time in UTC; nil while unknown.
  public var time: Timestamp? {
    switch self {
    case .utc(let time): time
    case .boot: nil
    }
  }

  /// True if the time in UTC is unknown.
  public var isUndated: Bool { time == nil }

  /// The instant in UTC, where `offset` is UTC minus boot clock in milliseconds. A dated instant is returned unchanged.
  public func dated(offsetMilliseconds offset: Int64) -> Instant {
    switch self {
    case .utc: self
    case .boot(let moment): .utc(Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset))
    }
  }
}
