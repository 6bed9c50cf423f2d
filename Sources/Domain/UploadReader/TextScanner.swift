/// A value in a JSON text.
struct TextValue {
  enum Kind: UInt8 { case string, number, yes, no, null, array, object }

  var kind: Kind
  /// True for a string without escapes.
  var isPlain = true
  var start: Int
  var end: Int

  /// The bytes of the value; of a string those between its quotes.
  var range: Range<Int> { kind == .string ? start + 1..<end - 1 : start..<end }
}

/// Validates a JSON text (RFC 8259, UTF-8 only) in one pass and locates its values. It copies nothing, and
/// ``depthLimit`` bounds the stack.
struct TextScanner {
  /// The limit of the levels of nested arrays and objects; Overland's bodies have six.
  static let depthLimit = 64
  /// The limits of a number: its length in bytes, and its exponent. `jsonb` of PostgreSQL has limits, too.
  private static let longestNumber = 400
  private static let largestExponent = 400

  let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position = 0
  /// The offset of the first escaped NUL since it was last cleared.
  var nulOffset: Int?
  /// The offset of the first number with a larger exponent since it was last cleared.
  var oddNumberOffset: Int?

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// A scanner at the start of a value that was validated before.
  init(_ other: TextScanner, at position: Int) {
    bytes = other.bytes
    self.position = position
  }

  // MARK: Structure

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  mutating func expectEnd() throws(UploadError) {
    skipSpace()
    guard position == bytes.count else { throw expected("the end of the text") }
  }

