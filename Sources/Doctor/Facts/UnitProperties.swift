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

  /// Reads a unit file (systemd.unit(5)) without its drop-ins, as if systemd had loaded it. Comments, sections and lines
  /// without `=` are ignored.
  public init(unitFile text: String) {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix(";") }
    self.init((lines + ["LoadState=loaded"]).joined(separator: "\n"))
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
