import Doctor
import Foundation
import Inspection
import Settings
import Testing

@Suite struct UnitHardeningTests {
  /// A configuration, more properties of the unit, and the setting and directive of each conflict.
  struct Case: Sendable {
    var name: String
    var configuration: String
    var unit = ""
    var scripts: [String: String] = [:]
    var port: String?
    var light: String?
    var conflicts: [String]
  }

  static let cases: [Case] = [
    Case(name: "defaults", configuration: "{}", conflicts: []),
    Case(
      name: "sudo as program", configuration: "{ network: { up: \"/usr/bin/sudo\" } }",
      conflicts: ["network.up: NoNewPrivileges=yes"]),
    Case(
      name: "script with sudo", configuration: "{ host: { down: \"/usr/local/bin/down\" } }",
      scripts: ["/usr/local/bin/down": "#!/bin/sh\n# sleep\nexec sudo /sbin/shutdown now\n"],
      conflicts: ["host.down: NoNewPrivileges=yes"]),
    Case(
      name: "script with sudo in a comment", configuration: "{ host: { down: \"/usr/local/bin/down\" } }",
      scripts: ["/usr/local/bin/down": "#!/bin/sh\n# no sudo here\ncurl -s http://relay/off\n"], conflicts: []
    ),
    Case(
      name: "script with ip", configuration: "{ network: { up: \"/usr/local/bin/up\" } }",
      scripts: ["/usr/local/bin/up": "#!/bin/sh\n/sbin/ip link set wwan0 up\n"],
      conflicts: ["network.up: CapabilityBoundingSet="]),
    Case(
      name: "program in a home", configuration: "{ notifications: \"/home/pi/notify\" }",
      conflicts: ["notifications: ProtectHome=yes"]),
    Case(
      name: "files in a home",
      configuration: "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/home/pi/tracks\" }] }",
      conflicts: ["destinations (gpx): directory: ProtectHome=yes"]),
    Case(
      name: "files in a bound home",
      configuration: "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/home/pi/tracks\" }] }",
      unit: "ProtectHome=tmpfs\nBindPaths=/home/pi/tracks:/home/pi/tracks:rbind", conflicts: []),
    Case(
      name: "files on a stick",
      configuration: "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/media/stick\" }] }",
      conflicts: ["destinations (gpx): directory: ProtectSystem=strict"]),
    Case(
      name: "files on a permitted stick",
      configuration: "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/media/stick\" }] }",
      unit: "ReadWritePaths=-/media", conflicts: []),
    Case(
      name: "files beside a permitted directory",
      configuration: "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/media-2\" }] }",
      unit: "ReadWritePaths=/media", conflicts: ["destinations (gpx): directory: ProtectSystem=strict"]),
    Case(
      name: "log elsewhere", configuration: "{ storage: { directory: \"/data/outrider\" } }",
      conflicts: ["storage.directory: ProtectSystem=strict"]),
    Case(
      name: "own scans",
      configuration:
        "{ wifi_scan: \"60s\", wifi_zones: [{ name: \"home\", ssid: \"n\", latitude: 1, longitude: 2 }] }",
      conflicts: ["wifi_scan: AmbientCapabilities="]),
    Case(
      name: "permitted scans",
      configuration:
        "{ wifi_scan: \"60s\", wifi_zones: [{ name: \"home\", ssid: \"n\", latitude: 1, longitude: 2 }] }",
      unit: "CapabilityBoundingSet=cap_net_admin\nAmbientCapabilities=cap_net_admin", conflicts: []),
    Case(
      name: "unknown port", configuration: "{}", port: "/dev/ttymxc2",
      conflicts: ["receiver.port: DevicePolicy="]),
    Case(name: "USB port by number", configuration: "{}", port: "/dev/ttyACM0", conflicts: []),
    Case(
      name: "LED of the board", configuration: "{}", light: "/sys/devices/platform/leds/leds/ACT",
      conflicts: []),
    Case(
      name: "LED elsewhere", configuration: "{}", light: "/sys/devices/platform/leds-2/leds/red",
      conflicts: ["leds.status: ProtectKernelTunables=yes"]),
    Case(
      name: "permitted LED", configuration: "{}",
      unit: "ReadWritePaths=-/sys/devices/platform/leds -/sys/devices/virtual/leds",
      light: "/sys/devices/virtual/leds/red", conflicts: []),
    Case(
      name: "radio switch", configuration: "{ network: { rfkill: \"wlan\" } }",
      unit: "DeviceAllow=char-ttyS rw",
      conflicts: ["network.rfkill: DevicePolicy="]),
  ]

