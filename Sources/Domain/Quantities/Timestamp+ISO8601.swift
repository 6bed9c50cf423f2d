extension Timestamp {
  /// The fraction of a second in a text.
  public enum Fraction: Sendable {
    /// Whole seconds, truncated: `2026-03-01T10:15:02Z`.
    case none
    /// Milliseconds with three digits: `2026-03-01T10:15:02.250Z`.
    case milliseconds
  }

  /// Appends the time as ISO 8601 in UTC with `Z`. Only the array's growth allocates memory.
  public func appendISO8601(to text: inout [UInt8], fraction: Fraction = .none) {
    let date = self.date
    let ofDay = millisecondOfDay
    text.appendPadded(date.year, digits: 4)
    text.append(UInt8(ascii: "-"))
    text.appendPadded(date.month, digits: 2)
    text.append(UInt8(ascii: "-"))
    text.appendPadded(date.day, digits: 2)
    text.append(UInt8(ascii: "T"))
    text.appendPadded(Int(ofDay / 3_600_000), digits: 2)
    text.append(UInt8(ascii: ":"))
    text.appendPadded(Int(ofDay / 60_000 % 60), digits: 2)
    text.append(UInt8(ascii: ":"))
    text.appendPadded(Int(ofDay / 1000 % 60), digits: 2)
    if case .milliseconds = fraction {
      text.append(UInt8(ascii: "."))
      text.appendPadded(Int(ofDay % 1000), digits: 3)
    }
    text.append(UInt8(ascii: "Z"))
  }

  /// The time as ISO 8601 in UTC with `Z`.
  public func iso8601(fraction: Fraction = .none) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(24)
    appendISO8601(to: &text, fraction: fraction)
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM|±HHMM)`; nil for other texts.
  ///
  /// A space may replace the `T`. Second 60 is the first of the next minute. Digits beyond the millisecond are ignored.
  public init?(iso8601 text: some StringProtocol) {
    var reader = DigitReader(Array(text.utf8))
    guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
      reader.skip("-"), let day = reader.number(digits: 2), reader.skip("T") || reader.skip(" "),
      let hour = reader.number(digits: 2), reader.skip(":"), let minute = reader.number(digits: 2),
      reader.skip(":"), let second = reader.number(digits: 2), hour < 24, minute < 60, second <= 60,
      let date = CalendarDate(year: year, month: month, day: day)
    else { return nil }
    var millisecond = 0
    if reader.skip(".") {
      guard let fraction = reader.fractionInThousandths() else { return nil }
      millisecond = fraction
    }
    guard let offset = reader.zoneOffsetInMinutes(), reader.isAtEnd else { return nil }
    let ofDay = Int64(((hour * 60 + minute - offset) * 60 + second) * 1000 + millisecond)
    self.init(date, millisecondOfDay: ofDay)
  }
}

private struct DigitReader {
  let bytes: [UInt8]
  var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func digit() -> Int? {
    guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
    position += 1
    return Int(bytes[position - 1] - 0x30)
  }

  mutating func number(digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  mutating func fractionInThousandths() -> Int? {
    guard var value = digit() else { return nil }
    var digits = 1
    while let digit = digit() {
      if digits < 3 {
        value = value * 10 + digit
        digits += 1
      }
    }
    while digits < 3 {
      value *= 10
      digits += 1
    }
    return value
  }

  mutating func zoneOffsetInMinutes() -> Int? {
    if skip("Z") { return 0 }
    let sign = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = number(digits: 2) else { return nil }
    _ = skip(":")
    guard let minutes = number(digits: 2), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes)
  }
}
