import JSON

/// Reads JSON5 text in UTF-8 and records the position of every key and value.
///
/// Foundation's decoder is not used: it reports no position, ignores duplicate keys, and traps on damaged keys and numbers.
/// Depth and number of values are limited, so that no text can exhaust stack or memory.
/// Grammar: https://spec.json5.org. Stricter: unquoted keys have no escapes, white space outside strings is ASCII, and
/// ``JSON5Text`` limits the escapes.
struct JSON5Scanner {
  /// The byte offsets of a value and its key.
  struct Mark: Equatable {
    var key: Int?
    var value: Int
  }

  /// A key that is given twice, with the byte offsets of both.
  struct Duplicate: Equatable {
    var path: String
    var first: Int
    var second: Int
  }

  /// A syntax error with its byte offset.
  struct Failure: Error, Equatable {
    var problem: SyntaxProblem
    var offset: Int
  }

  static let deepest = 32
  static let mostValues = 10_000

  private let bytes: [UInt8]
  private var index: Int
  private var depth = 0
  private(set) var marks: [String: Mark] = [:]
  private(set) var duplicates: [Duplicate] = []
  /// The byte offset after every value, by path.
  private(set) var ends: [String: Int] = [:]
  /// The comments with their delimiters, in the order of the text.
  private(set) var comments: [Range<Int>] = []
  private let isLenient: Bool

  /// Creates a scanner. With `isLenient`, an invalid text or number is null.
  init(_ bytes: [UInt8], isLenient: Bool = false) {
    self.bytes = bytes
    self.isLenient = isLenient
    index = Self.lengthOfMark(in: bytes)
  }

  /// The length of the UTF-8 byte order mark at the start of the text: 3, or 0 without one.
  static func lengthOfMark(in bytes: [UInt8]) -> Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// Reads one value with surrounding white space and comments. Paths begin with `root`. Numbers that are too large or too
  /// long are infinite, so that the error of the setting reports the accepted values.
  mutating func scan(root: String) throws(Failure) -> JSONValue {
    if let offset = UTF8Check.firstFault(in: bytes) { throw failure(.notUTF8, at: offset) }
    try skipSpace()
    guard index < bytes.count else { throw failure(.empty) }
    let value = try scanValue(root, key: nil)
    try skipSpace()
    guard index == bytes.count else { throw failure(.textAfterEnd) }
    return value
  }

