import Quantities

/// Iterates over the comma-separated fields of a sentence; empty ones follow the last.
struct SentenceFields {
  private let text: UnsafeRawPointer
  private var offset: Int
  private let end: Int

  /// Creates an iterator. `body` is the text between `$` and `*`, as offsets from `text`. The
  /// ``Framer/slack`` bytes after it must be readable.
  @inline(__always)
  init(text: UnsafeRawPointer, body: Range<Int>) {
    self.text = text
    offset = body.lowerBound
    end = body.upperBound
  }

  @inline(__always)
  mutating func next() -> SentenceField {
    let start = offset
    guard start < end else { return SentenceField(text: text, start: end, end: end) }
    let commas = EightBytes(at: text + start).marks(of: UInt8(ascii: ","))
    let comma = commas == 0 ? self.comma(from: start &+ 8) : start &+ EightBytes.index(of: commas)
    // Bytes after the sentence are not part of its field.
    let stop = min(comma, end)
    offset = stop &+ 1
    return SentenceField(text: text, start: start, end: stop)
  }

  /// The offset of the next comma; at least `end` without one.
  @inline(__always)
  private func comma(from first: Int) -> Int {
    var position = first
    while position < end {
      let commas = EightBytes(at: text + position).marks(of: UInt8(ascii: ","))
      guard commas == 0 else { return position &+ EightBytes.index(of: commas) }
      position &+= 8
    }
    return position
  }

  /// The next field if it has a single character.
  @inline(__always)
  mutating func nextLetter() -> UInt8? {
    let comma = UInt8(ascii: ",")
    // "A,"
    guard offset &+ 1 < end, text.load(fromByteOffset: offset &+ 1, as: UInt8.self) == comma else {
      return next().letter
    }
    let letter = text.load(fromByteOffset: offset, as: UInt8.self)
    guard letter != comma else { return next().letter }
    offset &+= 2
    return letter
  }

  /// Skips a unit.
  @inline(__always)
  mutating func skipLetter() { _ = nextLetter() }

  /// Skips a value and its unit or direction.
  @inline(__always)
  mutating func skipValueAndLetter() {
    _ = next()
    skipLetter()
  }

  /// Number of fields still to read.
  var remaining: Int {
    guard offset <= end else { return 0 }
    var commas = 0
    var position = offset
    while position &+ 8 <= end {
      commas &+= EightBytes.count(of: EightBytes(at: text + position).marks(of: UInt8(ascii: ",")))
      position &+= 8
    }
    let remainder = EightBytes(EightBytes(at: text + position).prefix(end &- position))
    return commas &+ EightBytes.count(of: remainder.marks(of: UInt8(ascii: ","))) &+ 1
  }

  /// The bytes still to read.
  var remainder: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text + offset, count: max(end &- offset, 0))
  }

  /// Skips the two numbers at the start of a group; true if the second, the number within the group, is 1.
  /// Both have one digit.
  @inline(__always)
  mutating func skipToFirstOfGroup() -> Bool {
    // "4,1,"
    guard offset &+ 4 <= end, EightBytes(at: text + offset).word &>> 8 & 0xFF_FFFF == 0x2C_312C else {
      return false
    }
    offset &+= 4
    return true
  }

  mutating func skip(_ count: Int) {
    guard count > 0 else { return }
    var missing = count
    while offset < end {
      var commas = EightBytes(at: text + offset).marks(of: UInt8(ascii: ","))
      let found = EightBytes.count(of: commas)
      guard found >= missing else {
        missing &-= found
        offset &+= 8
        continue
      }
      for _ in 1..<missing { commas &= commas &- 1 }
      offset &+= EightBytes.index(of: commas) &+ 1
      return
    }
  }
}

/// One field of a sentence. Empty is not zero: every value of an empty or malformed field is nil.
struct SentenceField {
  private let text: UnsafeRawPointer
  private let start: Int
  private let end: Int

