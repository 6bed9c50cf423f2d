import Quantities

/// Parses the dates of certificates as libcurl prints them.
enum CertificateDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses `Nov  6 08:49:37 2027 GMT` (ASN1_TIME_print of OpenSSL) and `2027-11-06 08:49:37 GMT` (GnuTLS); nil for any
  /// other text.
  static func timestamp(_ text: String) -> Timestamp? {
    let words = text.split { $0 == " " || $0 == "-" }
    guard words.count == 5, words[4] == "GMT" else { return nil }
    if let month = months.firstIndex(where: { $0 == words[0] }) {
      return timestamp(year: words[3], month: month + 1, day: words[1], time: words[2])
    }
    return Int(words[1]).flatMap { timestamp(year: words[0], month: $0, day: words[2], time: words[3]) }
  }

  private static func timestamp(year: Substring, month: Int, day: Substring, time: Substring) -> Timestamp? {
    let clock = time.split(separator: ":").map { Int64($0) }
    guard let year = Int(year), let day = Int(day),
      let date = CalendarDate(year: year, month: month, day: day),
      clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    return Timestamp(date, millisecondOfDay: ((hour * 60 + minute) * 60 + second) * 1000)
  }
}
