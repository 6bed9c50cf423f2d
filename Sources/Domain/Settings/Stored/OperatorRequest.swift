/// The operator's request to set and to unset values.
public struct OperatorRequest: Equatable, Sendable {
  /// The values to set by dotted path, as `--set` takes them.
  public var values: [String: String] = [:]
  /// The dotted paths to unset.
  public var unset: Set<String> = []
  /// The errors of values of the wrong type, which ``values`` cannot contain.
  public private(set) var faults: [SettingsError] = []

  public init() {}

  /// The name of the JSON text in messages.
  static let bodyName = "settings"

  /// Reads a JSON object of dotted keys or groups of keys. null unsets the values of the operator and of servers. A text is
  /// taken as by `--set`. Throws all errors in the text and its keys; ``ConfigurationSources/faults(of:over:)`` checks the
  /// values.
  public init(json bytes: [UInt8]) throws(SettingsErrors) {
    let source = SourceText(name: Self.bodyName, bytes: bytes)
    let text: ParsedText
    do { text = try ParsedText(source) } catch {
      guard case .syntax(let location, .empty) = error else { throw SettingsErrors([error.explained]) }
      throw SettingsErrors([.wrongType(location, expected: Self.expected, got: "nothing")])
    }
    guard case .group(let members) = text.value else {
      let location = source.location(of: text.marks[""]?.value, path: "")
      throw SettingsErrors([.wrongType(location, expected: Self.expected, got: text.value.kind)])
    }
    var findings = Findings(file: source.name, origin: .operator, text: text)
    var valueFaults = findings
    var unknown = 0
    take(members, group: "", at: "", &findings, &valueFaults, &unknown)
    let more: [SettingsError] =
      unknown > Self.mostUnknown
      ? [.moreUnknownKeys(SettingLocation(file: source.name, path: ""), count: unknown - Self.mostUnknown)]
      : []
    guard findings.errors.isEmpty else { throw SettingsErrors(findings.errors + more) }
    faults = valueFaults.errors + more
  }

  /// The number of unknown keys that are listed individually.
  static let mostUnknown = 20

  private static let expected =
    #"one JSON object of settings, as in {"main.min_time": "5s", "send_interval": null}"#

  private mutating func take(
    _ members: [String: JSONValue], group: String, at location: String, _ findings: inout Findings,
    _ faults: inout Findings, _ unknown: inout Int
  ) {
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = group.isEmpty ? key : "\(group).\(key)"
      let location = Shown.path(location, key)
      guard Schema.table.knows(path) else {
        unknown += 1
        guard unknown <= Self.mostUnknown else { continue }
        if value == .null {
          findings.add(.key, location) { .unknownKey($0, nearest: SettingsReference.settings(meantBy: path)) }
        } else {
          faults.add(.key, location) { Schema.unknown(path, at: $0) }
        }
        continue
      }
      if case .group(let inner) = value, Schema.table[path] == nil {
        take(inner, group: path, at: location, &findings, &faults, &unknown)
        continue
      }
      // The scanner detects a duplicate key, but not one in two notations.
      if values[path] != nil || unset.contains(path) {
        findings.add(.key, location) { .conflict($0, with: "\(path) in another notation") }
      }
      guard value == .null else {
        guard Schema.table[path] != nil else {
          faults.add(.value, location) {
            .wrongType($0, expected: Schema.table.expectedGroup(path), got: value.kind)
          }
          continue
        }
        if Self.isOfExpectedType(value, for: path, at: location, &faults) { values[path] = value.assigned }
        continue
      }
      unset.insert(path)
      guard Schema.table[path] == nil else { continue }
      let expected = "a group of settings, with null for those to unset"
      findings.add(.value, location) { .wrongType($0, expected: expected, got: "null") }
    }
  }

  /// Returns false and adds an error if a setting that takes a literal text is given something else.
  private static func isOfExpectedType(
    _ value: JSONValue, for path: String, at location: String, _ faults: inout Findings
  ) -> Bool {
    guard let setting = Schema.table[path], setting.isLiteral else { return true }
    if case .text = value { return true }
    var unused = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    return setting.accept(value, at: location, into: &unused, &faults)
  }

  /// The object that ``init(json:)`` reads.
  public var json: String {
    var members = values.mapValues(JSONValue.text)
    for path in unset { members[path] = .null }
    return JSONValue.group(members).json
  }
}
