/// The properties of a unit, as `systemctl show` prints them: `NAME=VALUE` lines, some names several times.
public struct UnitProperties: Equatable, Sendable {
  private var values: [String: [String]] = [:]

  /// Reads the output for one unit. Lines without `=` are ignored.
  public init(_ text: String) {
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      values[String(line[..<equals]), default: []].append(String(line[line.index(after: equals)...]))
    }
  }

  /// Reads a unit file (systemd.unit(5)) and its drop-ins in their order, as if systemd had loaded them.
  ///
  /// Lists are joined, and emptied by an empty value. Of other values the last one counts. Values have the form of
  /// `systemctl show`.
  ///
  /// Sections and specifiers are ignored.
  public init(unitFile text: String, dropIns: [String] = []) {
    for (name, value) in ([text] + dropIns).flatMap(Self.assignments) {
      if let capabilities = Self.capabilitySets[name] {
        var set = CapabilitySet(values[name]?.first) ?? capabilities
        set.assign(value, unchanged: capabilities)
        values[name] = [set.text]
      } else if Self.lists.contains(name) {
        if value.isEmpty { values[name] = [] } else { values[name, default: []].append(value) }
      } else {
        values[name] = [Self.booleans.contains(name) ? Self.boolean(value) : value]
      }
    }
    values["LoadState"] = ["loaded"]
  }

  /// The assignments of a unit file. A backslash at the end of a line joins it with the next one, without comments
  /// between.
  private static func assignments(_ text: String) -> [(name: String, value: String)] {
    var lines: [String] = []
    var isContinued = false
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = trimmed(line)
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      let text = line.hasSuffix("\\") ? "\(line.dropLast()) " : String(line)
      if isContinued, let last = lines.indices.last { lines[last] += text } else { lines.append(text) }
      isContinued = line.hasSuffix("\\")
    }
    return lines.compactMap { line in
      guard let equals = line.firstIndex(of: "=") else { return nil }
      return (String(trimmed(line[..<equals])), String(trimmed(line[line.index(after: equals)...])))
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var remainder = text.drop(while: \.isWhitespace)
    while remainder.last?.isWhitespace == true { remainder = remainder.dropLast() }
    return remainder
  }

  private static let lists: Set<String> = [
    "BindPaths", "BindReadOnlyPaths", "ReadWritePaths", "DeviceAllow", "SupplementaryGroups",
    "StateDirectory",
    "CacheDirectory", "LogsDirectory", "RuntimeDirectory",
  ]
  /// The properties that are boolean, or boolean besides other words.
  private static let booleans: Set<String> = [
    "NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome", "ProtectSystem",
    "ProtectKernelTunables", "RestrictSUIDSGID",
  ]

  /// Replaces the words for a truth value by the one that systemd prints.
  private static func boolean(_ text: String) -> String {
    switch text.lowercased() {
    case "1", "yes", "y", "true", "t", "on": "yes"
    case "0", "no", "n", "false", "f", "off": "no"
    default: text
    }
  }

  /// The sets of capabilities with their value if no file assigns one.
  private static let capabilitySets: [String: CapabilitySet] = [
    "CapabilityBoundingSet": CapabilitySet(isComplement: true), "AmbientCapabilities": CapabilitySet(),
  ]

  /// A set of capabilities as a unit file assigns it (systemd.exec(5)).
  private struct CapabilitySet: Equatable {
    /// True if the set has all capabilities but the named ones.
    var isComplement = false
    var names: Set<String> = []

    init(isComplement: Bool = false) { self.isComplement = isComplement }

    init?(_ text: String?) {
      guard let text else { return nil }
      isComplement = text.hasPrefix("~")
      names = Set(text.drop { $0 == "~" }.split(separator: " ").map(String.init))
    }

    /// The names in lower case, after `~` for a complement.
    var text: String { (isComplement ? "~" : "") + names.sorted().joined(separator: " ") }

    /// Assigns a value. It replaces the set if it names nothing, or if the set is still `unchanged`; otherwise `~`
    /// removes and other words add.
    mutating func assign(_ text: String, unchanged: CapabilitySet) {
      guard let value = CapabilitySet(text.lowercased()) else { return }
      if value.names.isEmpty || self == unchanged {
        self = value
      } else if value.isComplement == isComplement {
        names.formUnion(value.names)
      } else {
        names.subtract(value.names)
      }
    }
  }

  /// Reads the output for several units, which are separated by empty lines, by their `Id`.
  public static func all(_ text: String) -> [String: UnitProperties] {
    var units: [String: UnitProperties] = [:]
    var block = ""
    let lines: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines + [Substring()] {
      if !line.isEmpty {
        block += "\(line)\n"
        continue
      }
      let unit = UnitProperties(block)
      if let id = unit["Id"] { units[id] = unit }
      block = ""
    }
    return units
  }

  /// The value of a property; nil if it is missing or empty.
  public subscript(name: String) -> String? {
    values[name]?.first.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// True if the property was printed, even with an empty value.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// All values of a property, for those that are printed one per line.
  public func all(_ name: String) -> [String] { (values[name] ?? []).filter { !$0.isEmpty } }

  /// The words of a property that holds a list.
  public func words(_ name: String) -> [String] {
    all(name).flatMap { $0.split(separator: " ").map(String.init) }
  }

  public func isYes(_ name: String) -> Bool { self[name] == "yes" }
  public func integer(_ name: String) -> Int64? { self[name].flatMap { Int64($0) } }

  /// True if systemd knows the unit.
  public var isLoaded: Bool { self["LoadState"] == "loaded" }
  public var isActive: Bool { ["active", "activating", "reloading"].contains(self["ActiveState"] ?? "") }
  public var isEnabled: Bool { (self["UnitFileState"] ?? "").hasPrefix("enabled") }
}
