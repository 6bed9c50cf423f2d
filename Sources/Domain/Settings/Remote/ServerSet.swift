/// The settings that a server sends with its response, with a verdict per key.
public struct ServerSet: Equatable, Sendable {
  /// The result of checking one key.
  public enum Verdict: Equatable, Sendable {
    /// The key is valid; the value is in the form that `--set` accepts.
    case taken(ServerKey, value: String)
    /// The server removes its own value of the setting.
    case unset(ServerKey)
    /// The key is not a setting that servers can change; with the reason.
    case ignored(String)
    /// A setting that servers can change, but not with this value or on this device.
    case refused(Refusal)
  }

  /// The reason for the rejection of a value.
  public enum Refusal: Equatable, Sendable {
    /// The setting does not accept the value; both are described for the message.
    case invalid(expected: String, value: String)
    case notPermitted(ServerPermissions.Objection)
    /// The operator has set the destination's own value in `destinations`.
    case setInDestinations
    case setByOperator(path: String)
    case setOnCommandLine(path: String)
    /// The same response sets and unsets it.
    case contradiction
  }

  /// One key of the response.
  public struct Item: Equatable, Sendable {
    /// The dotted path, as the server wrote it.
    public var path: String
    public var verdict: Verdict
  }

  /// The items, sorted by path.
  public let items: [Item]

  /// The reason for ignoring an unknown key; a suggestion can follow.
  public static let unknown = "unknown setting"
  static let mostItems = 100
  /// The number of bytes of a response that are read. A response of this size was truncated unless it is complete JSON.
  public static let largest = 256 << 10
  /// The number of unknown keys per response that get a suggestion.
  static let mostAdvised = 10

  /// Reads the response of `destination`; nil if it has neither `set` nor `unset`.
  public init?(answer bytes: [UInt8], of destination: String, under configuration: Configuration) {
    let keys = ["set", "unset"].filter { bytes.firstRange(of: Array("\"\($0)\"".utf8)) != nil }
    guard let first = keys.first else { return nil }
    let answer: JSONValue
    do throws(Unreadable) { answer = try Self.parse(bytes) } catch {
      // Only a response that was intended as settings is reported.
      guard bytes.first == UInt8(ascii: "{") else { return nil }
      let reason =
        bytes.count == Self.largest ? "it is larger than \(Self.largest / 1024) KiB" : error.reason
      items = [Item(path: first, verdict: .ignored("cannot read the response: \(reason)"))]
      return
    }
    guard case .group(let members) = answer else { return nil }
    var parts = keys.compactMap { key in members[key].flatMap { $0 == .null ? nil : (key, $0) } }
    // The token of an enrolment is no setting of a server.
    if configuration.destinations.contains(where: { $0.name == destination && $0.enrols }) {
      parts = parts.compactMap { key, value in
        guard key == "set", case .group(var settings) = value else { return (key, value) }
        settings["token"] = nil
        return settings.isEmpty ? nil : (key, .group(settings))
      }
    }
    guard !parts.isEmpty else { return nil }
    var evaluation = SetEvaluation(configuration, of: destination)
    let mayChange = configuration.maySet(destination)
    for (key, value) in parts { evaluation.take(value, of: key, mayChange: mayChange) }
    let room = max(0, Self.mostItems - evaluation.settings.count)
    let others = Self.advised(Array(evaluation.others.prefix(room)))
    items = (evaluation.settings + others).sorted { $0.path < $1.path }
  }

  /// The valid values.
  public var requested: [ServerKey: String] {
    var requested: [ServerKey: String] = [:]
    for item in items {
      if case .taken(let key, let value) = item.verdict { requested[key] = value }
    }
    return requested
  }

  /// The settings that the server unsets.
  public var unset: [ServerKey] {
    items.compactMap { if case .unset(let key) = $0.verdict { key } else { nil } }
  }

  /// The items with suggestions for the first unknown keys.
  private static func advised(_ items: [Item]) -> [Item] {
    var items = items
    for index in items.indices.filter({ items[$0].verdict == .ignored(unknown) }).prefix(mostAdvised) {
      items[index].verdict = .ignored(unknown + advice(for: items[index].path))
    }
    return items
  }

  /// The settings and groups that servers can change.
  private static let settable =
    Schema.table.settings.filter { $0.fromServer != .never }.map { NearestKey.Candidate($0) }
    + ["main", "trip"].map { NearestKey.Candidate($0) }

