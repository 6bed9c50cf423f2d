/// The settings that a server sends with its answer, key by key.
public struct ServerSet: Equatable, Sendable {
  public enum Verdict: Equatable, Sendable {
    /// Sound; the value as `--set` takes it.
    case taken(ServerKey, value: String)
    /// Nothing that a server sets: no fault of its own.
    case ignored(String)
    /// A setting that it may send, but not so or not here.
    case refused(String)
  }

  public struct Item: Equatable, Sendable {
    /// Dotted, as the server wrote it.
    public var path: String
    public var verdict: Verdict
  }

  /// Sorted by path.
  public let items: [Item]

  /// Why a key is ignored that means nothing here; what was probably meant may follow.
  public static let unknown = "unknown setting"
  static let mostItems = 100
  /// Bytes of an answer that are read: one of so many was cut, unless it is whole JSON.
  public static let largest = 256 << 10
  /// So many unknown keys of an answer are told what was probably meant.
  static let mostAdvised = 10
  /// Keys that mean something on this device, alone or as a group.
  private static let known: Set<String> = {
    let outermost = Configuration.settings.compactMap { $0.path.split(separator: ".").first.map(String.init) }
    return Set(["token", "url"] + outermost)
  }()

  /// Reads the answer of `destination`; nil where it holds no `set`.
  public init?(answer bytes: [UInt8], of destination: String, under configuration: Configuration) {
    guard bytes.firstRange(of: Array("\"set\"".utf8)) != nil else { return nil }
    let answer: JSONValue
    do throws(Unreadable) { answer = try Self.parse(bytes) } catch {
      // Only what was meant as settings is worth a word.
      guard bytes.first == UInt8(ascii: "{") else { return nil }
      let reason =
        bytes.count == Self.largest ? "it is larger than \(Self.largest / 1024) KiB" : error.reason
      items = [Item(path: "set", verdict: .ignored("the answer cannot be read: \(reason)"))]
      return
    }
    guard case .group(let members) = answer, let set = members["set"], set != .null else { return nil }
    guard case .group(let settings) = set else {
      items = [Item(path: "set", verdict: .ignored("expected a group of settings, got \(set.sort)"))]
      return
    }
    guard configuration.maySet(destination) else {
      items = [
        Item(path: "set", verdict: .ignored("\(destination) may not set anything here (may_set)"))
      ]
      return
    }
    var items: (judged: [Item], others: [Item]) = ([], [])
    Self.walk(settings, group: "", in: configuration, destination, &items)
    let room = max(0, Self.mostItems - items.judged.count)
    let others = Self.advised(Array(items.others.prefix(room)))
    self.items = (items.judged + others).sorted { $0.path < $1.path }
  }

  /// The values that were taken.
  public var wishes: [ServerKey: String] {
    var wishes: [ServerKey: String] = [:]
    for item in items {
      if case .taken(let key, let value) = item.verdict { wishes[key] = value }
    }
    return wishes
  }

  private static func walk(
    _ members: [String: JSONValue], group: String, in configuration: Configuration, _ destination: String,
    _ items: inout (judged: [Item], others: [Item])
  ) {
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = Shown.path(group, key)
      let verdict: Verdict
      if !key.contains("."), let setting = Schema.table[group.isEmpty ? key : "\(group).\(key)"],
        setting.fromServer != .never
      {
        // There are fewer of these than anybody could send of the others.
        let judgement = judge(value, for: setting, in: configuration, destination)
        items.judged.append(Item(path: path, verdict: judgement))
        continue
      } else if !key.contains("."), Schema.table[group.isEmpty ? key : "\(group).\(key)"] != nil {
        verdict = .ignored("no server changes it")
      } else if group.isEmpty, ["main", "trip"].contains(key) {
        if case .group(let inner) = value {
          walk(inner, group: key, in: configuration, destination, &items)
          continue
        }
        verdict = .ignored("expected a group of settings, got \(value.sort)")
      } else {
        verdict = .ignored(group.isEmpty && known.contains(key) ? "no server changes it" : Self.unknown)
      }
      items.others.append(Item(path: path, verdict: verdict))
    }
  }

  /// The same with a remedy for the first unknown keys.
  private static func advised(_ items: [Item]) -> [Item] {
    var items = items
    for index in items.indices.filter({ items[$0].verdict == .ignored(unknown) }).prefix(mostAdvised) {
      items[index].verdict = .ignored(unknown + advice(for: items[index].path))
    }
    return items
  }

  /// The settings and groups that a server may write.
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

  private static func judge(
    _ value: JSONValue, for setting: any SettingDeclaration<Configuration>, in configuration: Configuration,
    _ destination: String
  ) -> Verdict {
    let path = setting.path
    let key: ServerKey
    switch setting.fromServer {
    case .never: return .ignored("no server changes it")
    case .device: key = ServerKey(path)
    case .destination: key = ServerKey(path, destination: destination)
    }
    guard let written = read(value, for: setting, in: configuration) else {
      return .refused("expected \(setting.expected), got \(value.described)")
    }
    if configuration.remote.locks(path) { return .refused("it is locked here (remote.locked)") }
    if case .destination = setting.fromServer, configuration.isOperators(path, of: destination) {
      return .refused(
        "the operator has set it in destinations (outrider set --unset destinations lets servers have it)")
    }
    switch configuration.origins[path] ?? .default {
    case .operator:
      return .refused("the operator has set it here (outrider set --unset \(path) lets servers have it)")
    case .override: return .refused("the logger was started with --set \(path)")
    case .default, .board, .profile, .file, .server: return .taken(key, value: written)
    }
  }

  /// The value as `--set` takes it; nil where the setting does not take it.
  ///
  /// The app also takes numbers and words for switches, and so do we for numbers in text.
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

  /// A piece that cannot be read costs only itself; one byte that is not UTF-8 costs everything.
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
      reason = "it is no JSON (byte \(failure.offset): \(failure.problem))"
    }
  }
}