  @Test(arguments: cases) func aConflictIsFoundWithItsDropIn(_ row: Case) throws {
    var facts = try SoundSystem.facts()
    facts.setUnit(row.unit)
    let unit = try #require(facts.service.unit)
    let conflicts = UnitHardening.conflicts(
      try SoundSystem.settings(row.configuration), unit, scripts: row.scripts, port: row.port,
      light: row.light)
    #expect(conflicts.map { "\($0.setting): \($0.directive)" } == row.conflicts)
    #expect(conflicts.allSatisfy { !$0.dropIn.isEmpty })
  }

  @Test func theUnitOfThePackageBlocksWhatTheUnitOfTheTestsBlocks() throws {
    let unit = UnitProperties(unitFile: try Self.source("scripts/debian/outrider.service"))
    #expect(unit.isLoaded)
    for row in Self.cases where row.unit.isEmpty {
      let conflicts = UnitHardening.conflicts(
        try SoundSystem.settings(row.configuration), unit, scripts: row.scripts, port: row.port,
        light: row.light)
      #expect(conflicts.map { "\($0.setting): \($0.directive)" } == row.conflicts, "\(row.name)")
    }
  }

  /// A path below the sources.
  private static func source(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static let ownScans =
    "{ wifi_scan: \"60s\", wifi_zones: [{ name: \"home\", ssid: \"n\", latitude: 1, longitude: 2 }] }"
  private static let script = "{ network: { up: \"/usr/bin/sudo\" } }"
  private static let stick =
    "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/media/stick\" }] }"

  /// (unit file, drop-ins, configuration, directives that block it)
  static let unitFiles: [(String, [String], String, [String])] = [
    (
      "[Service]\nUser=outrider\nCapabilityBoundingSet=CAP_NET_ADMIN\nAmbientCapabilities=CAP_NET_ADMIN", [],
      ownScans, []
    ),
    (
      "User=outrider\nCapabilityBoundingSet=", ["AmbientCapabilities=CAP_NET_ADMIN"], ownScans,
      ["AmbientCapabilities="]
    ),
    (
      "User=outrider\nCapabilityBoundingSet=~CAP_SYS_ADMIN\nAmbientCapabilities=cap_net_admin", [], ownScans,
      []
    ),
    (
      "User=outrider\nCapabilityBoundingSet=~CAP_NET_ADMIN\nAmbientCapabilities=cap_net_admin", [], ownScans,
      ["AmbientCapabilities="]
    ),
    (
      "User=outrider\nAmbientCapabilities=CAP_NET_ADMIN", ["AmbientCapabilities="], ownScans,
      ["AmbientCapabilities="]
    ),
    ("User=outrider\nNoNewPrivileges=true", [], script, ["NoNewPrivileges=yes"]),
    ("User=outrider\nNoNewPrivileges=on\nNoNewPrivileges=off", [], script, []),
    ("User=outrider\nNoNewPrivileges=1", ["NoNewPrivileges=0"], script, []),
    ("ProtectSystem = strict", [], stick, ["ProtectSystem=strict"]),
    ("ProtectSystem=strict\nReadWritePaths=/srv \\\n# a comment\n  /media", [], stick, []),
    ("ProtectSystem=strict\nReadWritePaths=/media", ["ReadWritePaths=/srv"], stick, []),
    (
      "ProtectSystem=strict\nReadWritePaths=/media", ["ReadWritePaths=\nReadWritePaths=/srv"], stick,
      ["ProtectSystem=strict"]
    ),
    ("ProtectSystem=true", [], stick, []), ("ProtectSystem=strict", ["ProtectSystem="], stick, []),
  ]

  @Test(arguments: unitFiles.indices)
  func aUnitFileIsReadAsSystemdReadsIt(index: Int) throws {
    let (file, dropIns, configuration, directives) = Self.unitFiles[index]
    let conflicts = UnitHardening.conflicts(
      try SoundSystem.settings(configuration),
      UnitProperties(unitFile: "StateDirectory=outrider\n\(file)", dropIns: dropIns))
    #expect(conflicts.map(\.directive) == directives, "\(file) \(dropIns)")
  }

  @Test func theExampleForScansPermitsThem() throws {
    let unit = UnitProperties(
      unitFile: try Self.source("scripts/debian/outrider.service"),
      dropIns: [try Self.source("scripts/debian/extra/examples/wifi-scan.conf")])
    #expect(UnitHardening.conflicts(try SoundSystem.settings(Self.ownScans), unit).isEmpty)
  }

  @Test func dropInsAreFoundBesideTheUnitAndInTheDirectoriesOfSystemd() throws {
    let tree = try SampleTree([
      "/srv/outrider.service": "", "/srv/outrider.service.d/b.conf": "B",
      "/srv/outrider.service.d/a.conf": "A",
      "/srv/outrider.service.d/c.txt": "C", "/usr/lib/systemd/system/outrider.service.d/a.conf": "A1",
      "/etc/systemd/system/outrider.service.d/a.conf": "A2",
      "/run/systemd/system/outrider.service.d/b.conf": "B1",
    ])
    let files = UnitFiles(FileTree(root: tree.root))
    #expect(files.dropIns(of: "/srv/outrider.service") == ["A", "B"])
    #expect(files.dropIns(of: "/usr/lib/systemd/system/outrider.service") == ["A2", "B1"])
    #expect(files.dropIns(of: "/srv/other.service") == [])
  }

  /// A unit without restrictions, as systemd prints it.
  @Test func aUnitWithoutRestrictionsBlocksNothing() throws {
    let unit = UnitProperties(
      "LoadState=loaded\nUser=outrider\nProtectSystem=no\nProtectHome=no\nPrivateTmp=no\nNoNewPrivileges=no\n"
        + "DevicePolicy=auto\nCapabilityBoundingSet=cap_chown cap_net_admin cap_sys_admin\nAmbientCapabilities=cap_net_admin"
    )
    for row in Self.cases {
      let settings = try SoundSystem.settings(row.configuration)
      #expect(
        UnitHardening.conflicts(
          settings, unit, scripts: row.scripts, port: row.port,
          light: row.light
        ).isEmpty, "\(row.name)")
    }
  }

