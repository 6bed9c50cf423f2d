/// The text of a configuration file that is edited in place, so that comments and layout stay.
public struct EditableSettings: Sendable {
  /// The text that replaces a secret.
  public static let placeholder = "…"

  /// A secret value of the file.
  public struct HiddenValue: Equatable, Sendable {
    /// The dotted path, as in `destinations[0].token`; header names are hidden in messages, not here.
    public var path: String
    public var secret: Secret
    /// The text to show in its place: ``EditableSettings/placeholder``, or the host of an address.
    public var shown: String
  }

  public let source: SourceText
  private let values: JSONValue
  private let marks: [String: JSON5Scanner.Mark]
  private let ends: [String: Int]
  private let comments: [Range<Int>]

  /// Parses a text. Throws the syntax error, with line and column.
  public init(_ source: SourceText) throws(SettingsErrors) {
    guard source.bytes.count <= ParsedText.largest else {
      let problem = SyntaxProblem.tooLarge(bytes: source.bytes.count, limit: ParsedText.largest)
      throw SettingsErrors([.syntax(SettingLocation(file: source.name), problem)])
    }
    var scanner = JSON5Scanner(source.bytes)
    do { values = try scanner.scan(root: "") } catch {
      let location = source.location(of: error.offset, path: scanner.path(of: error) ?? "")
      throw SettingsErrors([SettingsError.syntax(location, error.problem).explained])
    }
    self.source = source
    marks = scanner.marks
    ends = scanner.ends
    comments = scanner.comments
  }

  /// All texts of the file with their paths, in the order of the paths.
  public var texts: [(path: String, text: String)] {
    Self.leaves(values, "").compactMap { path, value in
      if case .text(let text) = value { (path, text) } else { nil }
    }
  }

  /// The text at a path; nil if there is none.
  public func text(at path: String) -> String? { texts.first { $0.path == path }?.text }

  /// True if the value at a path is `true`.
  public func isTrue(at path: String) -> Bool {
    Self.leaves(values, "").contains { $0.path == path && $0.value == .boolean(true) }
  }

  /// The place of a value in the file, for messages: `outrider.json5:4:7: device_id`.
  public func location(of path: String) -> String { "\(source.location(of: marks[path]?.value, path: path))" }

  /// The file with other texts at these paths. Every other byte stays as it is; unknown paths are ignored.
  public func replacing(_ texts: [String: String]) -> [UInt8] {
    edited(
      texts.compactMap { path, text in
        span(of: path).map { ($0, Array(JSONValue.text(text).json.utf8)) }
      })
  }

  /// The secrets of the file: tokens, passwords, header values, proxies, and addresses with more than a host and a port.
  /// The schema decides: a value is secret if a listing of the settings does not show it.
  public var hiddenValues: [HiddenValue] {
    guard case .group(let members) = values else { return [] }
    var configuration = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    var findings = Findings(file: source.name, origin: .file, text: nil, chips: ChipNames())
    _ = Schema.table.apply(members, at: "", to: &configuration, &findings)
    return Schema.table.settings.flatMap { setting in
      Self.differences(
        setting.written(in: configuration, revealing: true),
        setting.written(in: configuration, revealing: false), setting.path)
    }
  }

  /// A copy of the file that everybody may read: secrets are replaced, and comments are removed, because they can contain
  /// former secrets. Every text that repeats a secret is replaced, too.
  public var withoutSecrets: [UInt8] {
    let hidden = hiddenValues
    var replacements = Dictionary(hidden.map { ($0.path, $0.shown) }) { first, _ in first }
    let secrets = hidden.map(\.secret.revealed).filter { $0.utf8.count >= Self.shortestRepeated }
    for (path, text) in texts where replacements[path] == nil && secrets.contains(where: text.contains) {
      replacements[path] = Self.placeholder
    }
    return edited(
      replacements.compactMap { path, text in
        span(of: path).map { ($0, Array(JSONValue.text(text).json.utf8)) }
      } + comments.map { ($0, []) })
  }

  /// The shortest secret whose repetition in another text is no coincidence, in bytes.
  private static let shortestRepeated = 4

  private func span(of path: String) -> Range<Int>? {
    guard let start = marks[path]?.value, let end = ends[path], start < end else { return nil }
    return start..<end
  }

  /// The bytes with these ranges replaced. The ranges do not overlap.
  private func edited(_ edits: [(range: Range<Int>, bytes: [UInt8])]) -> [UInt8] {
    var text: [UInt8] = []
    var position = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where edit.range.lowerBound >= position {
      text += source.bytes[position..<edit.range.lowerBound]
      text += edit.bytes
      position = edit.range.upperBound
    }
    return text + source.bytes[position...]
  }

  private static func leaves(_ value: JSONValue, _ path: String) -> [(path: String, value: JSONValue)] {
    switch value {
    case .group(let members):
      members.sorted { $0.key < $1.key }.flatMap { leaves($1, Shown.path(path, $0)) }
    case .list(let elements):
      elements.enumerated().flatMap { leaves($0.element, "\(path)[\($0.offset)]") }
    case .null, .boolean, .number, .text: [(path, value)]
    }
  }

  /// The texts that differ between the revealed and the hidden form of a setting.
  private static func differences(_ revealed: JSONValue, _ hidden: JSONValue, _ path: String) -> [HiddenValue]
  {
    let shown = Dictionary(leaves(hidden, path).map { ($0.path, $0.value) }) { first, _ in first }
    return leaves(revealed, path).compactMap { location, value in
      guard case .text(let text) = value, case .text(let replacement)? = shown[location], text != replacement
      else { return nil }
      let secret = Secret(text)
      return HiddenValue(
        path: location, secret: secret,
        shown: replacement == secret.description ? placeholder : replacement)
    }
  }
}
