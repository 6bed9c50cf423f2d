import Quantities

/// Renders times in the local time zone, with the offset, so that each text is unambiguous.
public struct WallClock: Sendable {
  private let offset: @Sendable (Timestamp) -> Duration

  /// Creates the clock of a time zone. `ahead` is the offset of its local time from UTC at a given time.
  public init(_ ahead: @escaping @Sendable (Timestamp) -> Duration) { offset = ahead }

  /// Returns the offset of the local time from UTC at a given time.
  public func ahead(_ time: Timestamp) -> Duration { offset(time) }

  /// Returns the local day at a given time, counted from 1970-01-01.
  public func day(of time: Timestamp) -> Int { (time + offset(time)).day }

  /// Returns `2026-03-01T12:15:00+02:00`, or with `Z` if the zone is UTC.
  public func text(_ time: Timestamp) -> String {
    let minutes = ahead(time).wholeSeconds / 60
    guard minutes != 0 else { return time.iso8601() }
    let shown = (time + .seconds(minutes * 60)).iso8601().dropLast()
    return "\(shown)\(Self.suffix(minutes))"
  }

  /// Returns the zone at a time: `UTC+02:00`, or `UTC`.
  public func zone(at time: Timestamp) -> String {
    let minutes = ahead(time).wholeSeconds / 60
    return minutes == 0 ? "UTC" : "UTC\(Self.suffix(minutes))"
  }

  private static func suffix(_ minutes: Int64) -> String {
    let (hours, remainder) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(minutes < 0 ? "-" : "+")\(padded(hours)):\(padded(remainder))"
  }
}
