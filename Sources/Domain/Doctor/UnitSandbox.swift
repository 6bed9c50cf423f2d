/// The restrictions of a unit that concern the logger (systemd.exec(5), systemd.resource-control(5)).
struct UnitSandbox {
  /// The lines that give programs of the service the rights to use sudo. Root's own programs belong in a unit instead.
  static let privilegedDropIn = [
    "NoNewPrivileges=no", "RestrictSUIDSGID=no", "CapabilityBoundingSet=~", "SystemCallFilter=",
  ]

  private let unit: UnitProperties

  init(_ unit: UnitProperties) { self.unit = unit }

  var blocksElevation: Bool { unit.isYes("NoNewPrivileges") }

  /// True if the unit limits capabilities to fewer than those of root's network and module tools.
  var lacksCapabilities: Bool {
    guard !["", "root", "0"].contains(unit["User"] ?? "") || unit.has("CapabilityBoundingSet") else {
      return false
    }
    return !hasBounded("cap_net_admin") || !hasBounded("cap_sys_admin")
  }

  private func hasBounded(_ capability: String) -> Bool {
    !unit.has("CapabilityBoundingSet") || has(capability, in: "CapabilityBoundingSet")
  }

  /// True if the logger itself has the capability.
  func hasCapability(_ capability: String) -> Bool {
    guard hasBounded(capability) else { return false }
    return ["", "root", "0"].contains(unit["User"] ?? "")
      || has(capability, in: "AmbientCapabilities")
  }

  /// True if a set contains the capability. A set of a unit file can begin with `~`: all but those.
  private func has(_ capability: String, in set: String) -> Bool {
    let words = unit.words(set)
    guard let first = words.first, first.hasPrefix("~") else { return words.contains(capability) }
    return first.dropFirst() != capability && !words.dropFirst().contains(capability)
  }

  // MARK: Paths

  /// The directive that hides a path from the service; nil if none does.
  func directiveAgainstReading(_ path: String) -> String? {
    let shown = ["BindPaths", "BindReadOnlyPaths"].flatMap { unit.words($0) }.map(Self.target)
    if shown.contains(where: { Self.isInside(path, $0) }) { return nil }
    if ["/home", "/root", "/run/user"].contains(where: { Self.isInside(path, $0) }),
      let value = unit["ProtectHome"], ["yes", "tmpfs"].contains(value)
    {
      return "ProtectHome=\(value)"
    }
    if ["/tmp", "/var/tmp"].contains(where: { Self.isInside(path, $0) }), unit.isYes("PrivateTmp") {
      return "PrivateTmp=yes"
    }
    return nil
  }

  /// The settings of directories that systemd creates for the service, and where.
  private static let ownDirectories = [
    ("StateDirectory", "/var/lib"), ("CacheDirectory", "/var/cache"), ("LogsDirectory", "/var/log"),
    ("RuntimeDirectory", "/run"),
  ]

  /// The directive that makes a path read-only for the service; nil if it may be written.
  func directiveAgainstWriting(_ path: String) -> String? {
    var writable = unit.words("ReadWritePaths").map { String($0.drop { "-+".contains($0) }) }
    writable += unit.words("BindPaths").map(Self.target)
    for (key, parent) in Self.ownDirectories { writable += unit.words(key).map { "\(parent)/\($0)" } }
    if writable.contains(where: { Self.isInside(path, $0) }) { return nil }
    if Self.isInside(path, "/sys"), unit.isYes("ProtectKernelTunables") { return "ProtectKernelTunables=yes" }
    let isHome = ["/home", "/root", "/run/user"].contains { Self.isInside(path, $0) }
    if isHome, unit["ProtectHome"] == "read-only" { return "ProtectHome=read-only" }
    switch unit["ProtectSystem"] {
    case "strict":
      let exceptions = ["/dev", "/proc", "/sys", "/tmp", "/var/tmp"]
      return exceptions.contains { Self.isInside(path, $0) } ? nil : "ProtectSystem=strict"
    case "full":
      return ["/usr", "/boot", "/efi", "/etc"].contains { Self.isInside(path, $0) }
        ? "ProtectSystem=full" : nil
    case "yes":
      return ["/usr", "/boot", "/efi"].contains { Self.isInside(path, $0) } ? "ProtectSystem=yes" : nil
    default: return nil
    }
  }

  /// The path inside the service of `SOURCE:TARGET:OPTIONS`, each part of which may be missing.
  private static func target(_ word: String) -> String {
    let parts = word.drop { $0 == "-" }.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : String(parts.first ?? "")
  }

  private static func isInside(_ path: String, _ directory: String) -> Bool {
    let directory = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    return path == directory || path.hasPrefix("\(directory)/")
  }

  // MARK: Devices

  /// True if the service may open the device: by its path, by one of its classes, or without a device policy.
  func permitsDevice(_ path: String, _ classes: [String]) -> Bool {
    guard ["closed", "strict"].contains(unit["DevicePolicy"] ?? "auto") || unit.isYes("PrivateDevices") else {
      return unit.all("DeviceAllow").isEmpty || isAllowed(path, classes)
    }
    return isAllowed(path, classes)
  }

  private func isAllowed(_ path: String, _ classes: [String]) -> Bool {
    unit.all("DeviceAllow").contains { entry in
      guard let name = entry.split(separator: " ").first.map(String.init) else { return false }
      if name == path || classes.contains(name) { return true }
      guard name.hasSuffix("*") else { return false }
      return (classes + [path]).contains { $0.hasPrefix(name.dropLast()) }
    }
  }

  /// The classes that permit a serial port: by the number, if it is fixed (devices.txt of the kernel), and by name.
  static func deviceClasses(ofPort path: String) -> [String] {
    let name = String((path.split(separator: "/").last ?? "").prefix { !$0.isNumber })
    let numbers = ["ttyACM": 166, "ttyUSB": 188, "ttyS": 4, "ttyAMA": 204]
    return (numbers[name].map { number in number > 160 && number < 200 ? ["char-\(number)"] : [] } ?? [])
      + ["char-\(name)"]
      + (["ttyACM": ["char-acm"], "ttyUSB": ["char-usbserial"], "ttyS": ["char-4"], "ttyAMA": ["char-204"]][
        name]
        ?? [])
  }
}
