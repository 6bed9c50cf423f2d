import HTTPServer
import Quantities

extension HTTPRequest {
  /// A time of the query: ISO 8601, or milliseconds since 1970.
  package func time(_ name: String) throws(Problem) -> Timestamp? {
    guard let text = queryValue(name) else { return nil }
    if let milliseconds = Int64(text), milliseconds.magnitude <= 253_402_300_799_999 {
      return Timestamp(milliseconds: milliseconds)
    }
    guard let time = Timestamp(iso8601: text) else {
      throw Problem(400, "\(name): expected a time such as 2026-03-01T00:00:00Z, or milliseconds since 1970")
    }
    return time
  }

  /// A whole number of the query; throws if it is outside `range`.
  package func wholeNumber(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let text = queryValue(name) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw Problem(400, "\(name): expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
