import Quantities

/// Parses the `Retry-After` header (RFC 9110 section 10.2.3): seconds, or a date.
enum RetryAfter {
  /// Returns the duration to wait; nil for an invalid header. A date in the past yields zero.
  static func duration(_ text: String, now: Timestamp) -> Duration? {
    let text = text.drop { $0 == " " }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // Longer than any wait that is respected.
      return .seconds(Int64(text).map { min($0, 1_000_000_000) } ?? 1_000_000_000)
    }
    return date(text).map { max($0 - now, .zero) }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers may send (RFC 9110 section 5.6.7).
  private static func date(_ text: Substring) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]),
      let month = months.firstIndex(where: { $0 == words[2] }), let year = Int(words[3]),
      let date = CalendarDate(year: year, month: month + 1, day: day)
    else { return nil }
    let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, let hour = Int64(clock[0]), let minute = Int64(clock[1]),
      let second = Int64(clock[2]), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    return Timestamp(date, millisecondOfDay: ((hour * 60 + minute) * 60 + second) * 1000)
  }
}
