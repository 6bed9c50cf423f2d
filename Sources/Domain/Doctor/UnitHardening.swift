import Settings

/// Finds the settings that the restrictions of the systemd unit block (systemd.exec(5)).
///
/// A program that gains rights, a path outside the writable directories, a scan or a device without its permission: each
/// conflict has the lines of a drop-in that permits it.
public enum UnitHardening {
  /// A setting that the unit blocks.
  public struct Conflict: Equatable, Sendable {
    /// The dotted key, or the destination with its key.
    public var setting: String
    /// The value, as in `/home/pi/tracks`.
    public var value: String
    /// The directive of the unit that blocks it.
    public var directive: String
    /// The lines for the section `[Service]` of a drop-in that permits it.
    public var dropIn: [String]
    /// True if the setting certainly fails; false if only a part of the program may fail.
    public var isCertain: Bool
    /// The program that belongs into a unit of its own; nil for anything else.
    public var program: String?

    public init(
      _ setting: String, _ value: String, _ directive: String, isCertain: Bool, dropIn: [String],
      program: String? = nil
    ) {
      (self.setting, self.value, self.directive) = (setting, value, directive)
      (self.isCertain, self.dropIn, self.program) = (isCertain, dropIn, program)
    }

    /// The name of a unit for the program, as in `outrider-network-up.service` for `network.up`.
    var unit: String { "outrider-\(setting.map { $0 == "." ? "-" : String($0) }.joined()).service" }
  }

  /// Returns the conflicts between a configuration and a unit, as `systemctl show` describes it.
  ///
  /// `scripts` are the texts of scripts that the configuration names, by path; a script is searched for programs that
  /// gain rights. `port` is the device of the receiver, `light` the directory of the status LED, both behind all links.
  public static func conflicts(
    _ configuration: Configuration, _ unit: UnitProperties, scripts: [String: String] = [:],
    port: String? = nil, light: String? = nil
  ) -> [Conflict] {
    let sandbox = UnitSandbox(unit)
    return programs(configuration).flatMap { programConflicts($0, $1, sandbox, scripts) }
      + writtenPaths(configuration).compactMap { writing($0, $1, sandbox) }
      + readFiles(configuration).compactMap { reading($0, $1, sandbox) }
      + permissions(configuration, sandbox, port: port)
      + [light.flatMap { lighting($0, sandbox) }].compactMap { $0 }
  }

  // MARK: Settings

  private static func programs(_ configuration: Configuration) -> [(String, String)] {
    var programs: [(String, String?)] = [
      ("network.up", configuration.network.up), ("network.down", configuration.network.down),
      ("host.down", configuration.host.down),
    ]
    programs += configuration.notificationPrograms.map { ("notifications", $0) }
    // A unit is started by systemd, outside of the sandbox.
    return programs.compactMap { key, path in path.map { (key, $0) } }.filter { $0.1.hasPrefix("/") }
  }

  private static func writtenPaths(_ configuration: Configuration) -> [(String, String)] {
    let files = configuration.destinations.compactMap { destination in
      destination.kind == .file
        ? destination.directory.map { ("destinations (\(destination.name)): directory", $0) } : nil
    }
    return [("storage.directory", configuration.storage.directory)] + files
  }

  private static func readFiles(_ configuration: Configuration) -> [(String, String)] {
    configuration.destinations.flatMap { destination in
      [
        ("ca_file", destination.caFile), ("client_certificate", destination.clientCertificate),
        ("client_key", destination.clientKey),
      ].compactMap { key, path in path.map { ("destinations (\(destination.name)): \(key)", $0) } }
    }
  }

  // MARK: Programs

  /// Programs that gain rights by the set-user-ID bit, which `NoNewPrivileges=` disables.
  private static let elevators: Set<String> = ["sudo", "doas", "su", "pkexec", "run0"]
  /// Programs that require capabilities of root.
  private static let privileged: Set<String> = [
    "ip", "ifconfig", "ifup", "ifdown", "modprobe", "rmmod", "mount", "umount", "rtcwake", "hwclock", "iw",
    "wpa_supplicant", "pon", "poff", "pppd", "sysctl", "setcap", "iptables", "nft",
  ]

