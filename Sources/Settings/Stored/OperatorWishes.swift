/// What an operator wants to set or to have no longer set.
public struct OperatorWishes: Equatable, Sendable {
  /// By dotted path; values as `--set` takes them.
  public var values: [String: String] = [:]
  public var unset: Set<String> = []

  public init() {}

  /// The name of the JSON text in messages.
  static let bodyName = "settings"

  /// Reads a JSON object: dotted keys or groups of them; null takes back what the operator and servers have set. Throws
  /// everything that is wrong with the text and with its keys; values are judged by ``ConfigurationSources/faults(of:over:)``.
  public init(json bytes: [UInt8]) throws(SettingsErrors) {
    let source = SourceText(name: Self.bodyName, bytes: bytes)
    let text: ParsedText
    do { text = try ParsedText(source) } catch {
      guard case .syntax(let place, .empty) = error else { throw SettingsErrors([error.explained]) }
      throw SettingsErrors([.wrongType(place, expected: Self.expected, got: "nothing")])
    }
    guard case .group(let members) = text.value else {
      let place = source.place(of: text.marks[""]?.value, path: "")
      throw SettingsErrors([.wrongType(place, expected: Self.expected, got: text.value.sort)])
    }
    var findings = Findings(file: source.name, origin: .operator, text: text)
    take(members, group: "", at: "", &findings)
    guard findings.errors.isEmpty else { throw SettingsErrors(findings.errors) }
  }

  private static let expected =
    #"one JSON object of settings, as in {"main.min_time": "5s", "send_interval": null}"#

  private mutating func take(
    _ members: [String: JSONValue], group: String, at place: String, _ findings: inout Findings
  ) {
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = group.isEmpty ? key : "\(group).\(key)"
      let place = Shown.path(place, key)
      if case .group(let inner) = value, Schema.table[path] == nil, Schema.table.knows(path) {
        take(inner, group: path, at: place, &findings)
        continue
      }
      // The scanner has seen a key that stands twice, but not one that is written in two ways.
      if values[path] != nil || unset.contains(path) {
        findings.add(.key, place) { .conflict($0, with: "\(path) written in another way") }
      }
      guard value == .null else {
        values[path] = value.assigned
        continue
      }
      unset.insert(path)
      guard Schema.table[path] == nil else { continue }
      guard !Schema.table.knows(path) else {
        let expected = "a group of settings, with null at those to be taken back"
        findings.add(.value, place) { .wrongType($0, expected: expected, got: "null") }
        continue
      }
      let nearest = NearestKey.to(path, among: Schema.table.settings.map(\.path))
      findings.add(.key, place) { .unknownKey($0, nearest: nearest) }
    }
  }

  /// The object that ``init(json:)`` reads.
  public var json: String {
    var members = values.mapValues(JSONValue.text)
    for path in unset { members[path] = .null }
    return JSONValue.group(members).json
  }
}
