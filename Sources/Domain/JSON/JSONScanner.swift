/// Validates a whole text against the grammar of RFC 8259 in one pass.
///
/// The limit of depth bounds the stack. Strings must be UTF-8, and escaped surrogates must come in pairs.
struct JSONScanner {
  private let bytes: [UInt8]
  private let limits: CheckedJSON.Limits
  /// Decides whether the object at a path is a group; nil if the first damage is thrown.
  private let repair: (([CheckedJSON.Damage.Step]) -> Bool)?
  /// The offset after a UTF-8 byte order mark.
  let start: Int
  private var index: Int
  private var values = 0
  private var path: [CheckedJSON.Damage.Step] = []
  /// The repaired text; empty without a repair.
  private(set) var repaired: [UInt8] = []
  private(set) var damages: [CheckedJSON.Damage] = []

  init(
    _ bytes: [UInt8], limits: CheckedJSON.Limits, repair: (([CheckedJSON.Damage.Step]) -> Bool)?
  ) {
    self.bytes = bytes
    self.limits = limits
    self.repair = repair
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    index = start
  }

  mutating func scan() throws(JSONFault) {
    skipSpace()
    try value(depth: 0)
    skipSpace()
    guard index == bytes.count else { throw unexpected("the end of the text") }
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(JSONFault) {
    values += 1
    guard values <= limits.values else {
      throw fault("at most \(limits.values) values", "more", at: index)
    }
    switch next {
    case UInt8(ascii: "{"): try object(depth: depth + 1)
    case UInt8(ascii: "["): try array(depth: depth + 1)
    case UInt8(ascii: "\""):
      let (range, damage) = try string()
      try put(range, damage)
    default:
      let range = try token()
      try put(range, tokenFault(range))
    }
  }

  private mutating func object(depth: Int) throws(JSONFault) {
    let opening = try open(depth)
    let (beginning, hasGroup) = (repaired.count, repair?(path) ?? true)
    var (count, isSpoiled) = (0, false)
    emit("{")
    while !take("}") {
      if count > 0 || isSpoiled { try comma(before: "}", opening) }
      guard next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes", within: opening) }
      let (key, damage) = try string()
      if let damage, repair == nil { throw damage }
      skipSpace()
      guard take(":") else { throw unexpected("a colon", within: opening) }
      skipSpace()
      let mark = repaired.count
      if repair != nil {
        // Written in the order of the text, without removed members.
        if mark > beginning + 1 { emit(",") }
        repaired += bytes[key]
        emit(":")
        path.append(.key(String(decoding: bytes[key].dropFirst().dropLast(), as: UTF8.self)))
      }
      try value(depth: depth)
      if let damage {
        try collect(damage, isKey: true)
        repaired.removeSubrange(mark...)
        isSpoiled = true
      } else {
        count += 1
      }
      if repair != nil { path.removeLast() }
      skipSpace()
    }
    emit("}")
    guard isSpoiled, !hasGroup else { return }
    repaired.removeSubrange(beginning...)
    emit("[]")
  }

  private mutating func array(depth: Int) throws(JSONFault) {
    let opening = try open(depth)
    var count = 0
    emit("[")
    while !take("]") {
      if count > 0 {
        try comma(before: "]", opening)
        emit(",")
      }
      if repair != nil { path.append(.index(count)) }
      try value(depth: depth)
      if repair != nil { path.removeLast() }
      count += 1
      skipSpace()
    }
    emit("]")
  }

  private mutating func open(_ depth: Int) throws(JSONFault) -> Int {
    guard depth <= limits.depth else {
      throw fault("at most \(limits.depth) nested brackets", "more", at: index)
    }
    index += 1
    skipSpace()
    return index - 1
  }

  private mutating func comma(before bracket: Unicode.Scalar, _ opening: Int) throws(JSONFault) {
    guard take(",") else { throw unexpected("a comma or \(bracket)", within: opening) }
    skipSpace()
  }

  // MARK: Strings

  /// Skips a string. The range includes its quotes.
  private mutating func string() throws(JSONFault) -> (range: Range<Int>, damage: JSONFault?) {
    let start = index
    var isPlain = true
    index += 1
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
      if byte < 0x20 || byte >= 0x80 { isPlain = false }
      index += 1
      if byte == UInt8(ascii: "\\") {
        isPlain = false
        if index < bytes.count { index += 1 }
      }
    }
    guard next == UInt8(ascii: "\"") else { throw unexpected("a closing quote") }
    index += 1
    return (start..<index, isPlain ? nil : textFault(start + 1..<index - 1))
  }

