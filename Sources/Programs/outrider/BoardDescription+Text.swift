import Settings

extension BoardDescription {
  /// The lines that `outrider boards NAME` prints.
  var text: [String] {
    var rows = [("receiver", receiver.text)]
    if let enable = receiver.enable { rows.append(("  enable line", enable.text)) }
    if let accelerometer { rows += Self.rows("accelerometer", accelerometer) }
    if let gauge { rows += Self.rows("fuel gauge", gauge) }
    if let ignition = lines.ignition { rows.append(("ignition", ignition.text)) }
    if let light = leds.status { rows.append(("status LED", light.text)) }
    if let rtc { rows.append(("real-time clock", rtc)) }
    rows.append(("supply", supply))
    var text = ["\(name): \(title)", ""] + Self.columns(rows, indent: "")
    if !energy.isEmpty {
      text += ["", "Currents:"]
      let draws = Consumer.allCases.compactMap { consumer in
        energy[consumer.rawValue].map { (consumer.rawValue, $0.text) }
      }
      text += Self.columns(draws, indent: "  ")
    }
    if let system { text += [""] + system.text }
    if !notes.isEmpty { text += ["", "Preparation:"] + notes.map { "  - \($0)" } }
    return text
  }

  private static func rows(_ name: String, _ part: Part) -> [(String, String)] {
    let facts = part.members.compactMap(fact)
    let parameters = facts.isEmpty ? [] : [("  parameters", facts.joined(separator: ", "))]
    if case .text(let supply)? = part["power_supply"] {
      return [(name, "kernel power supply \(supply) in /sys/class/power_supply")]
        + parameters.map { ("  battery", $1) }
    }
    guard case .text(let chip)? = part["chip"], case .text(let bus)? = part["bus"] else { return [] }
    var connection = "\(chip) on \(bus)"
    if case .text(let address)? = part["address"] { connection += " at \(address)" }
    var rows = [(name, connection)]
    if let interrupt = part.interrupt { rows.append(("  interrupt", interrupt.text)) }
    rows += parameters
    rows.append(("  driver", part.witness.map { "verified against \($0)" } ?? "not verified"))
    return rows
  }

  /// The words for a given setting of a part; nil for one that is its connection, or that is not given.
  private static func fact(_ member: GroupMember) -> String? {
    switch (member.key, member.value) {
    case ("chip", _), ("bus", _), ("address", _), ("interrupt", _), ("power_supply", _): nil
    case _ where member.isDefault: nil
    case ("shunt_ohm", .number(let shunt)): "shunt \(number(shunt)) Ω"
    case ("largest_current_A", .number(let current)): "maximum current \(number(current)) A"
    case ("capacity_mAh", .number(let capacity)): "battery capacity \(number(capacity)) mAh"
    case ("cells", .number(let count)): count == 1 ? "1 cell" : "\(number(count)) cells in series"
    case ("reversed", .boolean(true)): "current sign reversed"
    case (_, .text(let text)): "\(member.key) \(text)"
    default: "\(member.key) \(member.value.json)"
    }
  }

  fileprivate static func columns(_ rows: [(String, String)], indent: String) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "\(indent)\(name)\(String(repeating: " ", count: width - name.count + 2))\(text)"
    }
  }

  static func number(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }
}

extension BoardDescription.System {
  /// The settings with a heading, as instructions.
  var text: [String] {
    var rows = (parameters + overlays.map { "dtoverlay=\($0)" }).map { ("config.txt", $0) }
    if console == SerialConsole.off.rawValue {
      rows.append(("cmdline.txt", "without console=serial0, console=ttyAMA0 and console=ttyS0"))
    }
    if !modules.isEmpty { rows.append(("kernel modules", modules.joined(separator: ", "))) }
    if !services_off.isEmpty { rows.append(("services off", services_off.joined(separator: ", "))) }
    if let watchdog { rows.append(("watchdog", "RuntimeWatchdogSec=\(watchdog)")) }
    if let cell_charge_V {
      let volts = BoardDescription.number(cell_charge_V)
      rows.append(("clock's cell", "charged to \(volts) V only with --charge-cell"))
    }
    return ["System (outrider boards NAME --apply):"] + BoardDescription.columns(rows, indent: "  ")
  }
}

extension BoardDescription.Line {
  fileprivate var text: String { "\(chip) line \(line), active \(active_low ? "low" : "high")" }
}

extension BoardDescription.Light {
  fileprivate var text: String {
    switch self {
    case .named(let name): "/sys/class/leds/\(name)"
    case .line(let line): line.text
    }
  }
}

extension BoardDescription.Draw {
  fileprivate var text: String {
    "\(BoardDescription.number(mA)) mA at \(BoardDescription.number(V)) V, \(source)"
  }
}

extension BoardDescription.Receiver {
  fileprivate var text: String {
    let connection = port ?? gpsd.map { "gpsd at \($0)" } ?? "a port set in the configuration"
    let wired = "\(module.map { "\($0) on " } ?? "")\(connection)"
    return gpsd == nil ? "\(wired), baud rate \(speed), control \(control)" : wired
  }
}
