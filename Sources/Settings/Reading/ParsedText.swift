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

  /// Nil where the decoder refuses a piece, but for numbers that are too large for it: these are infinite, so that each
  /// setting says itself what it expects.
  static func decoded(_ bytes: [UInt8], _ scalars: [Range<Int>]) -> JSONValue? {
    let mark = JSON5Scanner.lengthOfMark(in: bytes)
    if let value = JSONValue(json5: bytes.dropFirst(mark)) { return value }
    var mended: [UInt8] = []
    var end = mark
    for scalar in scalars where isTooLarge(bytes[scalar]) {
      mended += bytes[end..<scalar.lowerBound]
      mended += Array((bytes[scalar.lowerBound] == UInt8(ascii: "-") ? "-Infinity" : "Infinity").utf8)
      end = scalar.upperBound
    }
    return end == mark ? nil : JSONValue(json5: mended + bytes[end...])
  }

  /// A decimal or hexadecimal number that the decoder refuses.
  private static func isTooLarge(_ scalar: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: scalar, as: UTF8.self).lowercased()
    let unsigned = text.drop { $0 == "-" || $0 == "+" }
    guard text.utf8.count - unsigned.utf8.count <= 1, JSONValue(json5: scalar) == nil else { return false }
    if unsigned.hasPrefix("0x") {
      return unsigned.utf8.count > 2 && unsigned.dropFirst(2).allSatisfy(\.isHexDigit)
    }
    let parts = unsigned.split(separator: "e", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts[0].first, first.isNumber, !parts[0].hasSuffix("."),
      first != "0" || parts[0].dropFirst().first.map({ $0 == "." }) ?? true,
      Double(parts[0]) != nil
    else { return false }
    guard parts.count == 2 else { return true }
    let exponent = parts[1].drop { $0 == "+" }
    return !exponent.isEmpty && exponent.allSatisfy(\.isWholeNumber)
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
