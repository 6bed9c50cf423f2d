// The fuel gauge, the charger, the battery and the supply.

extension EventDefinition {
  static var gaugeLost: Self {
    Self(
      subject: "gauge", group: .power, fault: .begins(.gauge), level: .warning, effects: [], gap: .unrelated,
      meaning: "The fuel gauge does not respond.",
      fields: [.part, .reason],
      advice: "Check the wiring and `gauge` with `outrider doctor i2c`."
    ) { event in
      event.at(
        event.text(.part),
        "\(event.text(.reason)); the logger keeps retrying and uses the last charge until it is too old")
    }
  }

  static var gaugeReturned: Self {
    Self(
      subject: "gauge", group: .power, fault: .ends(.gauge), level: .notice, effects: [], gap: .unrelated,
      meaning: "The fuel gauge responds again.",
      fields: [.part, .duration], value: .duration
    ) { event in event.at(event.text(.part), event.returned) }
  }

  static var gaugeDoubtful: Self {
    Self(
      subject: "gauge", group: .power, level: .warning, effects: [], gap: .unrelated,
      meaning: "Readings of the fuel gauge are implausible, or it lost its state.",
      fields: [.part, .cause, .percent, .voltage, .cells],
      advice: "Check `gauge.cells` and the gauge's connection to the battery."
    ) { event in event.at(event.text(.part), event.doubtfulGauge) }
  }

  static var chargerAttached: Self {
    Self(
      subject: "charger", group: .power, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "A charger was connected."
    ) { _ in "charger connected" }
  }

  static var chargerRemoved: Self {
    Self(
      subject: "charger", group: .power, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The charger was disconnected."
    ) { _ in "charger disconnected" }
  }

  static var batteryFull: Self {
    Self(
      subject: "battery", group: .power, level: .notice, effects: .notifies, gap: .unrelated,
      meaning: "The battery is full.",
      fields: [.percent], value: .percent
    ) { event in
      event.has(.percent) ? "battery full at \(event.number(.percent)) %" : "battery full"
    }
  }

  static var batteryLow: Self {
    Self(
      subject: "battery", group: .power, level: .warning, effects: .notifies,
      gap: .cause("the battery was low"),
      meaning: "The battery is low.",
      fields: [.percent, .voltage], value: .percent,
      advice: "Charge the battery."
    ) { event in event.lowBattery }
  }

  static var supplyUnder: Self {
    Self(
      subject: "supply", group: .power, level: .warning, effects: .notifies, gap: .unrelated,
      meaning: "The supply voltage is below `power.under_V`.",
      fields: [.voltage, .part], value: .voltage,
      advice: "Check the vehicle battery or the supply."
    ) { event in event.at(event.text(.part), "\(event.volts), below power.under_V") }
  }

  static var supplyOver: Self {
    Self(
      subject: "supply", group: .power, level: .warning, effects: .notifies, gap: .unrelated,
      meaning: "The supply voltage is above `power.over_V`.",
      fields: [.voltage, .part], value: .voltage,
      advice: "Check the supply."
    ) { event in event.at(event.text(.part), "\(event.volts), above power.over_V") }
  }

  static var supplyInRange: Self {
    Self(
      subject: "supply", group: .power, level: .notice, effects: .notifies, gap: .unrelated,
      meaning: "The supply voltage is within its limits again.",
      fields: [.voltage, .part], value: .voltage
    ) { event in event.at(event.text(.part), "\(event.volts), within its limits") }
  }

  static var brownOut: Self {
    Self(
      subject: "supply", group: .power, level: .warning, effects: .notifies,
      gap: .cause("the supply voltage was too low"),
      meaning: "The board reported a supply voltage below its minimum.",
      fields: [.cause],
      advice: "Use a stronger supply or a shorter cable."
    ) { event in
      let time = event.text(.cause) == "now" ? "is too low" : "was too low since the last boot"
      return "the board reports that its supply voltage \(time); check the supply and its cable"
    }
  }
}

extension EventEvidence {
  fileprivate var doubtfulGauge: String {
    switch text(.cause) {
    case "charge_contradicts_voltage":
      "\(decimal(.percent, digits: 10)) % does not match \(volts) per cell; the charge is unknown until they match"
    case "implausible_voltage":
      "\(volts) is implausible for \(number(.cells) == 1 ? "one cell" : "\(number(.cells)) cells in series"); "
        + "check gauge.cells"
    case "reset": "lost its supply and learns the battery again"
    default: "no reading for too long"
    }
  }

  fileprivate var lowBattery: String {
    let measures = [has(.percent) ? "\(number(.percent)) %" : "", has(.voltage) ? volts : ""]
    return at("battery low", measures.filter { !$0.isEmpty }.joined(separator: ", "))
  }
}
