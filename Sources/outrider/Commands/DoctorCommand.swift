import Chips
import Devices
import FoundationEssentials
import Glibc
import SystemLoop

/// `outrider doctor`: looks at the hardware and says what is there.
enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "say what hardware is there"
  static let help = """
    Usage: outrider doctor i2c [--json] [/dev/i2c-N…]

    Lists the I²C buses, what answers on them, and which chip it looks like by its identity registers, with the names
    that board files use. Asks every address once and only reads, apart from the type of a gauge at 0x55.

      --json   print one object for programs
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: [], flags: ["--json"])
    guard arguments.operands.first == "i2c" else {
      throw Arguments.Misuse(message: "doctor wants to know what to look at; there is: i2c")
    }
    let wanted = arguments.operands.dropFirst()
    guard !wanted.contains("") else {
      throw Arguments.Misuse(message: "i2c wants paths of buses, as in /dev/i2c-1; one is empty")
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
        "no I²C bus: on a Raspberry Pi dtparam=i2c_arm=on in config.txt and the module i2c-dev give one")
    } else {
      for bus in buses { bus.lines.forEach(Console.print) }
    }
    return buses.contains { $0.error != nil } ? 1 : 0
  }

  /// What was found on one bus.
  struct Bus: Encodable {
    var path: String
    var name: String
    var error: String?
    var devices: [Device] = []

    struct Device: Encodable {
      var address: String
      /// Names of parts; empty for what is unknown.
      var chips: [String]
      /// Why it cannot be asked.
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

    var lines: [String] {
      let title = name.isEmpty ? path : "\(path)  \(name)"
      if let error { return ["\(title)", "  \(error)"] }
      guard !devices.isEmpty else { return [title, "  nothing answers"] }
      return [title]
        + devices.map { device in
          let what =
            device.fault ?? (device.chips.isEmpty ? "unknown" : device.chips.joined(separator: " or "))
          return "  \(device.address)  \(what)"
        }
    }
  }
}