  /// The path of the value at whose start a failure occurred; nil for any other failure.
  func path(of failure: Failure) -> String? {
    switch failure.problem {
    case .unexpected(_, expected: .value), .neverClosed, .unterminatedText, .textWithoutQuotes, .unreadable:
      return marks.first { $0.value.value == failure.offset }?.key
    case .unexpected, .tooLarge, .notUTF8, .empty, .notAGroup, .textAfterEnd, .unterminatedComment, .tooDeep,
      .tooManyValues:
      return nil
    }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func failure(_ problem: SyntaxProblem, at offset: Int? = nil) -> Failure {
    Failure(problem: problem, offset: offset ?? index)
  }

  /// The failure for the present character if `expected` is missing.
  private func unexpected(_ expected: SyntaxProblem.Expected) -> Failure {
    let here = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
    return failure(.unexpected(here, expected: expected))
  }

  private mutating func scanValue(_ path: String, key: Int?) throws(Failure) -> JSONValue {
    guard marks.count < Self.mostValues else { throw failure(.tooManyValues(limit: Self.mostValues)) }
    marks[path] = Mark(key: key, value: index)
    defer { ends[path] = index }
    switch current {
    case UInt8(ascii: "{"): return try scanGroup(path)
    case UInt8(ascii: "["): return try scanList(path)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let range = try scanQuoted()
      return try readable(JSON5Text.read(bytes[range]).map(JSONValue.text), at: range.lowerBound)
    default: return try scanWord()
    }
  }

  private func readable(_ value: JSONValue?, at offset: Int) throws(Failure) -> JSONValue {
    guard let value = value ?? (isLenient ? .null : nil) else { throw failure(.unreadable, at: offset) }
    return value
  }

  /// Reads a group. The first of several members with the same key applies.
  private mutating func scanGroup(_ path: String) throws(Failure) -> JSONValue {
    let opening = try open()
    var seen: [String: Int] = [:]
    var members: [String: JSONValue] = [:]
    while try !close(UInt8(ascii: "}"), opening) {
      let start = index
      let key = try scanKey()
      let keyPath = Shown.path(path, key)
      try skipSpace()
      guard current == UInt8(ascii: ":") else { throw unexpected(.colon) }
      index += 1
      try skipSpace()
      if let first = seen[key] {
        duplicates.append(Duplicate(path: keyPath, first: first, second: start))
      } else {
        seen[key] = start
      }
      let value = try scanValue(keyPath, key: start)
      if seen[key] == start { members[key] = value }
      try skipComma(before: UInt8(ascii: "}"), opening)
    }
    return .group(members)
  }

  private mutating func scanList(_ path: String) throws(Failure) -> JSONValue {
    let opening = try open()
    var elements: [JSONValue] = []
    while try !close(UInt8(ascii: "]"), opening) {
      elements.append(try scanValue("\(path)[\(elements.count)]", key: nil))
      try skipComma(before: UInt8(ascii: "]"), opening)
    }
    return .list(elements)
  }

  private mutating func open() throws(Failure) -> Int {
    guard depth < Self.deepest else { throw failure(.tooDeep(limit: Self.deepest)) }
    depth += 1
    index += 1
    return index - 1
  }

  private mutating func close(_ bracket: UInt8, _ opening: Int) throws(Failure) -> Bool {
    try skipSpace()
    guard let byte = current else { throw failure(.neverClosed(bytes[opening]), at: opening) }
    guard byte == bracket else { return false }
    depth -= 1
    index += 1
    return true
  }

  private mutating func skipComma(before bracket: UInt8, _ opening: Int) throws(Failure) {
    try skipSpace()
    switch current {
    case nil: throw failure(.neverClosed(bytes[opening]), at: opening)
    case UInt8(ascii: ","): index += 1
    case bracket: return
    default: throw unexpected(.commaOr(bracket))
    }
  }

  private mutating func scanKey() throws(Failure) -> String {
    if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") {
      let range = try scanQuoted()
      guard let key = JSON5Text.read(bytes[range]) else { throw failure(.unreadable, at: range.lowerBound) }
      return key
    }
    let start = index
    if let byte = current, Self.isDigit(byte) { throw unexpected(.key) }
    while let byte = current, byte >= 0x80 || Self.isPartOfWord(byte) { index += 1 }
    guard index > start else { throw unexpected(.key) }
    let key = bytes[start..<index]
    guard JSON5Text.isBareKey(key) else { throw failure(.unreadable, at: start) }
    return String(decoding: key, as: UTF8.self)
  }

  /// Reads a quoted text. The range includes both quotes.
  private mutating func scanQuoted() throws(Failure) -> Range<Int> {
    let start = index
    index += 1
    // Stricter than JSON5: no control characters.
    while let byte = current, byte >= 0x20 {
      index += 1
      if byte == bytes[start] { return start..<index }
      guard byte == UInt8(ascii: "\\"), index < bytes.count else { continue }
      // A backslash continues a line; CR LF is one line end.
      if bytes[index] == UInt8(ascii: "\r"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") {
        index += 1
      }
      index += 1
    }
    guard let byte = current, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") else {
      throw failure(.unterminatedText, at: start)
    }
    throw unexpected(.closingQuote)
  }

  /// Reads a number or one of the words of JSON5.
  private mutating func scanWord() throws(Failure) -> JSONValue {
    let start = index
    while let byte = current,
      Self.isPartOfWord(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    {
      index += 1
    }
    guard index > start else { throw unexpected(.value) }
    let word = bytes[start..<index]
    switch String(decoding: word, as: UTF8.self) {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    case "Infinity", "NaN": break
    default: guard JSON5Number.begins(with: word.first) else { throw failure(.textWithoutQuotes, at: start) }
    }
    return try readable(JSON5Number.read(word).map(JSONValue.number), at: start)
  }

  private mutating func skipSpace() throws(Failure) {
    while let byte = current {
      switch byte {
      case UInt8(ascii: " "), 0x09...0x0D: index += 1
      case UInt8(ascii: "/"): guard try skipComment() else { return }
      default: return
      }
    }
  }

  /// Skips a comment. Returns false if the slash does not begin one.
  private mutating func skipComment() throws(Failure) -> Bool {
    let start = index
    switch index + 1 < bytes.count ? bytes[index + 1] : 0 {
    case UInt8(ascii: "/"):
      while let byte = current, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { index += 1 }
      comments.append(start..<index)
      return true
    case UInt8(ascii: "*"):
      index += 2
      while index + 1 < bytes.count {
        if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
          index += 2
          comments.append(start..<index)
          return true
        }
        index += 1
      }
      throw failure(.unterminatedComment, at: start)
    default:
      return false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
      true
    default: false
    }
  }
}