  private static func programConflicts(
    _ setting: String, _ path: String, _ sandbox: UnitSandbox, _ scripts: [String: String]
  ) -> [Conflict] {
    if let hidden = reading(setting, path, sandbox) { return [hidden] }
    guard sandbox.blocksElevation || sandbox.lacksCapabilities else { return [] }
    let name = String(path.split(separator: "/").last ?? "")
    let words = Set([name]).union(commandWords(scripts[path] ?? ""))
    if let elevator = words.intersection(elevators).min(), sandbox.blocksElevation {
      return [
        Conflict(
          setting, elevator == name ? path : "\(path), which calls \(elevator)", "NoNewPrivileges=yes",
          isCertain: true, dropIn: UnitSandbox.privilegedDropIn, program: path)
      ]
    }
    if let tool = words.intersection(privileged).min(), sandbox.lacksCapabilities {
      return [
        Conflict(
          setting, tool == name ? path : "\(path), which calls \(tool)", "CapabilityBoundingSet=",
          isCertain: false, dropIn: UnitSandbox.privilegedDropIn, program: path)
      ]
    }
    return []
  }

  /// The words of a script in the position of a program, or after a path; comments are excluded.
  private static func commandWords(_ text: String) -> Set<String> {
    var words: Set<String> = []
    for line in text.split(whereSeparator: \.isNewline) where !line.drop(while: { $0 == " " }).hasPrefix("#")
    {
      for word in line.split(whereSeparator: { " \t;|&()`$\"'".contains($0) }) {
        words.insert(String(word.split(separator: "/").last ?? ""))
      }
    }
    return words
  }

  // MARK: Paths and permissions

  private static func writing(_ setting: String, _ path: String, _ sandbox: UnitSandbox) -> Conflict? {
    guard path.hasPrefix("/") else { return nil }
    if let hidden = reading(setting, path, sandbox, dropIn: ["BindPaths=\(path)"]) { return hidden }
    guard let directive = sandbox.directiveAgainstWriting(path) else { return nil }
    return Conflict(setting, path, directive, isCertain: true, dropIn: ["ReadWritePaths=\(path)"])
  }

  /// The conflict of an LED of the kernel. Its files are below /sys, which can be read-only for the service.
  private static func lighting(_ path: String, _ sandbox: UnitSandbox) -> Conflict? {
    guard path.hasPrefix("/sys/devices/"), let directive = sandbox.directiveAgainstWriting(path) else {
      return nil
    }
    // Without the LED the service must start, too.
    return Conflict("leds.status", path, directive, isCertain: true, dropIn: ["ReadWritePaths=-\(path)"])
  }

  private static func reading(
    _ setting: String, _ path: String, _ sandbox: UnitSandbox, dropIn: [String]? = nil
  ) -> Conflict? {
    guard let directive = sandbox.directiveAgainstReading(path) else { return nil }
    let isHome = directive.hasPrefix("ProtectHome")
    let lines =
      isHome
      ? ["ProtectHome=tmpfs"] + (dropIn ?? ["BindReadOnlyPaths=\(path)"]) : ["PrivateTmp=no"]
    return Conflict(setting, path, directive, isCertain: true, dropIn: lines)
  }

  private static func permissions(
    _ configuration: Configuration, _ sandbox: UnitSandbox, port: String?
  ) -> [Conflict] {
    var conflicts: [Conflict] = []
    if let interval = configuration.wifiScan, interval > .zero, !sandbox.hasCapability("cap_net_admin") {
      let lines = ["CapabilityBoundingSet=CAP_NET_ADMIN", "AmbientCapabilities=CAP_NET_ADMIN"]
      conflicts.append(
        Conflict("wifi_scan", "own scans", "AmbientCapabilities=", isCertain: true, dropIn: lines))
    }
    if configuration.network.radio != nil,
      !sandbox.permitsDevice("/dev/rfkill", ["char-misc", "char-rfkill"])
    {
      conflicts.append(
        Conflict(
          "network.rfkill", "/dev/rfkill", "DevicePolicy=", isCertain: true,
          dropIn: ["DeviceAllow=/dev/rfkill rw"]))
    }
    if let port, !sandbox.permitsDevice(port, UnitSandbox.deviceClasses(ofPort: port)) {
      let name = UnitSandbox.deviceClasses(ofPort: port).first ?? port
      conflicts.append(
        Conflict("receiver.port", port, "DevicePolicy=", isCertain: true, dropIn: ["DeviceAllow=\(name) rw"]))
    }
    return conflicts
  }
}
