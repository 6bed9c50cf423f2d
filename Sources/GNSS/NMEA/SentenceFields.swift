import Quantities

/// Hands out the comma-separated fields of a sentence one after the other; past the last, empty ones.
struct SentenceFields {
  private let body: UnsafeRawBufferPointer
  private var offset = 0

  /// `body` is the text between `$` and `*`.
  init(body: UnsafeRawBufferPointer) { self.body = body }

  mutating func next() -> SentenceField {
    guard offset <= body.count else {
      return SentenceField(bytes: UnsafeRawBufferPointer(rebasing: body[..<0]))
    }
    var end = offset
    while end < body.count, body[end] != UInt8(ascii: ",") { end += 1 }
    let field = SentenceField(bytes: UnsafeRawBufferPointer(rebasing: body[offset..<end]))
    offset = end + 1
    return field
  }

  mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = next() }
  }
}

/// One field of a sentence. Empty is not zero: every reading of an empty or malformed field is nil.
struct SentenceField {
  let bytes: UnsafeRawBufferPointer

  /// The byte of a field of one character.
  var letter: UInt8? { bytes.count == 1 ? bytes[0] : nil }

  /// A whole number of at most nine digits.
  var whole: Int? { digits(0..<bytes.count) }

  /// A decimal number with an optional sign. Digits beyond nine decimals are cut.
  var decimal: Double? {
    var index = 0
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { index = 1 }
    guard let (mantissa, scale) = scaled(from: index) else { return nil }
    let value = Double(mantissa) / Double(scale)
    return isNegative ? -value : value
  }

  /// Milliseconds of the day from `hhmmss[.s…]`; second 60 is allowed, digits beyond the third are cut.
  var timeOfDay: Int32? {
    guard bytes.count >= 6, let hour = digits(0..<2), let minute = digits(2..<4), let second = digits(4..<6),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction = 0
    if bytes.count > 6 {
      guard bytes[6] == UInt8(ascii: ".") else { return nil }
      var unit = 100
      for byte in bytes[7...] {
        guard let digit = byte.decimalDigit else { return nil }
        fraction += digit * unit
        unit /= 10
      }
    }
    return Int32(((hour * 60 + minute) * 60 + second) * 1000 + fraction)
  }

  /// A day from `ddmmyy`; years 80...99 are of the twentieth century.
  var date: CalendarDate? {
    guard bytes.count == 6, let day = digits(0..<2), let month = digits(2..<4), let year = digits(4..<6)
    else { return nil }
    return CalendarDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
  }

  /// Degrees from `[d]ddmm.m…` and a hemisphere. One division of whole numbers, so no decimal is lost.
  func angle(degreeDigits: Int, limit: Double, positive: UInt8, negative: UInt8, hemisphere: SentenceField)
    -> Double?
  {
    guard bytes.count >= degreeDigits + 2, let degrees = digits(0..<degreeDigits),
      digits(degreeDigits..<degreeDigits + 2) != nil, let (minutes, scale) = scaled(from: degreeDigits),
      minutes <= 60 * scale
    else { return nil }
    let value = Double(Int64(degrees) * 60 * scale + minutes) / Double(60 * scale)
    guard value <= limit else { return nil }
    switch hemisphere.letter {
    case positive: return value
    case negative: return -value
    case _: return nil
    }
  }

  /// A dilution of precision; 0 and 99 upwards mean unknown.
  var dilution: Double? {
    guard let value = decimal, value > 0, value < 99 else { return nil }
    return value
  }

  private func digits(_ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 9, range.upperBound <= bytes.count else { return nil }
    var value = 0
    for index in range {
      guard let digit = bytes[index].decimalDigit else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Digits with at most one point as a whole number over a power of ten.
  private func scaled(from index: Int) -> (mantissa: Int64, scale: Int64)? {
    var mantissa: Int64 = 0
    var scale: Int64 = 1
    var whole = 0
    var seenPoint = false
    var seenDigit = false
    for byte in bytes[index...] {
      if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
        continue
      }
      guard let digit = byte.decimalDigit else { return nil }
      seenDigit = true
      if seenPoint {
        guard scale < 1_000_000_000 else { continue }
        scale *= 10
      } else {
        whole += 1
        guard whole <= 8 else { return nil }
      }
      mantissa = mantissa * 10 + Int64(digit)
    }
    return seenDigit ? (mantissa, scale) : nil
  }
}

extension UInt8 {
  fileprivate var decimalDigit: Int? { (0x30...0x39).contains(self) ? Int(self) - 0x30 : nil }
}

extension SentenceFields {
  /// Latitude, its hemisphere, longitude, its hemisphere; nil unless all four are sound.
  mutating func position() -> Position? {
    let (latitude, north) = (next(), next())
    let (longitude, east) = (next(), next())
    guard
      let latitude = latitude.angle(
        degreeDigits: 2, limit: 90, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"),
        hemisphere: north),
      let longitude = longitude.angle(
        degreeDigits: 3, limit: 180, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"),
        hemisphere: east)
    else { return nil }
    return Position(latitude: latitude, longitude: longitude)
  }
}