  private func textFault(_ range: Range<Int>) -> JSONFault? {
    if let offset = UTF8Check.firstFault(in: bytes[range]) {
      return fault("UTF-8", at: range.lowerBound + offset)
    }
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case 0x00..<0x20: return fault("no control character in a string", at: index)
      case UInt8(ascii: "\\"):
        guard let length = lengthOfEscape(bytes[index..<range.upperBound]) else {
          return fault("a valid escape sequence", shown(index..<range.upperBound), at: index)
        }
        index += length
      default: index += 1
      }
    }
    return nil
  }

  /// The length of the escape at the start of the text, in bytes; nil if it is invalid.
  private func lengthOfEscape(_ text: ArraySlice<UInt8>) -> Int? {
    switch text.dropFirst().first {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      return UnicodeEscape.scalar(text.dropFirst(2)).map { $0.length + 2 }
    default: return nil
    }
  }

  // MARK: Numbers and literals

  /// Skips a possible number or literal.
  private mutating func token() throws(JSONFault) -> Range<Int> {
    let start = index
    while let byte = next, Self.isPartOfToken(byte) { index += 1 }
    guard index > start else { throw unexpected("a value") }
    return start..<index
  }

  private static func isPartOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private func tokenFault(_ range: Range<Int>) -> JSONFault? {
    let token = bytes[range]
    let words: [StaticString] = ["true", "false", "null"]
    let isWord = words.contains { $0.withUTF8Buffer { token.elementsEqual($0) } }
    if isWord || Self.isNumber(token) { return nil }
    return fault("a number, true, false or null", shown(range), at: range.lowerBound)
  }

  /// The longest accepted number; the shortest text of any double has at most 24 characters.
  private static let longestNumber = 400

  private static func isNumber(_ token: ArraySlice<UInt8>) -> Bool {
    guard token.count <= longestNumber else { return false }
    var remainder = token
    if remainder.first == UInt8(ascii: "-") { remainder.removeFirst() }
    let hasZero = remainder.first == UInt8(ascii: "0")
    let whole = digits(&remainder)
    guard whole > 0, !hasZero || whole == 1 else { return false }
    if remainder.first == UInt8(ascii: ".") {
      remainder.removeFirst()
      guard digits(&remainder) > 0 else { return false }
    }
    if remainder.first == UInt8(ascii: "e") || remainder.first == UInt8(ascii: "E") {
      remainder.removeFirst()
      if remainder.first == UInt8(ascii: "+") || remainder.first == UInt8(ascii: "-") {
        remainder.removeFirst()
      }
      guard digits(&remainder) > 0 else { return false }
    }
    return remainder.isEmpty
  }

  /// Removes leading digits and returns their number.
  private static func digits(_ remainder: inout ArraySlice<UInt8>) -> Int {
    let count = remainder.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    remainder.removeFirst(count)
    return count
  }

  // MARK: Repair

  /// The maximum number of damaged parts; a text with more is rejected.
  private static let mostDamages = 1000

  private mutating func put(_ range: Range<Int>, _ damage: JSONFault?) throws(JSONFault) {
    guard let damage else {
      if repair != nil { repaired += bytes[range] }
      return
    }
    try collect(damage, isKey: false)
    emit("[]")
  }

  /// Collects a damage, or throws it if it is not repaired.
  private mutating func collect(_ damage: JSONFault, isKey: Bool) throws(JSONFault) {
    guard repair != nil, damages.count < Self.mostDamages else { throw damage }
    damages.append(CheckedJSON.Damage(path: path, isKey: isKey, fault: damage))
  }

  private mutating func emit(_ text: StaticString) {
    if repair != nil { text.withUTF8Buffer { repaired.append(contentsOf: $0) } }
  }

  // MARK: Bytes

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  // MARK: Faults

  private func fault(_ expected: String, _ found: String? = nil, at offset: Int) -> JSONFault {
    JSONFault(expected: expected, found: found ?? shown(offset..<offset + 1), at: offset, in: bytes)
  }

  private func unexpected(_ expected: String) -> JSONFault { fault(expected, at: index) }

  /// A fault within brackets; at the end of the text it refers to the open bracket, which helps more.
  private func unexpected(_ expected: String, within opening: Int) -> JSONFault {
    guard index == bytes.count else { return unexpected(expected) }
    return fault("a bracket that closes this one", "the end of the text", at: opening)
  }

  /// Formats up to 20 bytes for a message: printable text in quotes, otherwise the first byte in hexadecimal.
  private func shown(_ range: Range<Int>) -> String {
    guard let first = bytes[min(range.lowerBound, bytes.count)...].first else { return "the end of the text" }
    let text = bytes[range.clamped(to: 0..<bytes.count)].prefix(20)
    guard text.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
      let digits = String(first, radix: 16, uppercase: true)
      return "0x" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
    return "\"\(String(decoding: text, as: UTF8.self))\""
  }
}
