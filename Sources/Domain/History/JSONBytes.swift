import Quantities

extension [UInt8] {
  package mutating func append(_ number: Int64) { appendDecimal(number, decimals: 0) }

  /// Appends a number, or null.
  package mutating func append(optional number: Int64?) {
    if let number { append(number) } else { append("null") }
  }

  /// Appends a time in ISO 8601, or null.
  package mutating func append(iso8601 time: Timestamp?) {
    guard let time else { return append("null") }
    append("\"")
    time.appendISO8601(to: &self, fraction: time.milliseconds % 1000 == 0 ? .none : .milliseconds)
    append("\"")
  }

  /// Appends `"name":` with a comma before it.
  package mutating func append(key: StaticString) {
    append(",\"")
    append(key)
    append("\":")
  }
}
