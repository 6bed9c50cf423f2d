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
      throw .syntax(source.place(of: error.offset, path: root), error.problem)
    }
    guard let value = JSONValue(json5: source.bytes.dropFirst(JSON5Scanner.lengthOfMark(in: source.bytes)))
    else {
      // The decoder names no place, so each piece is tried alone until it refuses one.
      let refused = scanner.scalars.first { JSONValue(json5: source.bytes[$0]) == nil }
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
