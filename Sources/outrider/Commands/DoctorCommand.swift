import Chips
import Devices
import FoundationEssentials
import Glibc
import SystemLoop

/// `outrider doctor`: detects the connected hardware.
enum DoctorCommand: Command {
  static let name = "doctor"
  static let group = CommandGroup.configure
  static let summary = "detect the connected hardware"
  static let description = CommandDescription(
    forms: ["i2c [/dev/i2c-N…]"],
    text: [
      """
      Lists the I²C buses, the addresses that respond, and the chips, identified by their registers. \
      Every address is read once; only a gauge at 0x55 is also written to, to read its type. Chip names \
      are those of board files.
      """
    ],
    options: [
      .flag("--json", text: "print one JSON object")
    ],
    operands: .words(["i2c"]))

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    guard arguments.operands.first == "i2c" else {
      throw Arguments.Misuse(message: "missing subsystem; available: i2c")
    }
    let wanted = arguments.operands.dropFirst()
    guard !wanted.contains("") else {
      throw Arguments.Misuse(message: "i2c: empty bus path; expected a path such as /dev/i2c-1")
    }
    let present = I2CAdapter.present()
    let paths = wanted.isEmpty ? present.map(\.path) : Array(wanted)
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
    }

    init(path: String, name: String) {
      self.path = path
      self.name = name
      do throws(SystemError) {
        devices = I2CSurvey.of(try LinuxI2CBus(path: path)).map { address, finding in
          switch finding {
          case .parts(let names): Device(address: "\(address)", chips: names)
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
            device.fault ?? (device.chips.isEmpty ? "unknown" : device.chips.joined(separator: " or "))
          return "  \(device.address)  \(what)"
        }
    }
  }
}
