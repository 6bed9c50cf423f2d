/// What an operator wants to set or to have no longer set.
public struct OperatorWishes: Equatable, Sendable {
  /// By dotted path; values as `--set` takes them.
  public var values: [String: String] = [:]
  public var unset: Set<String> = []
  /// What was given for settings in another sort than they take, which ``values`` cannot hold.
  public private(set) var faults: [SettingsError] = []

  public init() {}

  /// The name of the JSON text in messages.
  static let bodyName = "settings"

  /// Reads a JSON object: dotted keys or groups of them; null takes back what the operator and servers have set. Throws
  /// everything that is wrong with the text and with its keys; values are judged by ``ConfigurationSources/faults(of:over:)``.
  /// A text is taken as `--set` takes it.
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
    var sorts = findings
    var unknown = 0
    take(members, group: "", at: "", &findings, &sorts, &unknown)
    let more: [SettingsError] =
      unknown > Self.mostUnknown
      ? [.moreUnknownKeys(SettingsPlace(file: source.name, path: ""), count: unknown - Self.mostUnknown)] : []
    guard findings.errors.isEmpty else { throw SettingsErrors(findings.errors + more) }
    faults = sorts.errors + more
  }

  /// The most unknown keys that are told one by one.
  static let mostUnknown = 20

  private static let expected =
    #"one JSON object of settings, as in {"main.min_time": "5s", "send_interval": null}"#

  private mutating func take(
    _ members: [String: JSONValue], group: String, at place: String, _ findings: inout Findings,
    _ faults: inout Findings, _ unknown: inout Int
  ) {
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = group.isEmpty ? key : "\(group).\(key)"
      let place = Shown.path(place, key)
      guard Schema.table.knows(path) else {
        unknown += 1
        guard unknown <= Self.mostUnknown else { continue }
        if value == .null {
          findings.add(.key, place) { .unknownKey($0, nearest: SettingsReference.settings(meantBy: path)) }
        } else {
          faults.add(.key, place) { Schema.unknown(path, at: $0) }
        }
        continue
      }
      if case .group(let inner) = value, Schema.table[path] == nil {
        take(inner, group: path, at: place, &findings, &faults, &unknown)
        continue
      }
      // The scanner has seen a key that stands twice, but not one that is written in two ways.
      if values[path] != nil || unset.contains(path) {
        findings.add(.key, place) { .conflict($0, with: "\(path) written in another way") }
      }
      guard value == .null else {
        guard Schema.table[path] != nil else {
          faults.add(.value, place) {
            .wrongType($0, expected: Schema.table.expectedGroup(path), got: value.sort)
          }
          continue
        }
        if Self.isOfTheSort(value, for: path, at: place, &faults) { values[path] = value.assigned }
        continue
      }
      unset.insert(path)
      guard Schema.table[path] == nil else { continue }
      let expected = "a group of settings, with null at those to be taken back"
      findings.add(.value, place) { .wrongType($0, expected: expected, got: "null") }
    }
  }

  /// False, with the reason, where a setting that takes the words of a text as they stand is given something else.
  private static func isOfTheSort(
    _ value: JSONValue, for path: String, at place: String, _ faults: inout Findings
  ) -> Bool {
    guard let setting = Schema.table[path], setting.isLiteral else { return true }
    if case .text = value { return true }
    var unused = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    return setting.accept(value, at: place, into: &unused, &faults)
  }

  /// The object that ``init(json:)`` reads.
  public var json: String {
    var members = values.mapValues(JSONValue.text)
    for path in unset { members[path] = .null }
    return JSONValue.group(members).json
  }
}
