import Doctor
import Foundation
import Inspection
import Testing

@Suite struct BrokenFilesTests {
  private static let configuration = """
    { receiver: { port: "/dev/serial0" }, rtc: "/dev/rtc0", leds: { status: "ACT" },
      gauge: { power_supply: "battery" }, lines: { ignition: { chip: "/dev/gpiochip0", line: 4 } } }
    """
  /// The files that the collectors read.
  private static let paths = [
    "/proc/device-tree/model", "/proc/cmdline", "/boot/firmware/config.txt", "/etc/passwd", "/etc/group",
    "/proc/self/mountinfo", "/sys/fs/ext4/mmcblk0p2/errors_count", "/sys/block/mmcblk0/device/life_time",
    "/sys/block/mmcblk0/device/pre_eol_info", "/sys/block/mmcblk0/stat", "/proc/net/route",
    "/proc/net/ipv6_route",
    "/proc/net/tcp", "/sys/devices/platform/soc/soc:firmware/get_throttled", "/sys/class/hwmon/hwmon0/name",
    "/sys/class/hwmon/hwmon0/in0_lcrit_alarm", "/sys/class/thermal/thermal_zone0/temp", "/sys/power/state",
    "/sys/class/rtc/rtc0/since_epoch", "/etc/default/gpsd", "/etc/systemd/journald.conf", "/proc/72/comm",
    "/proc/72/cmdline", "/proc/72/stat", "/proc/72/status", "/proc/72/io", "/proc/72/attr/current",
    "/proc/stat",
    "/sys/class/power_supply/battery/status", "/sys/module/apparmor/parameters/enabled", "/etc/localtime",
    "/dev/serial0",
  ]
  /// Texts that look like the right ones and are not.
  private static let contents: [String: Data] = [
    "empty": Data(), "binary": Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37) }),
    "one long line": Data(repeating: UInt8(ascii: "a"), count: 200_000),
    "separators": Data(" : :: = \n- - - -\n\t\t\n[[[\n)\n((\n0x\n".utf8),
    "huge numbers": Data("99999999999999999999999\n-9223372036854775808 9223372036854775807\n".utf8),
    "least number": Data("-9223372036854775808\n".utf8), "largest number": Data("9223372036854775807\n".utf8),
    "stat": Data(
      "72 (a) S \(String(repeating: "9223372036854775807 ", count: 40))\nbtime 9223372036854775807\n".utf8),
    "mounts": Data("1 1 1:1 / / rw - \n1 2 179:2 / /\\777\\04 rw - ext4 /dev/x rw\n1 2 3 4 5 6 -\n".utf8),
  ]

  private static func examine(_ tree: SampleTree) throws {
    let facts = try InspectionTests.facts(tree, configuration)
    let examination = Examination(facts)
    #expect(examination.results.count == Catalogue.ids.count)
    _ = try JSONSerialization.jsonObject(with: Data(examination.json.utf8))
    #expect(!examination.text(isVerbose: true).isEmpty)
  }

  @Test func brokenContentsDoNotTrap() throws {
    for (name, content) in Self.contents.sorted(by: { $0.key < $1.key }) {
      let tree = try SampleTree(links: ["/sys/dev/block/179:2": "../x/block/mmcblk0/mmcblk0p2"])
      for path in Self.paths { try tree.write(path, content) }
      try tree.link("/proc/72/fd/1", to: "/dev/serial0")
      #expect(throws: Never.self, "\(name)") { try Self.examine(tree) }
    }
  }

  @Test func directoriesInsteadOfFilesDoNotTrap() throws {
    let tree = try SampleTree()
    for path in Self.paths { try tree.makeDirectory(path) }
    try Self.examine(tree)
  }

  @Test func filesInsteadOfDirectoriesDoNotTrap() throws {
    let tree = try SampleTree([
      "/dev": "", "/proc": "", "/sys": "", "/etc": "", "/var": "", "/boot": "", "/usr": "",
    ])
    try Self.examine(tree)
  }

  @Test func unreadableFilesDoNotTrap() throws {
    let tree = try SampleTree.zero2W()
    for path in ["/proc/400", "/boot/firmware/config.txt", "/etc/passwd", "/sys/class/leds"] {
      try tree.setMode(path, 0)
    }
    defer { try? tree.setMode("/proc/400", 0o755) }
    try Self.examine(tree)
  }

  @Test func linksInACircleEnd() throws {
    let tree = try SampleTree(
      links: [
        "/dev/serial0": "serial1", "/dev/serial1": "serial0", "/etc/localtime": "../../../../etc/localtime",
        "/proc/72/exe": "/proc/72/exe", "/sys/dev/block/179:2": "", "/boot/firmware": "/boot/firmware",
      ].filter { !$0.value.isEmpty })
    try Self.examine(tree)
    let files = FileTree(root: tree.root)
    #expect(files.resolved("/dev/serial0") == nil && files.node("/etc/localtime") == nil)
  }

  @Test func linksStayBelowTheRoot() throws {
    let tree = try SampleTree(
      ["/etc/inside": "x"], links: ["/etc/up": "../../../../../etc/inside", "/a": "/etc"])
    let files = FileTree(root: tree.root)
    #expect(files.resolved("/etc/up") == "/etc/inside")
    #expect(files.resolved("/a/inside") == "/etc/inside")
    #expect(files.resolved("/a/missing") == nil)
  }

  /// Changed copies of real files; the seed is printed with a failure.
  @Test func randomDamageDoesNotTrap() throws {
    let seed = UInt64.random(in: .min ... .max)
    var state = seed
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    for _ in 0..<40 {
      let tree = try SampleTree.zero2W()
      for path in Self.paths where FileManager.default.fileExists(atPath: tree.root + path) {
        guard var bytes = FileManager.default.contents(atPath: tree.root + path), !bytes.isEmpty else {
          continue
        }
        for _ in 0..<3 { bytes[next() % bytes.count] = UInt8(truncatingIfNeeded: next()) }
        if next() % 4 == 0 { bytes = bytes.prefix(next() % bytes.count) }
        try tree.write(path, bytes)
      }
      #expect(throws: Never.self, "seed \(seed)") { try Self.examine(tree) }
    }
  }
}
