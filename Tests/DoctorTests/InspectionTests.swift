import Devices
import Doctor
import Foundation
import Inspection
import Quantities
import System
import Testing

@Suite struct InspectionTests {
  /// Reads all facts that come from files. `units` answers for systemd.
  static func facts(
    _ tree: SampleTree, _ configuration: String, units: [String: String] = [:]
  ) throws -> SystemFacts {
    let files = FileTree(root: tree.root)
    var facts = SystemFacts()
    let settings = try SoundSystem.settings(configuration)
    facts.host = HostFacts(files, machine: "aarch64")
    facts.observer = Identity(name: "root", user: 0, groups: [0])
    facts.configuration.settings = settings
    facts.port = PortFacts(files, path: settings.receiver.port)
    facts.service = ServiceFacts(
      { _, words in
        units.first { words.contains($0.key) }.map { .text($0.value) } ?? .text("LoadState=not-found\n")
      }, ports: ["ttyS0"])
    let walk = ProcessWalk(files, device: facts.port.target, mainProcess: nil)
    (facts.service.process, facts.port.holders) = (walk.logger, walk.holders)
    facts.port.hidesProcesses = walk.hidesProcesses
    facts.buses = BusFacts(files, settings)
    facts.clock = ClockFacts(
      files, chip: settings.clockChip, socket: settings.clock.chrony, now: SoundSystem.now, error: nil)
    facts.storage = StorageFacts(files, directory: settings.storage.directory)
    facts.network = NetworkFacts(files)
    facts.power = PowerFacts(files, supply: nil)
    return facts
  }

  private static func finding(_ id: String, _ facts: SystemFacts) throws -> Finding {
    try #require(Examination(facts, try Selection(only: [id], skip: [])).results.first?.finding)
  }

  /// (files, trial, reason of a return)
  static let upgrades: [([String: String], UpgradeFacts?, String?)] = [
    ([:], nil, nil),
    (["trial": "old=0.2.0\nnew=0.3.0\n"], UpgradeFacts(old: "0.2.0", new: "0.3.0"), nil),
    (["trial": "new=0.3.0\n"], nil, nil), (["trial": ""], nil, nil),
    (["returned": "nothing delivered\n"], nil, "nothing delivered"), (["returned": ""], nil, nil),
    (["trial": "old=0.2.0\nnew=0.3.0\n", "returned": "hangs\n"], nil, "hangs"),
    (["trial": "old=0.2.0\nnew=0.3.0\n", "proven": "2026-03-01T10:00:00Z\n"], nil, nil),
  ]

  @Test(arguments: upgrades.indices)
  func theStateOfAnUpgradeIsReadFromItsFiles(index: Int) throws {
    let (files, trial, reason) = Self.upgrades[index]
    let tree = try SampleTree()
    for (name, text) in files { try tree.write("/var/lib/outrider-update/\(name)", Data(text.utf8)) }
    var service = ServiceFacts()
    service.readUpgrade(FileTree(root: tree.root))
    #expect(service.trial == trial && service.returned == reason)
  }

