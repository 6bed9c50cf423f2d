import JSON

/// Validates a body as JSON (RFC 8259) and finds the exact bytes of every Feature.
///
/// It copies nothing. Its time is linear in the length, and ``depthLimit`` bounds the stack.
struct BodyScanner {
  /// The maximum number of levels of nesting; Overland's bodies have six.
  static let depthLimit = 64
  static let featureLimit = 100_000

  private let bytes: [UInt8]
  private var position = 0
  private var features: [Range<Int>] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The ranges of the elements of the outermost `locations` and `features`, in order. An element may be no object.
  static func features(in body: [UInt8]) throws(BodyError) -> [Range<Int>] {
    var scanner = BodyScanner(body)
    try scanner.scan()
    if let offset = UTF8Check.firstFault(in: body) { throw .notText(offset: offset) }
    return scanner.features
  }

  /// The ranges of the elements of a body that is one array.
  static func elements(of body: [UInt8]) throws(BodyError) -> [Range<Int>] {
    var scanner = BodyScanner(body)
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "[") else { throw scanner.expected("an array") }
    try scanner.array { (scanner) throws(BodyError) in
      guard scanner.features.count < Self.featureLimit else {
        throw .tooManyFeatures(limit: Self.featureLimit)
      }
      let start = scanner.position
      try scanner.value(depth: 1)
      scanner.features.append(start..<scanner.position)
    }
    scanner.skipSpace()
    guard scanner.next == nil else { throw scanner.expected("the end of the text") }
    if let offset = UTF8Check.firstFault(in: body) { throw .notText(offset: offset) }
    return scanner.features
  }

  private mutating func scan() throws(BodyError) {
    var hasList = false
    skipSpace()
    let isObject = next == UInt8(ascii: "{")
    if isObject {
      try object { (scanner, key) throws(BodyError) in
        switch scanner.word(key) {
        case "locations"?, "features"?:
          hasList = true
          try scanner.list(named: scanner.word(key) ?? "")
        default: try scanner.value(depth: 1)
        }
      }
    } else {
      try value(depth: 0)
    }
    skipSpace()
    guard next == nil else { throw expected("the end of the text") }
    guard hasList else { throw .noList }
  }

  private mutating func list(named key: String) throws(BodyError) {
    guard next == UInt8(ascii: "[") else {
      // If the rest of the body is not JSON, that error is more helpful.
      try value(depth: 1)
      throw .notAList(key: key)
    }
    try array { (scanner) throws(BodyError) in
      guard scanner.features.count < Self.featureLimit else {
        throw .tooManyFeatures(limit: Self.featureLimit)
      }
      let start = scanner.position
      try scanner.value(depth: 2)
      scanner.features.append(start..<scanner.position)
    }
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(BodyError) {
    guard depth < Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit, offset: position) }
    switch next {
    case UInt8(ascii: "{")?:
      try object { (scanner, _) throws(BodyError) in try scanner.value(depth: depth + 1) }
    case UInt8(ascii: "[")?: try array { (scanner) throws(BodyError) in try scanner.value(depth: depth + 1) }
    case UInt8(ascii: "\"")?: _ = try string()
    case UInt8(ascii: "t")?: try literal("true")
    case UInt8(ascii: "f")?: try literal("false")
    case UInt8(ascii: "n")?: try literal("null")
    case UInt8(ascii: "-")?, (0x30...0x39)?: try number()
    default: throw expected("a value")
    }
  }

  private mutating func object(
    _ member: (inout BodyScanner, Range<Int>) throws(BodyError) -> Void
  ) throws(BodyError) {
    position += 1
    skipSpace()
    if take("}") { return }
    while true {
      guard next == UInt8(ascii: "\"") else { throw expected("a key") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw expected("':'") }
      skipSpace()
      try member(&self, key)
      skipSpace()
      if take("}") { return }
      guard take(",") else { throw expected("',' or '}'") }
      skipSpace()
    }
  }

  private mutating func array(
    _ element: (inout BodyScanner) throws(BodyError) -> Void
  ) throws(BodyError) {
    position += 1
    skipSpace()
    if take("]") { return }
    while true {
      try element(&self)
      skipSpace()
      if take("]") { return }
      guard take(",") else { throw expected("',' or ']'") }
      skipSpace()
    }
  }

  /// Skips a string and returns the range between its quotes.
  private mutating func string() throws(BodyError) -> Range<Int> {
    position += 1
    let start = position
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return start..<position - 1
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20:
        position -= 1
        throw expected("an escaped control character")
      default: break
      }
    }
    throw expected("the end of a string")
  }

  private mutating func escape() throws(BodyError) {
    switch next {
    case UInt8(ascii: "u")?:
      position += 1
      for _ in 0..<4 {
        switch next {
        case (0x30...0x39)?, (0x41...0x46)?, (0x61...0x66)?: position += 1
        default: throw expected("four hexadecimal digits")
        }
      }
    case UInt8(ascii: "\"")?, UInt8(ascii: "\\")?, UInt8(ascii: "/")?, UInt8(ascii: "b")?, UInt8(ascii: "f")?,
      UInt8(ascii: "n")?, UInt8(ascii: "r")?, UInt8(ascii: "t")?:
      position += 1
    default: throw expected("a valid escape sequence")
    }
  }

  private mutating func number() throws(BodyError) {
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
  }

  private mutating func digits() throws(BodyError) {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw expected("a digit") }
  }

  private mutating func literal(_ word: StaticString) throws(BodyError) {
    let end = position + word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
    guard isThere else { throw expected("'\(word)'") }
    position = end
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private func word(_ range: Range<Int>) -> String? {
    range.count <= 16 ? String(decoding: bytes[range], as: UTF8.self) : nil
  }

  private func expected(_ what: String) -> BodyError { .notJSON(expected: what, offset: position) }
}
