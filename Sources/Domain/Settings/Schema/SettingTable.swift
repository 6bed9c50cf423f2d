/// The settings of one `Root` by dotted path.
struct SettingTable<Root>: Sendable {
  let settings: [any SettingDeclaration<Root>]
  private let byPath: [String: any SettingDeclaration<Root>]
  private let groups: Set<String>
  /// Returns what a group with valid settings lacks as a whole, as text after "give"; nil if it is complete.
  private let check: @Sendable (Root) -> String?

  init(
    _ settings: [any SettingDeclaration<Root>], check: @escaping @Sendable (Root) -> String? = { _ in nil }
  ) {
    self.settings = settings
    self.check = check
    byPath = Dictionary(settings.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    groups = Set(
      settings.compactMap { setting in
        setting.path.lastIndex(of: ".").map { String(setting.path[..<$0]) }
      })
  }

  /// The keys to suggest for an unknown key.
  private var candidates: [NearestKey.Candidate] {
    settings.flatMap { setting in
      [NearestKey.Candidate(setting)] + setting.memberKeys.map { NearestKey.Candidate(setting.path + $0) }
    } + groups.sorted().map { NearestKey.Candidate($0) }
  }

  /// True if a setting or a group of settings has this path.
  func knows(_ path: String) -> Bool { byPath[path] != nil || groups.contains(path) }

  subscript(path: String) -> (any SettingDeclaration<Root>)? { byPath[path] }

  /// Stores every valid value of the group, adds errors for the others, and returns the paths of the settings that were
  /// given a value. `path` is the path of the group; empty for the outermost.
  func apply(
    _ values: [String: JSONValue], at path: String, to root: inout Root, _ findings: inout Findings
  ) -> [String] {
    let errors = findings.count
    let given = apply(values, group: "", at: path, to: &root, &findings)
    for setting in settings where setting.isRequired && setting.allowedFiles.allows(findings.origin) {
      guard values[setting.path] == nil else { continue }
      findings.add(.value, path) {
        var location = $0
        location.path = Shown.path(path, setting.path)
        return .missing(location, remedy: "give \(setting.expected)")
      }
    }
    if findings.count == errors, let remedy = check(root) {
      findings.add(.value, path) { .incomplete($0, remedy: "give \(remedy)") }
    }
    return given
  }

  private func apply(
    _ values: [String: JSONValue], group: String, at path: String, to root: inout Root,
    _ findings: inout Findings
  ) -> [String] {
    var given: [String] = []
    for (key, value) in values where findings.hasRoom {
      let dotted = group.isEmpty ? key : "\(group).\(key)"
      let keyPath = Shown.path(path, key)
      if !key.contains("."), let setting = byPath[dotted] {
        guard setting.allowedFiles.allows(findings.origin) else {
          findings.add(.key, keyPath) { .misplacedKey($0, belongs: setting.allowedFiles.home) }
          continue
        }
        if setting.accept(value, at: keyPath, into: &root, &findings) {
          given.append(setting.path)
          findings.recordGiven(keyPath)
        }
      } else if !key.contains("."), groups.contains(dotted) {
        if case .group(let inner) = value {
          given += apply(inner, group: dotted, at: keyPath, to: &root, &findings)
        } else {
          let expected = expectedGroup(dotted)
          findings.add(.value, keyPath) { .wrongType($0, expected: expected, got: value.kind) }
        }
      } else {
        let meant = meant(by: key, dotted)
        if !path.isEmpty, isOutermost(key, findings.origin),
          !meant.contains(where: { NearestKey.group(of: $0) == group })
        {
          let outer = path.prefix { $0 != "[" && $0 != "." }
          findings.add(.key, keyPath) {
            .misplacedKey($0, belongs: "at the top level of the file, beside \(outer)")
          }
          continue
        }
        let prefix = path.dropLast(group.isEmpty ? 0 : group.utf8.count)
        let nearest = meant.map { prefix.isEmpty || prefix.hasSuffix(".") ? prefix + $0 : "\(prefix).\($0)" }
        findings.add(.key, keyPath) { .unknownKey($0, nearest: NearestKey.choice(nearest)) }
      }
    }
    return given
  }

  /// The keys, groups and members of lists to suggest for an unknown path.
  func meant(by path: String) -> [String] { NearestKey.meant(by: path, among: candidates) }

  /// The text after "expected" for the path of a group.
  func expectedGroup(_ path: String) -> String {
    let members = settings.map(\.path).filter { $0.hasPrefix(path + ".") }
    return "a group with " + members.prefix(3).joined(separator: ", ") + (members.count > 3 ? ", …" : "")
  }

  /// The keys to suggest for an unknown key; for a dotted path written as one key, the correct notation.
  private func meant(by key: String, _ dotted: String) -> [String] {
    if byPath[dotted] != nil, let dot = key.lastIndex(of: ".") {
      return ["\(key[..<dot]): { \(key[key.index(after: dot)...]): … }"]
    }
    return meant(by: dotted)
  }

  /// True if the key is that of a setting outside of any group.
  private func isOutermost(_ key: String, _ origin: Origin) -> Bool {
    guard !key.contains("."), let setting = Schema.table[key] else { return false }
    return setting.allowedFiles.allows(origin)
  }
}

extension NearestKey.Candidate {
  init(_ setting: any SettingDeclaration) { self.init(setting.path, alsoCalled: setting.alsoCalled) }
}

extension AllowedFiles {
  func allows(_ origin: Origin) -> Bool {
    switch self {
    case .anywhere: true
    case .onlyInBoardFile: origin == .board
    case .neverInBoardFile: origin != .board
    }
  }

  var home: String {
    switch self {
    case .anywhere: "in any file"
    case .onlyInBoardFile: "in a board file"
    case .neverInBoardFile: "in the configuration file, or on the command line as --board"
    }
  }
}