  @Test func theStockImageOfAZero2WHasAConsoleOnItsMiniUART() throws {
    let tree = try SampleTree.zero2W()
    let facts = try Self.facts(
      tree, "{ receiver: { port: \"/dev/serial0\" } }",
      units: ["gpsd.socket": "Id=serial-getty@ttyS0.service\nLoadState=loaded\nActiveState=active\n"])
    #expect(facts.host.model == "Raspberry Pi Zero 2 W Rev 1.0")
    #expect(facts.port.target == "/dev/ttyS0" && facts.port.headerTarget == "/dev/ttyS0")
    #expect(facts.port.holders == [PortFacts.Holder(process: 400, name: "agetty")])
    #expect(try Self.finding("port-exists", facts) == .ok("/dev/serial0 is /dev/ttyS0"))
    let console = try Self.finding("serial-console", facts)
    #expect(console.word == "error")
    #expect(
      console.complaint?.remedies.last
        == "sudoedit /boot/firmware/cmdline.txt   and remove console=serial0,115200, then restart")
    #expect(try Self.finding("uart-overlay", facts).evidence == "/dev/serial0 is the mini UART")
    #expect(try Self.finding("port-held", facts).evidence == "/dev/ttyS0 is open in agetty (process 400)")
    #expect(try Self.finding("fs-errors", facts).evidence == "ext4 recorded 3 errors")
    #expect(try Self.finding("wear", facts).evidence == "mmcblk0: at most 90 % of its life used")
    #expect(facts.storage.flushes == .known(StorageFacts.Flushes(count: 200, milliseconds: 4000)))
    #expect(facts.power.throttled == .known(0x50005) && facts.power.celsius == 47.236)
    #expect(facts.host.watchdogs == ["watchdog0"] && facts.buses.lights == ["ACT"])
    #expect(facts.buses.buses.map(\.path) == ["/dev/i2c-1"] && facts.buses.hasDriver)
    #expect(facts.network.defaultRoutes == .known(["wlan0"]))
    #expect(facts.storage.journal == ["SystemMaxUse": "64M"])
    #expect(facts.clock.zone == .known("Europe/London"))
  }

  @Test func onAPi5GPSDTakesTheUSBReceiver() throws {
    let facts = try Self.facts(
      try SampleTree.pi5(), "{ receiver: { port: \"/dev/ttyACM0\" }, rtc: \"/dev/rtc0\" }",
      units: ["gpsd.socket": "Id=gpsd.socket\nActiveState=active\n"])
    #expect(try Self.finding("gpsd-conflict", facts).evidence.contains("USBAUTO"))
    #expect(try Self.finding("port-held", facts).evidence.contains("gpsd (process 600)"))
    #expect(
      try Self.finding("usb-by-id", facts).complaint?.remedies.first?.contains("usb-u-blox_7-if00") == true)
    #expect(facts.port.hasGPSDSocket)
    #expect(facts.clock.chipTime == .known(1_800_000_003) && facts.clock.hasAlarm)
    #expect(facts.power.throttled == .known(0))
    #expect(facts.host.boot.has("dtparam=uart0=on", model: facts.host.model))
    #expect(!facts.host.boot.has("enable_uart=1", model: facts.host.model))
    let header = try Self.facts(try SampleTree.pi5(), "{ receiver: { port: \"/dev/serial0\" } }")
    #expect(
      try Self.finding("uart-overlay", header).evidence == "/dev/serial0 is ttyAMA10, the debug connector")
  }

  @Test func aPlainDebianLacksTheGroups() throws {
    let facts = try Self.facts(
      try SampleTree.debian(),
      "{ receiver: { port: \"/dev/ttyS0\" }, gauge: { chip: \"max17048\", bus: \"/dev/i2c-1\" } }")
    #expect(facts.host.model == nil && facts.host.hasAppArmor == true && !facts.host.has32BitLibraries)
    #expect(try Self.finding("uart-overlay", facts).word == "skipped")
    #expect(try Self.finding("groups-exist", facts).evidence == "group i2c does not exist")
    #expect(try Self.finding("i2c-enabled", facts).evidence.contains("i2c-dev is not loaded"))
    #expect(facts.power == PowerFacts())
  }

  @Test func anOverlayThatCoversTheDataPartitionIsFound() throws {
    let facts = try Self.facts(try SampleTree.overlay(), "{}")
    #expect(try Self.finding("volatile", facts).word == "error")
    #expect(try Self.finding("overlay-recursion", facts).evidence.contains("covers /var/lib/outrider"))
    #expect(facts.storage.mounts.last?.point == "/media/root ro/data")
  }

  @Test func theProcessOfTheLoggerIsRead() throws {
    let tree = try SampleTree.debian()
    try tree.addProcess(71, "outrider", arguments: ["status"])
    try tree.addProcess(72, "outrider", arguments: ["run"])
    let fields = (1...30).map(String.init).joined(separator: " ")
    try tree.write("/proc/72/stat", Data("72 (out rider) S \(fields)".utf8))
    try tree.write("/proc/stat", Data("cpu 1\nbtime 1799990000\n".utf8))
    try tree.write(
      "/proc/72/status",
      Data("Name:\toutrider\nUid:\t0\t990\t0\t0\nGid:\t9\t990\t9\t9\nGroups:\t20 994\n".utf8))
    try tree.write("/proc/72/io", Data("wchar: 9\nwrite_bytes: 4096\n".utf8))
    try tree.link("/proc/72/exe", to: "/usr/bin/outrider (deleted)")
    let process = try #require(ProcessWalk(FileTree(root: tree.root), device: nil, mainProcess: nil).logger)
    #expect(process.id == 72 && process.user == 990 && process.groups == [990, 20, 994])
    #expect(
      process.isProgramDeleted && process.program == "/usr/bin/outrider" && process.writtenBytes == 4096)
    // Field 22 of stat is the 19th after the state; here it is 19 ticks.
    #expect(process.started == 1_799_990_000)
  }

  @Test func aProcessThatReallyHoldsAPortIsFound() throws {
    let terminal = try PseudoTerminal()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: terminal.path))
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    defer {
      // A blocked SIGTERM would be inherited.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let walk = ProcessWalk(FileTree(), device: terminal.path, mainProcess: nil)
    #expect(walk.holders.contains(PortFacts.Holder(process: process.processIdentifier, name: "cat")))
  }

  @Test func theStatusLightIsTheDirectoryBehindItsLink() throws {
    let tree = try SampleTree(
      ["/sys/devices/pci/usb1/leds/scroll/brightness": "0\n"],
      links: ["/sys/class/leds/scroll": "../../devices/pci/usb1/leds/scroll"])
    let facts = try Self.facts(tree, "{ leds: { status: \"scroll\" } }")
    #expect(facts.buses.statusLight == "/sys/devices/pci/usb1/leds/scroll")
    #expect(try Self.facts(tree, "{}").buses.statusLight == nil)
  }

  @Test func systemdIsAskedOnlyForKnownProperties() {
    let facts = ServiceFacts({ _, _ in .failed("systemctl is not installed") }, ports: [])
    #expect(facts.unit == nil && facts.fault == "systemctl is not installed")
    let container = ServiceFacts({ _, _ in .text("") }, ports: [])
    #expect(container.unit == nil && container.fault == "systemd does not run on this host")
  }

  // MARK: Programs

  @Test func theOutputOfAProgramIsRead() {
    let budget = TimeBudget(from: SystemClock.moment())
    #expect(ProgramOutput.run("printf", ["a\\nb"], within: budget) == .text("a\nb"))
    #expect(ProgramOutput.run("false", [], within: budget) == .text(""))
    #expect(
      ProgramOutput.run("no-such-program", [], within: budget) == .failed("no-such-program is not installed"))
  }

  @Test func aProgramIsEndedAtItsTimeLimit() {
    let start = SystemClock.moment()
    let budget = TimeBudget(from: start, whole: .milliseconds(200))
    let result = ProgramOutput.run("sleep", ["30"], within: budget)
    #expect(result == .failed("sleep did not respond within the time limit"))
    #expect(SystemClock.moment() - start < .seconds(5))
    let spent = TimeBudget(from: start, whole: .zero)
    #expect(ProgramOutput.run("true", [], within: spent) == .failed("true was not run: time limit reached"))
  }
}
