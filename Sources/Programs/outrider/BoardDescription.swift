import Chips
import LoggerConfiguration
import Settings

/// The content of a board file, completed with the facts of its chips.
///
/// Encodes to the JSON of `outrider boards --json`, with the keys of board files.
struct BoardDescription: Encodable {
  var name: String
  var title: String
  var supply: String
  var receiver: Receiver
  var accelerometer: Part?
  var gauge: Part?
  var lines: Lines
  var leds: LEDs
  var rtc: String?
  /// Currents by the raw values of ``Consumer``.
  var energy: [String: Draw]
  /// The settings of the operating system; nil if the board requires none.
  var system: System?
  var notes: [String]

  /// A GPIO line.
  struct Line: Encodable {
    var chip: String
    var line: UInt32
    var active_low: Bool
  }

  /// The receiver and its connection.
  struct Receiver: Encodable {
    var module: String?
    var port: String?
    var gpsd: String?
    var speed: String
    var control: String
    var enable: Line?
  }

  /// An accelerometer or a fuel gauge.
  ///
  /// Its address is a text (`0x18`), because JSON has no hexadecimal numbers, by default the part's usual one. Its number of
  /// cells is by default the number for which the part is made.
  struct Part: Encodable {
    /// The settings, completed with the facts of the part.
    var members: [GroupMember]
    var interrupt: Line?
    /// The source against which the driver was verified; nil if there is none, and for a power supply of the kernel.
    var witness: String?

    subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

    func encode(to encoder: any Encoder) throws {
      var object = Dictionary(
        members.filter { $0.value != .null }.map { ($0.key, $0.value) },
        uniquingKeysWith: { first, _ in first })
      if let interrupt { object["interrupt"] = interrupt.json }
      if let witness { object["witness"] = .text(witness) }
      var container = encoder.singleValueContainer()
      try container.encode(object)
    }
  }

  /// The GPIO lines of the board.
  struct Lines: Encodable {
    var ignition: Line?
  }

  /// The LEDs of the board.
  struct LEDs: Encodable {
    var status: Light?
  }

  /// The connection of an LED.
  enum Light: Encodable {
    case named(String)
    case line(Line)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .named(let name): try container.encode(name)
      case .line(let line): try container.encode(line)
      }
    }
  }

  /// A current with its voltage and source.
  struct Draw: Encodable {
    var mA: Double
    var V: Double
    var source: String
  }

  /// The settings of the operating system that the board requires.
  struct System: Encodable {
    var overlays: [String]
    var parameters: [String]
    var modules: [String]
    var console: String
    var services_off: [String]
    /// A duration with its unit, as in `14s`.
    var watchdog: String?
    var cell_charge_V: Double?
  }

  init(name: String, _ board: Configuration) {
    self.name = name
    title = board.boardTitle ?? ""
    supply = board.supply.rawValue
    receiver = Receiver(
      module: board.receiver.module, port: board.receiver.port,
      gpsd: board.receiver.gpsd.map { "\($0)" }, speed: "\(board.receiver.speed)",
      control: board.receiver.control.rawValue, enable: board.receiver.enable.map(Line.init))
    accelerometer = board.accelerometer.map(Part.init)
    gauge = board.gauge.map(Part.init)
    lines = Lines(ignition: board.lines.ignition.map(Line.init))
    leds = LEDs(status: board.leds.status.map(Light.init))
    rtc = board.clockChip
    energy = Dictionary(
      board.energy.currents.map { consumer, figure in
        (consumer.rawValue, Draw(mA: figure.milliamperes, V: figure.volts, source: figure.source))
      }, uniquingKeysWith: { first, _ in first })
    system = board.boardSystem == SystemSettings() ? nil : System(board.boardSystem)
    notes = board.boardNotes
  }
}

extension BoardDescription.Line {
  init(_ line: LineSettings) {
    self.init(chip: line.chip, line: line.line, active_low: line.isActiveLow)
  }

  fileprivate var json: JSONValue {
    .group(["chip": .text(chip), "line": .number(Double(line)), "active_low": .boolean(active_low)])
  }
}

extension BoardDescription.Light {
  init(_ light: LEDSettings.Light) {
    switch light {
    case .named(let name): self = .named(name)
    case .line(let line): self = .line(BoardDescription.Line(line))
    }
  }
}

extension BoardDescription.Part {
  init(_ accelerometer: AccelerometerSettings) {
    let part = AccelerometerPart.named(accelerometer.chip)
    self.init(
      members: accelerometer.members, interrupt: accelerometer.interrupt.map(BoardDescription.Line.init),
      witness: part?.witness)
    complete(address: accelerometer.address, part?.addresses)
  }

  init(_ gauge: GaugeSettings) {
    self.init(members: gauge.members)
    guard case .chip(let name, _) = gauge.source else { return }
    let part = GaugePart.named(name)
    witness = part?.witness
    complete(address: gauge.address, part?.addresses)
    if let cells = gauge.cells ?? part?.cells { set("cells", .number(Double(cells))) }
  }

  private mutating func complete(address given: UInt8?, _ usual: [I2CAddress]?) {
    guard let address = given.flatMap({ I2CAddress($0) }) ?? usual?.first else { return }
    set("address", .text("\(address)"))
  }

  private mutating func set(_ key: String, _ value: JSONValue) {
    for index in members.indices where members[index].key == key {
      (members[index].value, members[index].isDefault) = (value, false)
    }
  }
}

extension BoardDescription.System {
  init(_ system: SystemSettings) {
    self.init(
      overlays: system.overlays, parameters: system.parameters, modules: system.modules,
      console: system.console.rawValue, services_off: system.servicesOff,
      watchdog: system.watchdog.map { "\($0.components.seconds)s" }, cell_charge_V: system.cellVolts)
  }
}