  /// Rights for the logger itself are the last resort.
  @Test func aProgramThatRequiresRightsIsToBecomeAUnit() throws {
    var facts = try SoundSystem.facts()
    facts.configuration.settings = try SoundSystem.settings(
      "{ network: { up: \"/usr/local/bin/up\" }, storage: { directory: \"/data/outrider\" } }")
    facts.configuration.scripts = ["/usr/local/bin/up": "#!/bin/sh\nsudo ip link set wwan0 up\n"]
    let examination = Examination(facts, try Selection(only: ["unit-hardening"], skip: []))
    let remedies = try #require(examination.results.first?.finding.complaint).remedies
    let order = [
      "--full outrider-network-up.service", "set network.up to \"outrider-network-up.service\"",
      "ReadWritePaths=/data/outrider", "NoNewPrivileges=no", "restart outrider",
    ]
    #expect(remedies.count == order.count, "\(remedies)")
    for (remedy, part) in zip(remedies, order) { #expect(remedy.contains(part)) }
  }

  @Test func theDropInPermitsTheConflict() throws {
    for row in Self.cases where !row.conflicts.isEmpty {
      var facts = try SoundSystem.facts()
      facts.setUnit(row.unit)
      let settings = try SoundSystem.settings(row.configuration)
      func conflicts() throws -> [UnitHardening.Conflict] {
        UnitHardening.conflicts(
          settings, try #require(facts.service.unit), scripts: row.scripts, port: row.port,
          light: row.light)
      }
      var lines = try conflicts().flatMap(\.dropIn).joined(separator: "\n")
      // As systemd prints the full set.
      lines = lines.replacing(
        "CapabilityBoundingSet=~", with: "CapabilityBoundingSet=cap_net_admin cap_sys_admin"
      )
      .replacing("CAP_NET_ADMIN", with: "cap_net_admin")
      facts.setUnit("\(row.unit)\n\(lines)")
      #expect(try conflicts().isEmpty, "\(row.name): \(lines)")
    }
  }
}
