/// The settings of one version that a server can set, for a check before a value is sent.
public struct ServerSchema: Sendable {
  private enum Rules {
    /// Values are read as a device reads those of a response.
    case thisBuild
    case rows([String: SchemaRow])
  }

  /// The version that the schema describes; nil if its text names none.
  public let version: String?
  private let rules: Rules

  /// The settings of this build.
  public static let thisBuild = ServerSchema(version: nil, rules: .thisBuild)

  private init(version: String?, rules: Rules) { (self.version, self.rules) = (version, rules) }

  /// Reads the output of `outrider settings --json`; nil for any other text.
  public init?(json: [UInt8]) {
    guard case .group(let members) = JSONValue(json5: json), case .list(let list) = members["settings"],
      !list.isEmpty
    else { return nil }
    var rows: [String: SchemaRow] = [:]
    for value in list {
      guard let row = SchemaRow(value) else { return nil }
      rows[row.key] = row
    }
    if case .text(let text) = members["version"] { version = text } else { version = nil }
    rules = .rows(rows)
  }

  /// The reason why devices of the version reject or ignore a value, as text after the key; nil if they accept it.
  /// `value` is JSON.
  public func objection(to value: String, for key: String) -> String? {
    guard let value = JSONValue(json5: Array(value.utf8)) else { return "the value is not JSON" }
    guard !["main", "trip"].contains(key) else { return "it is a group; set each of its settings" }
    switch rules {
    case .thisBuild: return Self.objection(to: value, for: key)
    case .rows(let rows): return Self.objection(to: value, for: key, in: rows)
    }
  }

  // MARK: This build

  /// The response of a server that may change settings, read by a device that has only defaults.
  private static func objection(to value: JSONValue, for key: String) -> String? {
    var configuration = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    var destination = DestinationSettings()
    (destination.name, destination.maySet) = ("fleet", true)
    configuration.destinations = [destination]
    let path = key.split(separator: ".", omittingEmptySubsequences: false)
    let set = path.reversed().reduce(value) { JSONValue.group([String($1): $0]) }
    let response = JSONValue.group(["set": set]).json
    guard
      let items = ServerSet(answer: Array(response.utf8), of: "fleet", under: configuration)?.items,
      let item = items.first
    else { return ServerSet.unknown }
    switch item.verdict {
    case .taken, .unset: return nil
    case .ignored(let reason): return reason
    case .refused(let refusal): return "\(refusal)"
    }
  }

  // MARK: Another version

  private static func objection(
    to value: JSONValue, for key: String, in rows: [String: SchemaRow]
  ) -> String? {
    guard let row = rows[key] else {
      let candidates = rows.values.filter(\.isRemote).map(\.key).sorted().map { NearestKey.Candidate($0) }
      let near = NearestKey.choice(NearestKey.meant(by: key, among: candidates))
      return ServerSet.unknown + (near.map { "; did you mean \($0)?" } ?? "")
    }
    guard row.isRemote else { return "\(ServerPermissions.Objection.notForServers)" }
    return row.accepts(value) ? nil : "expected \(row.expected), got \(value.described)"
  }
}

/// One setting in the output of `outrider settings --json`.
private struct SchemaRow: Sendable {
  let key: String
  let expected: String
  let isRemote: Bool
  /// Nil for a kind that a later version has introduced.
  private let kind: SettingShape.Kind?
  private let minimum: Double
  private let maximum: Double
  private let choices: [JSONValue]
  private let canBeOff: Bool

  init?(_ value: JSONValue) {
    guard case .group(let members) = value, case .text(let key) = members["key"],
      case .text(let kind) = members["kind"]
    else { return nil }
    func number(_ name: String) -> Double? {
      if case .number(let number) = members[name] { number } else { nil }
    }
    self.key = key
    self.kind = SettingShape.Kind(rawValue: kind)
    if case .text(let text) = members["expected"] { expected = text } else { expected = "a \(kind)" }
    isRemote = members["remote"] == .boolean(true)
    minimum = number("minimum") ?? -.infinity
    maximum = number("maximum") ?? .infinity
    if case .list(let words) = members["choices"] { choices = words } else { choices = [] }
    canBeOff = members["off"] == .boolean(true)
  }

  /// True if a device accepts the value, as far as the row can tell.
  func accepts(_ value: JSONValue) -> Bool {
    if canBeOff, value == .text("off") { return true }
    guard let kind else { return true }
    switch (kind, value) {
    case (.text, .text), (.secret, .text), (.list, .list), (.object, .group): return true
    case (.choice, _): return choices.contains(value)
    case (.flag, .boolean): return true
    case (.flag, .number(let number)): return number.isFinite
    case (.flag, .text(let text)):
      return Self.wholeNumber(text) != nil
        || ["t", "y", "f", "n"].contains(where: text.lowercased().hasPrefix)
    case (.integer, .number(let number)): return Int64(exactly: number) != nil && isInRange(number)
    case (.number, .number(let number)): return number.isFinite && isInRange(number)
    case (.integer, .text(let text)), (.number, .text(let text)):
      return Self.wholeNumber(text).map(isInRange) ?? false
    case (.duration, .text(let text)): return isInRange(UnitTable.duration.value(of: text), per: 1000)
    case (.distance, .text(let text)): return isInRange(UnitTable.distance.value(of: text), per: 1000)
    case (.size, .text(let text)): return isInRange(UnitTable.bytes.value(of: text), per: 1)
    case (.text, _), (.secret, _), (.list, _), (.object, _), (.flag, _), (.integer, _), (.number, _),
      (.duration, _), (.distance, _), (.size, _):
      return false
    }
  }

  private func isInRange(_ number: Double) -> Bool { minimum <= number && number <= maximum }

  private func isInRange(_ count: Int64?, per unit: Double) -> Bool {
    count.map { isInRange(Double($0) / unit) } ?? false
  }

  /// A number that a text has in digits, which devices accept as well.
  private static func wholeNumber(_ text: String) -> Double? {
    let isNumber = text.utf8.count <= 9 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? Int(text).map(Double.init) : nil
  }
}