  private static func advice(for path: String) -> String {
    let key = path.filter { $0 != "\"" }
    if key != path, let setting = Schema.table[key], setting.fromServer != .never,
      let dot = key.lastIndex(of: ".")
    {
      return "; write it as {\"\(key[..<dot])\": {\"\(key[key.index(after: dot)...])\": …}}"
    }
    return NearestKey.choice(NearestKey.meant(by: key, among: settable)).map { "; did you mean \($0)?" } ?? ""
  }

  fileprivate struct Unreadable: Error {
    var reason: String
  }

  /// Parses the response. An invalid part is null; a byte that is not UTF-8 makes the whole response invalid.
  private static func parse(_ bytes: [UInt8]) throws(Unreadable) -> JSONValue {
    guard bytes.count <= ParsedText.largest else {
      throw Unreadable(reason: "more than \(ParsedText.largest) bytes")
    }
    var scanner = JSON5Scanner(bytes, isLenient: true)
    do throws(JSON5Scanner.Failure) { return try scanner.scan(root: "") } catch { throw Unreadable(error) }
  }
}

/// Checks the keys of a response against the schema, the permissions of the server and the configuration.
private struct SetEvaluation {
  private let configuration: Configuration
  private let permissions: ServerPermissions
  private let destination: String
  /// The items of settings that servers can change. The schema limits their number.
  private(set) var settings: [ServerSet.Item] = []
  /// The items of all other keys.
  private(set) var others: [ServerSet.Item] = []

  private static let notForServers = "\(ServerPermissions.Objection.notForServers)"
  /// The known outermost keys, settings or groups.
  private static let known: Set<String> = {
    let outermost = Configuration.settings.compactMap { $0.path.split(separator: ".").first.map(String.init) }
    return Set(["token", "url"] + outermost)
  }()

  init(_ configuration: Configuration, of destination: String) {
    self.configuration = configuration
    self.destination = destination
    permissions = ServerPermissions(configuration)
  }

  /// Checks the part `key` of a response: `set` before `unset`.
  mutating func take(_ value: JSONValue, of key: String, mayChange: Bool) {
    let fault: String
    switch (key, value) {
    case ("set", .group(let settings)) where mayChange: return walk(settings)
    case ("unset", .list(let names)) where mayChange: return unset(names)
    case ("set", .group), ("unset", .list): fault = "the server may not change settings (may_set)"
    case ("unset", _): fault = "expected a list of settings, got \(value.kind)"
    case (_, _): fault = "expected a group of settings, got \(value.kind)"
    }
    others.append(ServerSet.Item(path: key, verdict: .ignored(fault)))
  }

  /// The longest name of a setting to unset, in bytes.
  private static let longestName = 100

  /// Checks the names of settings to unset. Names that the response sets, too, are set.
  private mutating func unset(_ names: [JSONValue]) {
    let set = Set(settings.map(\.path))
    var known = Set(others.map(\.path))
    for (index, name) in names.enumerated() {
      guard case .text(let path) = name, path.utf8.count <= Self.longestName else {
        let reason = "expected the name of a setting, got \(name.kind)"
        others.append(ServerSet.Item(path: "unset[\(index)]", verdict: .ignored(reason)))
        continue
      }
      guard known.insert(path).inserted else { continue }
      if set.contains(path) {
        settings.append(ServerSet.Item(path: "unset.\(path)", verdict: .refused(.contradiction)))
      } else if let setting = Schema.table[path], let key = ServerKey(setting, of: destination) {
        settings.append(ServerSet.Item(path: path, verdict: .unset(key)))
      } else {
        let isGroup = ["main", "trip"].contains(path)
        let reason =
          Schema.table[path] != nil || Self.known.contains(path) && !isGroup
          ? Self.notForServers : isGroup ? "it is a group; name each of its settings" : ServerSet.unknown
        others.append(ServerSet.Item(path: path, verdict: .ignored(reason)))
      }
    }
  }

