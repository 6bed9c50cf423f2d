/// A settings text in valid JSON5: its values and their positions.
struct ParsedText {
  /// The largest text, in bytes.
  static let largest = 1 << 20

  let source: SourceText
  let value: JSONValue
  let marks: [String: JSON5Scanner.Mark]
  let duplicates: [JSON5Scanner.Duplicate]

  /// Parses a text. Throws ``SettingsError/syntax(_:_:)`` with line and column. Paths begin with `root`.
  init(_ source: SourceText, root: String = "") throws(SettingsError) {
    guard source.bytes.count <= Self.largest else {
      let problem = SyntaxProblem.tooLarge(bytes: source.bytes.count, limit: Self.largest)
      throw .syntax(SettingLocation(file: source.name, path: root), problem)
    }
    var scanner = JSON5Scanner(source.bytes)
    do {
      value = try scanner.scan(root: root)
    } catch {
      throw .syntax(source.location(of: error.offset, path: scanner.path(of: error) ?? root), error.problem)
    }
    self.source = source
    marks = scanner.marks
    duplicates = scanner.duplicates
  }
}
