/// The settings of one `Root`, found by their dotted paths.
struct SettingTable<Root>: Sendable {
  let settings: [any SettingDeclaration<Root>]
  private let byPath: [String: any SettingDeclaration<Root>]
  private let groups: Set<String>
  /// What a group that is sound setting by setting still lacks as a whole, to stand after "give".
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

  /// Whether a setting or a group of settings has this path.
  func knows(_ path: String) -> Bool { byPath[path] != nil || groups.contains(path) }

  subscript(path: String) -> (any SettingDeclaration<Root>)? { byPath[path] }

  /// Takes over every sound value of the group, notes what is wrong with the others, and answers the paths of
  /// the settings that were given a value. `path` says where the group stands; empty for the outermost.
  func apply(
    _ values: [String: JSONValue], at path: String, to root: inout Root, _ findings: inout Findings
  ) -> [String] {
    let errors = findings.count
    let given = apply(values, group: "", at: path, to: &root, &findings)
    for setting in settings where setting.isRequired && setting.stands.allows(findings.origin) {
      guard values[setting.path] == nil else { continue }
      findings.add(.value, path) {
        var place = $0
        place.path = Shown.path(path, setting.path)
        return .missing(place, remedy: "give \(setting.expected)")
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
        guard setting.stands.allows(findings.origin) else {
          findings.add(.key, keyPath) { .misplacedKey($0, belongs: setting.stands.home) }
          continue
        }
        if setting.accept(value, at: keyPath, into: &root, &findings) { given.append(setting.path) }
      } else if !key.contains("."), groups.contains(dotted) {
        if case .group(let inner) = value {
          given += apply(inner, group: dotted, at: keyPath, to: &root, &findings)
        } else {
          let members = settings.map(\.path).filter { $0.hasPrefix(dotted + ".") }
          let named = members.prefix(3).joined(separator: ", ") + (members.count > 3 ? ", …" : "")
          findings.add(.value, keyPath) {
            .wrongType($0, expected: "a group with \(named)", got: value.sort)
          }
        }
      } else {
        let nearest = nearest(to: key, dotted)
        let prefix = path.dropLast(group.isEmpty ? 0 : group.utf8.count)
        findings.add(.key, keyPath) {
          .unknownKey(
            $0,
            nearest: nearest.map { prefix.isEmpty || prefix.hasSuffix(".") ? prefix + $0 : "\(prefix).\($0)" }
          )
        }
      }
    }
    return given
  }

  /// For a dotted path written as one key, the way to write it.
  private func nearest(to key: String, _ dotted: String) -> String? {
    if byPath[dotted] != nil, let dot = key.lastIndex(of: ".") {
      return "\(key[..<dot]): { \(key[key.index(after: dot)...]): … }"
    }
    return NearestKey.to(dotted, among: settings.map(\.path) + groups)
  }
}

extension Stands {
  func allows(_ origin: Origin) -> Bool {
    switch self {
    case .anywhere: true
    case .onlyInBoardFile: origin == .board
    case .neverInBoardFile: origin != .board
    }
  }

  var home: String {
    switch self {
    case .anywhere: "any file"
    case .onlyInBoardFile: "a board file"
    case .neverInBoardFile: "the configuration file, or on the command line as --board"
    }
  }
}
