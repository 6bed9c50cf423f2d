/// The settings that a server sends with its response, with a verdict per key.
public struct ServerSet: Equatable, Sendable {
  /// The result of checking one key.
  public enum Verdict: Equatable, Sendable {
    /// The key is valid; the value is in the form that `--set` accepts.
    case taken(ServerKey, value: String)
    /// The key is not a setting that servers can change; with the reason.
    case ignored(String)
    /// A setting that servers can change, but not with this value or on this device, with the reason.
    case refused(String)
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
  /// The known outermost keys, settings or groups.
  private static let known: Set<String> = {
    let outermost = Configuration.settings.compactMap { $0.path.split(separator: ".").first.map(String.init) }
    return Set(["token", "url"] + outermost)
  }()

  /// Reads the response of `destination`; nil if it has no `set`.
  public init?(answer bytes: [UInt8], of destination: String, under configuration: Configuration) {
    guard bytes.firstRange(of: Array("\"set\"".utf8)) != nil else { return nil }
    let answer: JSONValue
    do throws(Unreadable) { answer = try Self.parse(bytes) } catch {
      // Only a response that was intended as settings is reported.
      guard bytes.first == UInt8(ascii: "{") else { return nil }
      let reason =
        bytes.count == Self.largest ? "it is larger than \(Self.largest / 1024) KiB" : error.reason
      items = [Item(path: "set", verdict: .ignored("cannot read the response: \(reason)"))]
      return
    }
    guard case .group(let members) = answer, let set = members["set"], set != .null else { return nil }
    guard case .group(let settings) = set else {
      items = [Item(path: "set", verdict: .ignored("expected a group of settings, got \(set.kind)"))]
      return
    }
    guard configuration.maySet(destination) else {
      items = [
        Item(path: "set", verdict: .ignored("the server may not change settings (may_set)"))
      ]
      return
    }
    var items: (evaluated: [Item], others: [Item]) = ([], [])
    Self.walk(settings, group: "", in: configuration, destination, &items)
    let room = max(0, Self.mostItems - items.evaluated.count)
    let others = Self.advised(Array(items.others.prefix(room)))
    self.items = (items.evaluated + others).sorted { $0.path < $1.path }
  }

  /// The valid values.
  public var requested: [ServerKey: String] {
    var requested: [ServerKey: String] = [:]
    for item in items {
      if case .taken(let key, let value) = item.verdict { requested[key] = value }
    }
    return requested
  }

  private static func walk(
    _ members: [String: JSONValue], group: String, in configuration: Configuration, _ destination: String,
    _ items: inout (evaluated: [Item], others: [Item])
  ) {
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = Shown.path(group, key)
      let verdict: Verdict
      if !key.contains("."), let setting = Schema.table[group.isEmpty ? key : "\(group).\(key)"],
        setting.fromServer != .never
      {
        // The number of these is limited, unlike that of the others.
        let evaluation = evaluate(value, for: setting, in: configuration, destination)
        items.evaluated.append(Item(path: path, verdict: evaluation))
        continue
      } else if !key.contains("."), Schema.table[group.isEmpty ? key : "\(group).\(key)"] != nil {
        verdict = .ignored("servers cannot change it")
      } else if group.isEmpty, ["main", "trip"].contains(key) {
        if case .group(let inner) = value {
          walk(inner, group: key, in: configuration, destination, &items)
          continue
        }
        verdict = .ignored("expected a group of settings, got \(value.kind)")
      } else {
        verdict = .ignored(group.isEmpty && known.contains(key) ? "servers cannot change it" : Self.unknown)
      }
      items.others.append(Item(path: path, verdict: verdict))
    }
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

  private static func evaluate(
    _ value: JSONValue, for setting: any SettingDeclaration<Configuration>, in configuration: Configuration,
    _ destination: String
  ) -> Verdict {
    let path = setting.path
    let key: ServerKey
    switch setting.fromServer {
    case .never: return .ignored("servers cannot change it")
    case .device: key = ServerKey(path)
    case .destination: key = ServerKey(path, destination: destination)
    }
    guard let written = read(value, for: setting, in: configuration) else {
      return .refused("expected \(setting.expected), got \(value.described)")
    }
    if configuration.remote.locks(path) { return .refused("it is locked (remote.locked)") }
    if case .destination = setting.fromServer, configuration.isSetByOperator(path, of: destination) {
      return .refused(
        "the operator has set it in destinations; to let servers change it, run outrider set --unset destinations"
      )
    }
    switch configuration.origins[path] ?? .default {
    case .operator:
      return .refused(
        "the operator has set it; to let servers change it, run outrider set --unset \(path)")
    case .override: return .refused("the logger was started with --set \(path)")
    case .default, .board, .profile, .file, .server: return .taken(key, value: written)
    }
  }

  /// The value as `--set` takes it; nil if the setting does not accept it.
  ///
  /// Like the app, it accepts numbers and words for switches. It also accepts numbers in texts.
  private static func read(
    _ value: JSONValue, for setting: any SettingDeclaration<Configuration>, in configuration: Configuration
  ) -> String? {
    for candidate in [value] + otherForms(of: value) {
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
