import Chips
import Devices
import Doctor
import FoundationEssentials
import Glibc
import Inspection
import Quantities
import System

/// `outrider doctor`: checks the whole system, detects the chips on I²C, or tests the alarm of the clock chip.
enum DoctorCommand: Command {
  static let name = "doctor"
  static let group = CommandGroup.configure
  static let summary = "check the system, with remedies"
  static let description = CommandDescription(
    forms: [
      """
      [--json] [--list] [--only ID,…] [--skip ID,…] [--verbose] [--warnings-as-errors] [--offline] [--unit FILE] \
      [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…
      """,
      "i2c [--json] [/dev/i2c-N…]",
      "alarm [--json] [/dev/rtcN]",
    ],
    text: [
      """
      Checks configuration, service, receiver, buses, clock, storage, network and supply, and prints one line \
      per check: ✓ ok, ! warning, ✗ error, – skipped. A fault is followed by its consequence and the exact \
      remedy. Nothing is changed and no record is sent. A running logger is queried instead of its port and \
      buses. As root more can be seen.
      """
    ],
    options: [
      .flag("--json", text: "print one JSON object"),
      .flag("--list", text: "list all checks and what each expects"),
      .value(
        "--only", "ID,…", .words(Catalogue.checks.map(\.id)), isRepeatable: true,
        text: "run only these checks; repeatable"),
      .value(
        "--skip", "ID,…", .words(Catalogue.checks.map(\.id)), isRepeatable: true,
        text: "leave out these checks; repeatable"),
      .flag("--verbose", text: "describe also the checks without a fault"),
      .flag("--warnings-as-errors", text: "exit with status 1 also with warnings"),
      .flag("--offline", text: "test no destination"),
      .value(
        "--unit", "FILE", .file,
        text:
          "check this unit file with its drop-ins (FILE.d/*.conf) instead of the loaded unit (for unit-hardening)"
      ),
    ] + ConfigurationFiles.options,
    notes: [
      """
      doctor i2c lists the I²C buses, the addresses that respond, and the chips, identified by their \
      registers. Every address is read once; only a gauge at 0x55 is also written to, to read its type. Chip \
      names are those of board files.
      """,
      """
      doctor alarm tests the alarm that wakes the host from host.sleep: it is set for 5 s, read back, and its \
      interrupt is awaited. Without a path it tests /dev/rtc0. An alarm that is set already is left as it is. \
      Whether the alarm also starts a host that is off depends on its wiring; only a real sleep shows it.
      """,
    ],
    exitStatus: "0 no error, 1 an error, 2 misuse",
    operands: .words(["i2c", "alarm"]))

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    guard let subsystem = arguments.operands.first else { return try checkSystem(arguments) }
    switch subsystem {
    case "i2c": return try survey(try Arguments(words, options: [], flags: ["--json"]))
    case "alarm": return try testAlarm(try Arguments(words, options: [], flags: ["--json"]))
    default: throw Arguments.Misuse(message: "no subsystem \"\(subsystem)\"; available: i2c, alarm")
    }
  }

  // MARK: System

  private static let largestUnit = 1 << 20

  private static func checkSystem(_ arguments: Arguments) throws -> Int32 {
    if arguments.has("--list") {
      Console.print(arguments.has("--json") ? Catalogue.json : Catalogue.list)
      return 0
    }
    let selection: Selection
    do throws(Selection.UnknownID) {
      selection = try Selection(only: arguments.values("--only"), skip: arguments.values("--skip"))
    } catch {
      throw Arguments.Misuse(message: "\(error)")
    }
    var unit: UnitProperties?
    if let path = arguments.value("--unit") {
      do {
        let text = String(decoding: try FileBytes.read(path, limit: largestUnit), as: UTF8.self)
        unit = UnitProperties(unitFile: text, dropIns: UnitFiles(FileTree()).dropIns(of: path))
      } catch {
        Console.complain("doctor: --unit: \(error)")
        return 2
      }
    }
    let inspection = SystemInspection(
      ConfigurationFiles(arguments), isOffline: arguments.has("--offline"), unit: unit,
      groups: selection.groups)
    let examination = Examination(inspection.facts(), selection)
    Console.print(
      arguments.has("--json") ? examination.json : examination.text(isVerbose: arguments.has("--verbose")))
    return examination.exitStatus(warningsAreErrors: arguments.has("--warnings-as-errors"))
  }

  // MARK: Clock

  private static func testAlarm(_ arguments: Arguments) throws -> Int32 {
    try arguments.checkOperands(atMost: 2)
    let path = arguments.operands.dropFirst().first ?? "/dev/rtc0"
    guard !path.isEmpty else {
      throw Arguments.Misuse(message: "alarm: empty path; expected a path such as /dev/rtc0")
    }
    let report = AlarmReport(path)
    if arguments.has("--json") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      Console.print(String(decoding: try encoder.encode(["alarm": report]), as: UTF8.self))
    } else {
      Console.print(report.text)
    }
    return report.works ? 0 : 1
  }

  /// The result of the test of a clock chip's alarm.
  struct AlarmReport: Encodable {
    var path: String
    var works = false
    /// The number of interrupts; absent if there was none.
    var interrupts: Int?
    /// The reason why the alarm does not work or was not tested.
    var fault: String?

    init(_ path: String) {
      self.path = path
      do throws(SystemError) {
        evaluate(try ClockChip(path: path).testAlarm())
      } catch {
        fault =
          switch error.number {
          case EACCES: "\(error); run the command as root"
          case EBUSY: "\(error); another program uses the clock"
          case EINVAL, ENOTTY: "\(error); this clock has no alarm"
          default: "\(error)"
          }
      }
    }

    private mutating func evaluate(_ test: AlarmTest) {
      var reason: String?
      switch test {
      case .works(let count): (works, interrupts) = (true, count)
      case .occupied(let due):
        reason = "an alarm is set for \(Self.time(due)) and was left as it is; repeat the test afterwards"
      case .changed(let expected, let got):
        reason =
          "the alarm was set for \(Self.time(expected)), but \(got.map(Self.time) ?? "off") when read back; this clock "
          + "chip does not keep it"
      case .silent(let seconds):
        reason =
          "no interrupt within \(seconds) s; the clock chip's interrupt is not connected, or the overlay does not name "
          + "it (such as wakeup-source for i2c-rtc)"
      }
      fault = reason.map { "\(path): \($0)" }
    }

    private static func time(_ seconds: Int64) -> String {
      (Timestamp(milliseconds: 0) + .seconds(seconds)).iso8601()
    }

    var text: String {
      if let fault { return fault }
      return
        "\(path): the alarm works: set for 5 s, \(interrupts ?? 0) interrupt\(interrupts == 1 ? "" : "s")"
    }
  }

  // MARK: I²C

  private static func survey(_ arguments: Arguments) throws -> Int32 {
    let selected = arguments.operands.dropFirst()
    guard !selected.contains("") else {
      throw Arguments.Misuse(message: "i2c: empty bus path; expected a path such as /dev/i2c-1")
    }
    let present = I2CAdapter.present()
    let paths = selected.isEmpty ? present.map(\.path) : Array(selected)
    let buses = paths.map { path in
      Bus(path: path, name: present.first { $0.path == path }?.name ?? "")
    }
    if arguments.has("--json") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      Console.print(String(decoding: try encoder.encode(["i2c": buses]), as: UTF8.self))
    } else if buses.isEmpty {
      Console.print(
        "no I²C bus; on a Raspberry Pi, set dtparam=i2c_arm=on in config.txt and load the module i2c-dev")
    } else {
      for bus in buses { bus.lines.forEach(Console.print) }
    }
    return buses.contains { $0.error != nil } ? 1 : 0
  }

  /// The findings on one bus.
  struct Bus: Encodable {
    var path: String
    var name: String
    var error: String?
    var devices: [Device] = []

    /// A device at an address of the bus.
    struct Device: Encodable {
      var address: String
      /// The names of the parts that fit; empty if unknown.
      var chips: [String]
      /// The reason why the device cannot be read.
      var fault: String?
      /// A known chip that is not supported.
      var other: String?
    }

    init(path: String, name: String) {
      self.path = path
      self.name = name
      do throws(SystemError) {
        devices = I2CSurvey.of(try LinuxI2CBus(path: path)).map { address, finding in
          switch finding {
          case .parts(let names): Device(address: "\(address)", chips: names)
          case .unsupported(let chip): Device(address: "\(address)", chips: [], other: chip.name)
          case .unknown: Device(address: "\(address)", chips: [])
          case .fault(let fault): Device(address: "\(address)", chips: [], fault: fault.words)
          }
        }
      } catch {
        self.error = "\(error)"
        if error.number == EACCES { self.error? += "; the user must be in the group i2c" }
      }
    }

    /// The text of the report.
    var lines: [String] {
      let title = name.isEmpty ? path : "\(path)  \(name)"
      if let error { return ["\(title)", "  \(error)"] }
      guard !devices.isEmpty else { return [title, "  no device responds"] }
      return [title]
        + devices.map { device in
          let what =
            device.fault ?? device.other.map { "\($0); not supported" }
            ?? (device.chips.isEmpty ? "unknown" : device.chips.joined(separator: " or "))
          return "  \(device.address)  \(what)"
        }
    }
  }
}
