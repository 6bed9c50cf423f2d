import Chips
import Foundation
import Testing
import TextSnapshots

/// `outrider boards`, and the board files of the package.
@Suite struct BoardsTests {
  static let texts = TextSnapshot("boards")

  static let names = [
    "cm4-telematics", "field-unit", "field-unit-latch", "field-unit-witty-pi", "raspberry-pi-4",
    "raspberry-pi-5", "raspberry-pi-zero-2w", "simulator", "usb-receiver",
  ]

  static func json(_ words: [String], in scratch: Scratch) throws -> [String: Any] {
    let outcome = try FaultTests.run(["boards", "--json"] + words, in: scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
  }

  @Test func theListShowsEveryBoardWithItsTitle() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(["boards"], in: scratch)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.map { String($0.prefix { $0 != " " }) } == Self.names)
    let rows = try Self.json([], in: scratch)["boards"] as? [[String: String]] ?? []
    #expect(rows.map { $0["name"] } == Self.names)
    #expect(rows.allSatisfy { $0["title"]?.isEmpty == false && $0["fault"] == nil })
  }

  @Test(arguments: names)
  func theChipsOfEveryBoardHaveDriversAndPossibleAddresses(name: String) throws {
    let board = try Self.json([name], in: try Scratch())
    if let wired = board["accelerometer"] as? [String: Any] {
      let part = try #require(AccelerometerPart.named(wired["chip"] as? String ?? ""))
      #expect(part.addresses.map(\.description).contains(wired["address"] as? String ?? ""))
      #expect(wired["witness"] as? String == part.witness)
    }
    if let wired = board["gauge"] as? [String: Any] {
      let part = try #require(GaugePart.named(wired["chip"] as? String ?? ""))
      #expect(part.addresses.map(\.description).contains(wired["address"] as? String ?? ""))
      #expect(wired["witness"] as? String == part.witness)
      let drop = (wired["shunt_ohm"] as? Double ?? 0) * (wired["largest_current_A"] as? Double ?? 0)
      #expect(drop <= 0.081_92, "more than an INA226 measures")
    }
    #expect((board["notes"] as? [String])?.isEmpty == (name == "simulator"))
  }

  /// A copy of a board with a battery has a sleeping receiver by default.
  @Test(arguments: names) func aBoardOnABatteryLetsTheReceiverSleep(name: String) throws {
    let scratch = try Scratch()
    let file = scratch.path("config.json5")
    try "{ board: '\(name)', device_id: 'x', destinations: [] }".write(
      toFile: file, atomically: true, encoding: .utf8)
    let outcome = try FaultTests.run(["set", "--list", "--json", "--config", file], in: scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let rows = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]] ?? []
    func value(_ key: String) -> Any? { rows.first { $0["key"] as? String == key }?["value"] }
    let isOnBattery = value("supply") as? String == "battery"
    #expect(isOnBattery == name.hasPrefix("field-unit"))
    #expect((value("main.tracking_mode") as? String == "both") == isOnBattery)
    #expect(value("main.pause_automatically") as? Bool == isOnBattery)
  }

  @Test func aBoardIsDescribedCompletely() throws {
    let outcome = try FaultTests.run(["boards", "field-unit"], in: try Scratch())
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output == Self.texts.expected("field-unit", outcome.output))
    for part in [
      "u-blox MAX-M10S on /dev/serial0", "/dev/gpiochip0 line 27, active high",
      "lis3dh on /dev/i2c-1 at 0x18", "/dev/gpiochip0 line 17", "max17048 on /dev/i2c-1 at 0x36",
      " 10000 mAh",
      "/sys/class/leds/ACT", "0.004 mA at 3.3 V, LIS3DH data sheet", "dtparam=i2c_arm=on",
    ] {
      #expect(outcome.output.contains(part), "\(part)")
    }
  }

  @Test func aBoardFileIsDescribedByItsPath() throws {
    let scratch = try Scratch()
    let path = scratch.path("mine.json5")
    let text = """
      {
        title: "Mine", receiver: { gpsd: "localhost" }, gauge: { power_supply: "BAT0" },
        accelerometer: { chip: "adxl345", bus: "/dev/i2c-3" }, leds: { status: { chip: "/dev/gpiochip2", line: 4 } },
      }
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let outcome = try FaultTests.run(["boards", path], in: scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let usual = try #require(AccelerometerPart.named("adxl345")?.addresses.first)
    for part in [
      "gpsd at localhost", " BAT0 ", "adxl345 on /dev/i2c-3 at \(usual)",
      "/dev/gpiochip2 line 4, active high",
    ] {
      #expect(outcome.output.contains(part), "\(part)")
    }
    let shown = scratch.anonymous(outcome.output)
    #expect(shown == Self.texts.expected("a board file", shown))
  }

  @Test func theCellsOfABatteryAreShownAndAWrongNumberIsRejected() throws {
    let scratch = try Scratch()
    let path = scratch.path("pack.json5")
    func explain(_ gauge: String) throws -> FaultTests.Outcome {
      let text = "{ title: \"Pack\", supply: \"battery\", gauge: \(gauge) }"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return try FaultTests.run(["boards", path], in: scratch)
    }
    let pack = try explain("{ chip: \"ina219\", bus: \"/dev/i2c-1\", shunt_ohm: 0.1, cells: 2 }")
    #expect(pack.status == 0 && pack.output.contains("2 cells in series"), "\(pack)")
    let own = try explain("{ chip: \"max17048\", bus: \"/dev/i2c-1\" }")
    #expect(own.status == 0 && own.output.contains("1 cell\n"), "\(own)")
    let wrong = try explain("{ chip: \"max17048\", bus: \"/dev/i2c-1\", cells: 2 }")
    let message = scratch.anonymous(try #require(wrong.errors.line(with: "cells", "max17048"), "\(wrong)"))
    #expect(wrong.status == 1 && message == Self.texts.expected("wrong number of cells", message))
  }

  /// The gauges with every setting of their form.
  static let gauges = [
    "{ chip: 'ina226', bus: '/dev/i2c-1', address: 0x41, shunt_ohm: 0.02, largest_current_A: 4, "
      + "capacity_mAh: 2000.5, cells: 4, reversed: true }",
    "{ chip: 'max17048', bus: '/dev/i2c-1' }", "{ power_supply: 'BAT0', cells: 3 }",
  ]

  @Test(arguments: gauges) func everySettingOfAComponentIsShown(gauge: String) throws {
    let scratch = try Scratch()
    let text = """
      {
        title: "Parts", gauge: \(gauge),
        accelerometer: { chip: "lis3dh", bus: "/dev/i2c-1", interrupt: { chip: "/dev/gpiochip0", line: 17 } },
      }
      """
    let path = try scratch.write("parts.json5", text)
    let shown = try FaultTests.run(["boards", path], in: scratch)
    let json = try FaultTests.run(["boards", path, "--json"], in: scratch)
    #expect(shown.status == 0 && json.status == 0, "\(shown) \(json)")
    let both = scratch.anonymous(shown.output + json.output)
    #expect(both == Self.texts.expected("gauge \(gauge)", both))
  }

  @Test func anUnknownNameIsReportedWithTheNearest() throws {
    let outcome = try FaultTests.run(["boards", "feild-unit"], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(" field-unit?") && outcome.errors.contains("usb-receiver"))
  }

  @Test func aFaultyBoardIsListedWithItsFaults() throws {
    let scratch = try Scratch()
    let text = "{ title: 'x', gauge: { chip: 'max17o48', bus: '/dev/i2c-1' } }"
    try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path("odd.json5")))
    let surroundings = ["OUTRIDER_BOARDS": scratch.path("")]
    let list = try FaultTests.run(["boards"], in: scratch, environment: surroundings)
    let row = try #require(list.output.line(with: "odd "), "\(list)")
    #expect(list.status == 1 && row.hasSuffix("  faulty"), "\(row)")
    let one = try FaultTests.run(["boards", "odd"], in: scratch, environment: surroundings)
    #expect(one.status == 1 && one.errors.contains(" max17048?"))
    let configuration = try scratch.write("config.json5", "{}")
    let logger = try FaultTests.run(
      ["run", "--board", "odd", "--config", configuration], in: scratch, environment: surroundings)
    #expect(logger.status == 2 && logger.errors.contains(" max17048?"))
  }

  // MARK: Set-up

  /// A directory that stands for the root of a Raspberry Pi's system.
  static func system(in scratch: Scratch) throws -> String {
    let boot = scratch.path("root/boot/firmware")
    try FileManager.default.createDirectory(atPath: boot, withIntermediateDirectories: true)
    _ = try scratch.write("root/boot/firmware/config.txt", "arm_64bit=1\n[pi5]\n")
    _ = try scratch.write("root/boot/firmware/cmdline.txt", "console=serial0,115200 console=tty1 rootwait\n")
    return scratch.path("root")
  }

  @Test(arguments: names) func everyBoardIsSetUpAndUndone(name: String) throws {
    let scratch = try Scratch()
    let root = try Self.system(in: scratch)
    func text(_ file: String) throws -> String {
      try String(contentsOfFile: "\(root)/boot/firmware/\(file)", encoding: .utf8)
    }
    let hasSystem = name != "simulator" && name != "usb-receiver"
    let applied = try FaultTests.run(["boards", name, "--apply", "--yes", "--root", root], in: scratch)
    #expect(applied.status == 0, "\(applied)")
    #expect(try text("config.txt").contains("# outrider: begin (\(name))") == hasSystem)
    #expect(try text("cmdline.txt").hasPrefix("console=tty1") == hasSystem)
    let again = try FaultTests.run(["boards", name, "--apply", "--yes", "--root", root], in: scratch)
    #expect(again.status == 0 && again.output.contains("set up already"), "\(again)")
    let undone = try FaultTests.run(["boards", "--undo", "--yes", "--root", root], in: scratch)
    #expect(undone.status == 0, "\(undone)")
    #expect(try text("config.txt") == "arm_64bit=1\n[pi5]\n")
    #expect(try text("cmdline.txt") == "console=serial0,115200 console=tty1 rootwait\n")
  }

  @Test func aSetUpShowsItsChangesAndIsNotMadeWithoutConfirmation() throws {
    let scratch = try Scratch()
    let root = try Self.system(in: scratch)
    let words = ["boards", "field-unit", "--apply", "--root", root]
    let dry = try FaultTests.run(words + ["--dry-run"], in: scratch)
    let shown = scratch.anonymous(dry.output)
    #expect(dry.status == 0 && dry.errors.isEmpty)
    #expect(shown == Self.texts.expected("dry run", shown))
    let silent = try FaultTests.run(words, in: scratch)
    #expect(silent.status == 2 && silent.errors.contains("add --yes"), "\(silent)")
    let config = try String(contentsOfFile: "\(root)/boot/firmware/config.txt", encoding: .utf8)
    #expect(config == "arm_64bit=1\n[pi5]\n")
  }

  @Test func theCellOfTheClockIsChargedOnlyOnDemand() throws {
    let scratch = try Scratch()
    let root = try Self.system(in: scratch)
    func apply(_ board: String, _ options: String...) throws -> FaultTests.Outcome {
      try FaultTests.run(["boards", board, "--apply", "--yes", "--root", root] + options, in: scratch)
    }
    func isCharged() throws -> Bool {
      try String(contentsOfFile: "\(root)/boot/firmware/config.txt", encoding: .utf8)
        .contains("\ndtparam=rtc_bbat_vchg=3000000\n")
    }
    #expect(try apply("raspberry-pi-5").status == 0 && !isCharged())
    let charging = try apply("raspberry-pi-5", "--charge-cell")
    #expect(try charging.status == 0 && isCharged())
    let warning = try #require(charging.output.line(with: "note: ", "3 V"))
    #expect(warning == Self.texts.expected("charged cell", warning))
    #expect(try apply("raspberry-pi-5").status == 0 && !isCharged())
    let without = try apply("field-unit", "--charge-cell")
    let message = try #require(without.errors.line(with: "field-unit"))
    #expect(without.status == 1 && message == Self.texts.expected("no charger", message))
  }

  @Test func aSystemThatIsNoRaspberryPiGetsInstructions() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(
      ["boards", "raspberry-pi-5", "--apply", "--yes", "--root", scratch.path("")], in: scratch)
    #expect(outcome.status == 1 && outcome.output.contains("dtparam=uart0=on"), "\(outcome)")
    let message = scratch.anonymous(try #require(outcome.errors.line(with: "Raspberry Pi")))
    #expect(message == Self.texts.expected("no Raspberry Pi", message))
  }

  static let misuses = [
    ["--apply"], ["field-unit", "--undo"], ["field-unit", "--apply", "--undo"], ["field-unit", "--yes"],
    ["field-unit", "--root", "/x"], ["field-unit", "--apply", "--json"],
    ["raspberry-pi-5", "--charge-cell"], ["--undo", "--charge-cell"],
  ]

  @Test(arguments: misuses) func optionsThatExcludeEachOtherAreRejected(words: [String]) throws {
    #expect(try FaultTests.run(["boards"] + words, in: try Scratch()).status == 2)
  }

  /// A Raspberry Pi below a directory, set up for a board.
  private static func preparedPi(_ scratch: Scratch) throws -> (root: String, files: [String: String]) {
    let root = scratch.path("root")
    let files = [
      "boot/firmware/config.txt": "dtparam=audio=on\n",
      "boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1 root=PARTUUID=1 rootwait\n",
    ]
    let model = ["proc/device-tree/model": "Raspberry Pi Zero 2 W Rev 1.0\0"]
    for (path, text) in files.merging(model, uniquingKeysWith: { first, _ in first }) {
      let url = URL(fileURLWithPath: "\(root)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    let outcome = try FaultTests.run(
      ["boards", "raspberry-pi-zero-2w", "--apply", "--yes", "--root", root], in: scratch)
    #expect(outcome.status == 0, "\(outcome)")
    return (root, files)
  }

  @Test func aSetUpWhoseStateFileIsDamagedIsUndoneByItsCopies() throws {
    let scratch = try Scratch()
    let (root, files) = try Self.preparedPi(scratch)
    try "x".write(
      toFile: "\(root)/var/lib/outrider-setup/state.json", atomically: true, encoding: .utf8)
    for words in [["raspberry-pi-zero-2w", "--apply"], ["--undo"]] {
      let outcome = try FaultTests.run(["boards"] + words + ["--yes", "--root", root], in: scratch)
      #expect(outcome.status == 0, "\(words): \(outcome)")
    }
    for (path, text) in files {
      #expect(try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8) == text, "\(path)")
    }
  }

  @Test func anUndoWithoutItsStateFileNamesTheCopiesAndFails() throws {
    let scratch = try Scratch()
    let (root, _) = try Self.preparedPi(scratch)
    try FileManager.default.removeItem(atPath: "\(root)/var/lib/outrider-setup/state.json")
    let outcome = try FaultTests.run(["boards", "--undo", "--yes", "--root", root], in: scratch)
    #expect(outcome.status == 1 && outcome.output.contains("undone in part"), "\(outcome)")
    #expect(outcome.output.contains("cmdline.txt.before-outrider"), "\(outcome)")
  }

  @Test(arguments: ["", "/dev/null", "/nonexistent"])
  func aRootThatIsNoDirectoryIsMisuse(root: String) throws {
    let scratch = try Scratch()
    for words in [["boards", "--undo"], ["provision"]] {
      let outcome = try FaultTests.run(words + ["--root", root], in: scratch)
      #expect(outcome.status == 2 && outcome.errors.contains("is not a directory"), "\(words): \(outcome)")
    }
  }
}
