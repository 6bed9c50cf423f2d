/// A settings text that is sound JSON5: its values and where each of them stands.
struct ParsedText {
  static let largest = 1 << 20

  let source: SourceText
  let value: JSONValue
  let marks: [String: JSON5Scanner.Mark]
  let duplicates: [JSON5Scanner.Duplicate]

  /// Throws ``SettingsError/syntax(_:_:)`` with line and column. Paths begin with `root`.
  init(_ source: SourceText, root: String = "") throws(SettingsError) {
    guard source.bytes.count <= Self.largest else {
      let problem = SyntaxProblem.tooLarge(bytes: source.bytes.count, limit: Self.largest)
      throw .syntax(SettingsPlace(file: source.name, path: root), problem)
    }
    if let offset = Self.firstOutsideUTF8(source.bytes) {
      throw .syntax(source.place(of: offset, path: root), .notUTF8)
    }
    var scanner = JSON5Scanner(source.bytes)
    do {
      try scanner.scan(root: root)
    } catch {
      throw .syntax(source.place(of: error.offset, path: scanner.path(of: error) ?? root), error.problem)
    }
    guard let value = Self.decoded(source.bytes, scanner.scalars) else {
      // The decoder names no place, so each piece is tried alone until it refuses one.
      let refused = scanner.scalars.first { Self.decoded(Array(source.bytes[$0]), [0..<$0.count]) == nil }
      let path = refused.flatMap { scalar in
        scanner.marks.first { $0.value.value == scalar.lowerBound }?.key
      }
      throw .syntax(source.place(of: refused?.lowerBound, path: path ?? root), .unreadable)
    }
    self.source = source
    self.value = value
    marks = scanner.marks
    duplicates = scanner.duplicates
  }

  /// The value of a text that was scanned; nil where a piece cannot be read. Numbers that are too large or too long are
  /// infinite, so that each setting says itself what it expects. Leniently, a piece that cannot be read is null.
  static func decoded(_ bytes: [UInt8], _ scalars: [Range<Int>], isLenient: Bool = false) -> JSONValue? {
    var text: [UInt8] = []
    var end = JSON5Scanner.lengthOfMark(in: bytes)
    for scalar in scalars where JSON5Number.begins(with: bytes[scalar].first) {
      let number = JSON5Number.read(bytes[scalar])
      guard number != nil || isLenient else { return nil }
      text += bytes[end..<scalar.lowerBound]
      text += Array((number.map(JSON5Number.written) ?? "null").utf8)
      end = scalar.upperBound
    }
    return JSONValue(json5: text + bytes[end...], isLenient: isLenient)
  }

  private static func firstOutsideUTF8(_ bytes: [UInt8]) -> Int? {
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar): offset += scalar.count
      case .emptyInput: return nil
      case .error: return offset
      }
    }
  }
}