  /// Checks the members of a group; `group` is empty for the outermost one.
  mutating func walk(_ members: [String: JSONValue], group: String = "") {
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = Shown.path(group, key)
      let setting = key.contains(".") ? nil : Schema.table[group.isEmpty ? key : "\(group).\(key)"]
      if let setting, let key = ServerKey(setting, of: destination) {
        settings.append(ServerSet.Item(path: path, verdict: verdict(on: value, for: setting, key)))
        continue
      }
      let reason: String
      if setting != nil {
        reason = Self.notForServers
      } else if group.isEmpty, ["main", "trip"].contains(key) {
        if case .group(let inner) = value {
          walk(inner, group: key)
          continue
        }
        reason = "expected a group of settings, got \(value.kind)"
      } else {
        reason = group.isEmpty && Self.known.contains(key) ? Self.notForServers : ServerSet.unknown
      }
      others.append(ServerSet.Item(path: path, verdict: .ignored(reason)))
    }
  }

  private func verdict(
    on value: JSONValue, for setting: any SettingDeclaration<Configuration>, _ key: ServerKey
  ) -> ServerSet.Verdict {
    guard let written = read(value, for: setting) else {
      return .refused(.invalid(expected: setting.expected, value: value.described))
    }
    if let objection = permissions.objection(to: key, by: destination) {
      return .refused(.notPermitted(objection))
    }
    if key.destination != nil, configuration.isSetByOperator(key.path, of: destination) {
      return .refused(.setInDestinations)
    }
    switch configuration.origins[key.path] ?? .default {
    case .operator: return .refused(.setByOperator(path: key.path))
    case .override: return .refused(.setOnCommandLine(path: key.path))
    case .default, .board, .profile, .file, .server: return .taken(key, value: written)
    }
  }

  /// The value as `--set` takes it; nil if the setting does not accept it.
  ///
  /// Like the app, it accepts numbers and words for switches. It also accepts numbers in texts.
  private func read(_ value: JSONValue, for setting: any SettingDeclaration<Configuration>) -> String? {
    for candidate in [value] + Self.otherForms(of: value) {
      var tried = configuration
      var findings = Findings(file: "", origin: .server, text: nil)
      if setting.accept(candidate, at: setting.path, into: &tried, &findings) {
        return setting.written(in: tried, revealing: true).assigned
      }
    }
    return nil
  }

  private static func otherForms(of value: JSONValue) -> [JSONValue] {
    switch value {
    case .number(let number): return number.isFinite ? [.boolean(number != 0)] : []
    case .text(let text):
      let word = text.lowercased()
      let digits = text.utf8.count <= 9 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      if digits, let number = Int(text) { return [.number(Double(number)), .boolean(number != 0)] }
      if ["t", "y"].contains(where: word.hasPrefix) { return [.boolean(true)] }
      return ["f", "n"].contains(where: word.hasPrefix) ? [.boolean(false)] : []
    case .null, .boolean, .list, .group: return []
    }
  }
}

extension ServerKey {
  /// The key of a setting in a response of a destination's server; nil if servers cannot change the setting.
  fileprivate init?(_ setting: any SettingDeclaration<Configuration>, of destination: String) {
    switch setting.fromServer {
    case .never: return nil
    case .device: self.init(setting.path)
    case .destination: self.init(setting.path, destination: destination)
    }
  }
}

extension ServerSet.Refusal: CustomStringConvertible {
  /// The reason for people, with the remedy.
  public var description: String {
    switch self {
    case .invalid(let expected, let value): "expected \(expected), got \(value)"
    case .notPermitted(let objection): "\(objection)"
    case .setInDestinations:
      "the operator has set it in destinations; to let servers change it, run outrider set --unset destinations"
    case .setByOperator(let path):
      "the operator has set it; to let servers change it, run outrider set --unset \(path)"
    case .setOnCommandLine(let path): "the logger was started with --set \(path)"
    case .contradiction: "the same response sets it"
    }
  }
}

extension ServerSet.Unreadable {
  fileprivate init(_ failure: JSON5Scanner.Failure) {
    switch failure.problem {
    case .tooDeep, .tooManyValues, .tooLarge: reason = failure.problem.description
    case .notUTF8: reason = "byte \(failure.offset) is not UTF-8; check what the server sends"
    case .empty, .notAGroup, .textAfterEnd, .unexpected, .neverClosed, .unterminatedText,
      .unterminatedComment, .textWithoutQuotes, .unreadable:
      reason = "it is not JSON (byte \(failure.offset): \(failure.problem))"
    }
  }
}
