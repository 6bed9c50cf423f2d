import Quantities

/// A point in time as a record refers to it: in UTC, or on the boot clock while the date is unknown.
public enum Instant: Hashable, Sendable {
  case utc(Timestamp)
  /// Not dated yet; means something only beside the boot that wrote the record.
  case boot(Moment)

  /// UTC where it is known.
  public var time: Timestamp? {
    switch self {
    case .utc(let time): time
    case .boot: nil
    }
  }

  public var isUndated: Bool { time == nil }

  /// The instant in UTC, with `offset` as UTC minus moment in milliseconds; one that is dated stays as it is.
  public func dated(offsetMilliseconds offset: Int64) -> Instant {
    switch self {
    case .utc: self
    case .boot(let moment): .utc(Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset))
    }
  }
}