  /// Enters an array or object at the position; `depth` is its own level.
  mutating func enter(depth: Int) throws(UploadError) {
    guard depth <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit, offset: position) }
    position += 1
    skipSpace()
  }

  /// Returns the next key of the object, with the position at its value; nil at the end of the object, which is
  /// skipped.
  mutating func nextKey(isFirst: inout Bool) throws(UploadError) -> TextValue? {
    skipSpace()
    if take("}") { return nil }
    if !isFirst {
      guard take(",") else { throw expected("',' or '}'") }
      skipSpace()
    }
    isFirst = false
    guard next == UInt8(ascii: "\"") else { throw expected("a key") }
    let key = try string()
    skipSpace()
    guard take(":") else { throw expected("':'") }
    skipSpace()
    return key
  }

  /// Returns true with the position at the next element of the array; false at its end, which is skipped.
  mutating func nextElement(isFirst: inout Bool) throws(UploadError) -> Bool {
    skipSpace()
    if take("]") {
      return false
    }
    if !isFirst {
      guard take(",") else { throw expected("',' or ']'") }
      skipSpace()
      guard next != UInt8(ascii: "]") else { throw expected("a value") }
    }
    isFirst = false
    return true
  }

  // MARK: Values

  /// Skips a value; `depth` is the number of arrays and objects around it.
  mutating func value(depth: Int) throws(UploadError) -> TextValue {
    let start = position
    switch next {
    case UInt8(ascii: "\""): return try string()
    case UInt8(ascii: "-"), (0x30...0x39)?: return try number()
    case UInt8(ascii: "{"):
      try enter(depth: depth + 1)
      var isFirst = true
      while try nextKey(isFirst: &isFirst) != nil { _ = try value(depth: depth + 1) }
      return TextValue(kind: .object, start: start, end: position)
    case UInt8(ascii: "["):
      try enter(depth: depth + 1)
      var isFirst = true
      while try nextElement(isFirst: &isFirst) { _ = try value(depth: depth + 1) }
      return TextValue(kind: .array, start: start, end: position)
    case UInt8(ascii: "t"): return try literal("true", .yes)
    case UInt8(ascii: "f"): return try literal("false", .no)
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw expected("a value")
    }
  }

  /// Skips a value that may be nested as deeply, and have numbers as long, as it likes. Throws only if it is not JSON.
  mutating func skipValue() throws(UploadError) {
    var levels = NestingLevels()
    var isFirst = true
    repeat {
      if let isObject = levels.isInnermostObject {
        let hasNext = isObject ? try nextKey(isFirst: &isFirst) != nil : try nextElement(isFirst: &isFirst)
        guard hasNext else {
          levels.removeLast()
          isFirst = false
          continue
        }
      }
      switch next {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        levels.append(isObject: next == UInt8(ascii: "{"))
        position += 1
        isFirst = true
      case UInt8(ascii: "-"), (0x30...0x39)?: _ = try number(longest: .max)
      default: _ = try value(depth: 0)
      }
    } while levels.isInnermostObject != nil
  }

  private mutating func literal(
    _ word: StaticString, _ kind: TextValue.Kind
  ) throws(UploadError) -> TextValue {
    let start = position
    let end = start + word.utf8CodeUnitCount
    guard end <= bytes.count, isEqual(start..<end, word) else { throw expected("'\(word)'") }
    position = end
    return TextValue(kind: kind, start: start, end: end)
  }

  private mutating func number(longest: Int = longestNumber) throws(UploadError) -> TextValue {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if !take("+") { _ = take("-") }
      let first = position
      try digits()
      var exponent = 0
      for index in first..<position where exponent <= Self.largestExponent {
        exponent = exponent * 10 + Int(bytes[index] & 0xF)
      }
      if exponent > Self.largestExponent { oddNumberOffset = oddNumberOffset ?? start }
    }
    guard position - start <= longest else {
      throw .notJSON(expected: "a number of at most \(longest) bytes", offset: start)
    }
    return TextValue(kind: .number, start: start, end: position)
  }

  private mutating func digits() throws(UploadError) {
    let start = position
    while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
    guard position > start else { throw expected("a digit") }
  }

  // MARK: Strings

  mutating func string() throws(UploadError) -> TextValue {
    let start = position
    var (isPlain, isASCII) = (true, true)
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        if !isASCII, let fault = UTF8Text.firstFault(in: bytes, start + 1..<position - 1) {
          throw .notJSON(expected: "UTF-8", offset: fault)
        }
        return TextValue(kind: .string, isPlain: isPlain, start: start, end: position)
      case UInt8(ascii: "\\"):
        isPlain = false
        try escape()
      case 0..<0x20: throw expected("an escaped control character")
      default:
        if byte >= 0x80 { isASCII = false }
        position += 1
      }
    }
    throw expected("the end of a string")
  }

  private mutating func escape() throws(UploadError) {
    let start = position
    position += 1
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      let unit = try hexUnit()
      if unit == 0 { nulOffset = nulOffset ?? start }
      guard unit & 0xF800 == 0xD800 else { return }
      guard unit < 0xDC00, take("\\"), next == UInt8(ascii: "u"), try hexUnit() & 0xFC00 == 0xDC00 else {
        throw .notJSON(expected: "a pair of surrogates", offset: start)
      }
    default: throw expected("a valid escape sequence")
    }
  }

  /// Skips `u` and four hexadecimal digits.
  private mutating func hexUnit() throws(UploadError) -> UInt32 {
    position += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard position < bytes.count, let digit = UTF8Text.hexDigit(bytes[position]) else {
        throw expected("four hexadecimal digits")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  /// True if a range has exactly these bytes.
  func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      for index in 0..<word.count where bytes[range.lowerBound + index] != word[index] { return false }
      return true
    }
  }

  /// True if two ranges have the same bytes.
  func isEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where bytes[a.lowerBound + index] != bytes[b.lowerBound + index] { return false }
    return true
  }

  /// True if a string has this text.
  func hasText(_ value: TextValue, _ word: StaticString) -> Bool {
    guard value.kind == .string else { return false }
    return value.isPlain
      ? isEqual(value.range, word)
      : word.withUTF8Buffer { UTF8Text.unescaped(slice(value.range)).elementsEqual($0) }
  }

  /// The text of a string, without escapes.
  func text(_ value: TextValue) -> String {
    value.isPlain
      ? String(decoding: slice(value.range), as: UTF8.self)
      : String(decoding: UTF8Text.unescaped(slice(value.range)), as: UTF8.self)
  }

  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }

  // MARK: Bytes

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  func expected(_ what: String) -> UploadError { .notJSON(expected: what, offset: position) }
}

/// The kinds of the arrays and objects around a position, a bit for each: a body may open as many as it has bytes.
private struct NestingLevels {
  private var words: [UInt64] = []
  private var count = 0

  /// True in an object, false in an array; nil in neither.
  var isInnermostObject: Bool? {
    count == 0 ? nil : words[(count - 1) / 64] >> UInt64((count - 1) % 64) & 1 == 1
  }

  mutating func append(isObject: Bool) {
    let (word, bit) = (count / 64, UInt64(1) << UInt64(count % 64))
    if word == words.count { words.append(0) }
    if isObject { words[word] |= bit } else { words[word] &= ~bit }
    count += 1
  }

  mutating func removeLast() { count = max(count - 1, 0) }
}
