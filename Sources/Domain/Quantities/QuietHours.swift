/// A period of every local day, as in `22:00-06:00`; it may include midnight.
///
/// The wall clock decides: on the day of a change of the clocks the period is an hour shorter or longer.
public struct QuietHours: Equatable, Sendable {
  /// The first minute of the period, counted from midnight.
  public let start: Int
  /// The first minute after the period, counted from midnight.
  public let end: Int

  private static let minutesPerDay = 1440
  /// Offsets from UTC change only at multiples of a quarter of an hour.
  private static let quarter: Int64 = 900_000

  /// Reads `HH:MM-HH:MM`; nil for anything else and for an empty period.
  public init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard ends.count == 2, let start = ends[0], let end = ends[1], start != end else { return nil }
    (self.start, self.end) = (start, end)
  }

  private static func minute(of text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isDigits: (Substring) -> Bool = { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && isDigits($0) }),
      let hour = UInt8(parts[0]),
      let minute = UInt8(parts[1]), hour < 24, minute < 60
    else { return nil }
    return Int(hour) * 60 + Int(minute)
  }

  /// The period as text, which ``init(_:)`` reads.
  public var text: String { "\(Self.text(start))-\(Self.text(end))" }

  private static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }

  /// True if the time is in the period; `ahead` is the offset of the local time from UTC.
  public func contains(_ time: Timestamp, ahead: Duration) -> Bool {
    let minute = Int((time + ahead).millisecondOfDay / 60_000)
    return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
  }

  /// The first time from `time` on that is not in the period. `aheadOfUTC` returns the offset of the local time.
  public func end(from time: Timestamp, aheadOfUTC: (Timestamp) -> Duration) -> Timestamp {
    var time = time
    // A period lasts 25 h at most, in quarters of an hour.
    for _ in 0...104 {
      let ahead = aheadOfUTC(time)
      guard contains(time, ahead: ahead) else { break }
      let day = Int64(Self.minutesPerDay) * 60_000
      let left = (Int64(end) * 60_000 - (time + ahead).millisecondOfDay + day) % day
      let change = Self.quarter - (time.milliseconds % Self.quarter + Self.quarter) % Self.quarter
      time = time + .milliseconds(min(left, change))
    }
    return time
  }
}