  @inline(__always)
  fileprivate init(text: UnsafeRawPointer, start: Int, end: Int) {
    self.text = text
    self.start = start
    self.end = end
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text + start, count: end &- start) }
  var count: Int { end &- start }
  var isEmpty: Bool { start == end }

  /// The field after its first `count` bytes.
  func dropping(_ count: Int) -> SentenceField {
    SentenceField(text: text, start: min(start &+ count, end), end: end)
  }

  /// The eight bytes from its start on, including bytes after its end.
  @inline(__always)
  var firstLetters: UInt64 { EightBytes(at: text + start).word }

  /// The byte of a field with a single character.
  var letter: UInt8? { count == 1 ? byte(at: start) : nil }

  @inline(__always)
  private func byte(at position: Int) -> UInt8 { text.load(fromByteOffset: position, as: UInt8.self) }

  /// A non-negative integer of at most eight digits.
  var whole: Int? { digits(count) }

  /// A decimal number with an optional sign and at most eight digits before the point. Digits after the ninth
  /// decimal are ignored.
  var decimal: Double? {
    // An empty field is followed by a comma or the end of the sentence.
    let first = byte(at: start)
    guard first < UInt8(ascii: "0") else { return unsigned(from: start) }
    let isNegative = first == UInt8(ascii: "-")
    let isSigned = isNegative || first == UInt8(ascii: "+")
    guard let value = unsigned(from: isSigned ? start &+ 1 : start) else { return nil }
    return isNegative ? -value : value
  }

  /// Milliseconds since midnight from `hhmmss[.s…]`; second 60 is allowed, digits after the third decimal are
  /// ignored.
  var timeOfDay: Int32? {
    guard count >= 6, let (hour, minute, second) = threePairs() else { return nil }
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    let whole = ((hour &* 60 &+ minute) &* 60 &+ second) &* 1000
    guard count > 6 else { return Int32(truncatingIfNeeded: whole) }
    guard byte(at: start &+ 6) == UInt8(ascii: ".") else { return nil }
    guard let fraction = fraction(from: start &+ 6) else { return nil }
    return Int32(truncatingIfNeeded: whole &+ Int(fraction.mantissa &* 1000 / fraction.scale))
  }

  /// A date from `ddmmyy`; years 80...99 are in the twentieth century.
  var date: CalendarDate? {
    guard count == 6, let (day, month, year) = threePairs() else { return nil }
    return CalendarDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
  }

  /// Degrees from `[d]ddmm.m…` and a hemisphere. A single division of integers, so no decimal is lost.
  @inline(__always)
  func angle(degreeDigits: Int, limit: Double, positive: UInt8, negative: UInt8, hemisphere: UInt8?)
    -> Double?
  {
    guard count >= degreeDigits &+ 2, let pairs = EightBytes(at: text + start).pairs(degreeDigits &+ 2),
      let fraction = fraction(from: start &+ degreeDigits &+ 2)
    else { return nil }
    let degrees = Int64(truncatingIfNeeded: (pairs &>> 16 & 0xFF) &* 100 &+ (pairs &>> 32 & 0xFF))
    let minutes = Int64(truncatingIfNeeded: pairs &>> 48)
    let scale = fraction.scale
    let ofMinute = minutes &* scale &+ fraction.mantissa
    guard ofMinute <= 60 &* scale else { return nil }
    let value = Double(degrees &* 60 &* scale &+ ofMinute) / Double(60 &* scale)
    guard value <= limit, let letter = hemisphere else { return nil }
    if letter == positive { return value }
    return letter == negative ? -value : nil
  }

  /// A dilution of precision; 0 and values from 99 mean unknown.
  var dilution: Double? { Accuracy.finite(unboundedDilution) }

  /// A dilution of precision; infinite from 99 on, nil for 0.
  var unboundedDilution: Double? { decimal.flatMap(Accuracy.dilution) }

  /// The number of the first `count` digits, at most eight.
  @inline(__always)
  private func digits(_ count: Int) -> Int? {
    guard count > 0, count <= 8, count <= self.count else { return nil }
    return EightBytes(at: text + start).number(count).map { Int(truncatingIfNeeded: $0) }
  }

  /// The first six digits in pairs.
  @inline(__always)
  private func threePairs() -> (Int, Int, Int)? {
    EightBytes(at: text + start).pairs(6).map { pairs in
      (
        Int(truncatingIfNeeded: pairs &>> 16 & 0xFF), Int(truncatingIfNeeded: pairs &>> 32 & 0xFF),
        Int(truncatingIfNeeded: pairs &>> 48)
      )
    }
  }

  private typealias Scaled = (mantissa: Int64, scale: Int64)

  /// The bytes from `position` on: nothing, or a point and digits, as an integer over a power of ten.
  @inline(__always)
  private func fraction(from position: Int) -> Scaled? {
    guard position < end else { return (0, 1) }
    guard byte(at: position) == UInt8(ascii: ".") else { return nil }
    let count = end &- position &- 1
    guard count > 0 else { return (0, 1) }
    guard count <= 8 else { return longScaled(from: position) }
    return EightBytes(at: text + (position &+ 1)).decimals(count).map {
      (Int64(truncatingIfNeeded: $0), 100_000_000)
    }
  }

  /// The unsigned number from `first` on.
  @inline(__always)
  private func unsigned(from first: Int) -> Double? {
    let count = end &- first
    guard count > 0, count <= 8 else {
      return longScaled(from: first).map { Double($0.mantissa) / Double($0.scale) }
    }
    let text = EightBytes(at: self.text + first)
    let point = EightBytes.index(of: text.marks(of: UInt8(ascii: ".")))
    guard point < count else { return text.number(count).map { Double(Int64(truncatingIfNeeded: $0)) } }
    guard count > 1, let number = text.without(point).number(count &- 1) else { return nil }
    return Double(Int64(truncatingIfNeeded: number)) / Self.powersOfTen[count &- 1 &- point]
  }

  private static let powersOfTen = [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7]

  /// Digits with at most one point, as an integer over a power of ten.
  private func longScaled(from first: Int) -> Scaled? {
    var mantissa: Int64 = 0
    var scale: Int64 = 0
    var whole = 0
    for position in first..<max(first, end) {
      let byte = byte(at: position)
      guard let digit = byte.decimalDigit else {
        guard byte == UInt8(ascii: "."), scale == 0 else { return nil }
        scale = 1
        continue
      }
      if scale == 0 {
        whole &+= 1
        guard whole <= 8 else { return nil }
      } else {
        guard scale < 1_000_000_000 else { continue }
        scale &*= 10
      }
      mantissa = mantissa &* 10 &+ Int64(digit)
    }
    guard whole > 0 || scale > 1 else { return nil }
    return (mantissa, max(scale, 1))
  }
}

extension UInt8 {
  @inline(__always)
  fileprivate var decimalDigit: UInt8? {
    let digit = self &- 0x30
    return digit < 10 ? digit : nil
  }
}

extension SentenceFields {
  /// Latitude, its hemisphere, longitude, its hemisphere; nil unless all four are valid.
  mutating func position() -> Position? {
    let (latitude, north) = (next(), nextLetter())
    let (longitude, east) = (next(), nextLetter())
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
