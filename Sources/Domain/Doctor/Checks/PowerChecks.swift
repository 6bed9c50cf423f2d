import Settings

/// The checks of supply, temperature and sleep.
enum PowerChecks {
  static let all: [Check] = [
    Check(
      "under-voltage", .power, "The supply voltage was never too low since the start.",
      advice: "Use a supply and a cable for the board's current. A Raspberry Pi requires 4.63 V at its pins."
    ) { facts in underVoltage(facts) },
    Check(
      "throttled", .power, "The processor is not slowed down by temperature or voltage.",
      advice: "Cool the board, or use a stronger supply."
    ) { facts in
      guard let bits = facts.power.throttled.value else {
        return facts.power.throttled.skipped(ifAbsent: "this board does not report it")
      }
      // Bits 1 to 3: frequency capped, throttled, soft temperature limit; 17 to 19: since the start.
      if bits & 0xE != 0 {
        return .error(
          "throttled now (get_throttled 0x\(String(bits, radix: 16)))",
          means: "The board is too hot, or its supply too weak.", fix: "vcgencmd measure_temp",
          "check supply, cable and ventilation")
      }
      if bits & 0xE0000 != 0 {
        return .warning(
          "throttled since the start (get_throttled 0x\(String(bits, radix: 16)))",
          means: "The board was too hot, or its supply too weak.", fix: "check supply, cable and ventilation")
      }
      return .ok("never since the start")
    },
    Check(
      "temperature", .power, "The processor is below 75 °C.",
      advice: "Cool the board, or keep it out of the sun."
    ) { facts in
      guard let celsius = facts.power.celsius else { return .skipped("the kernel reports no temperature") }
      let evidence = "\(Int(max(-300, min(celsius, 1000)))) °C"
      if celsius < 75 { return .ok(evidence) }
      return .warning(
        evidence, means: "From 80 °C on a Raspberry Pi slows down; heat ages the battery and the card.",
        fix: "cool the board, or keep it out of the sun")
    },
    Check(
      "board-currents", .power, "The board gives the currents that the battery forecast requires.",
      advice: "Measure the missing currents and add them under `energy`."
    ) { facts in
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      guard settings.supply == .battery else { return .skipped("the supply is not a battery") }
      let required: [Consumer] = [.hostIdle, .receiverAcquiring, .receiverTracking, .receiverSleeping]
      let missing = required.filter { settings.energy.currents[$0] == nil }.map(\.rawValue)
      if missing.isEmpty { return .ok("\(settings.energy.currents.count) currents are known") }
      return .warning(
        "missing: \(missing.joined(separator: ", "))",
        means: "Consumption is estimated with values of other hardware.",
        fix: "sudoedit \(facts.configuration.path)   and add energy: { \(missing[0]): "
          + "{ mA: 10, V: 3.3, source: \"measured\" } }")
    },
    Check(
      "supply-setting", .power, "The setting `supply` fits the hardware.", advice: "Correct `supply`."
    ) { facts in supplySetting(facts) },
    Check(
      "gauge-plausible", .power, "The gauge reports possible values.",
      advice: "Check wiring, `gauge.cells` and `gauge.shunt_ohm`.", after: ["gauge"]
    ) { facts in gaugePlausible(facts) },
    Check(
      "host-sleep-possible", .power, "The host can sleep and wake up as configured.",
      advice: "Install the polkit rule and a clock chip with an alarm, or set `host.down`."
    ) { facts in hostSleep(facts) },
  ]

  private static func underVoltage(_ facts: SystemFacts) -> Finding {
    let remedy = "use a supply with the board's current and a short, thick cable"
    if let bits = facts.power.throttled.value {
      if bits & 1 != 0 {
        return .error(
          "below 4.63 V now", means: "The board may restart at any time and damage its card.", fix: remedy,
          "vcgencmd get_throttled")
      }
      if bits & 0x10000 != 0 {
        return .warning(
          "below 4.63 V since the start", means: "The board may restart at peaks of its current.",
          fix: remedy,
          "vcgencmd get_throttled")
      }
      return .ok("never since the start")
    }
    guard let isLow = facts.power.hasVoltageAlarm else {
      return facts.power.throttled.skipped(ifAbsent: "this board does not report it")
    }
    return isLow
      ? .error("undervoltage alarm of rpi_volt", means: "The board may restart at any time.", fix: remedy)
      : .ok("no alarm")
  }

  private static func supplySetting(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    let edit = "sudoedit \(facts.configuration.path)   and set supply: "
    if settings.supply == .battery, settings.gauge == nil {
      return .warning(
        "supply is battery, but no gauge is configured",
        means: "The logger cannot save power when the battery is low.",
        fix: "outrider doctor i2c", "\(edit)\"mains\", or add gauge")
    }
    let isDischarging =
      facts.power.supplyState == "Discharging" || facts.logger.report?.battery?.state == "unplugged"
    if settings.supply == .mains, isDischarging {
      return .warning(
        "supply is mains, but the gauge reports a discharging battery",
        means: "The logger does not save power.",
        fix: "\(edit)\"battery\"")
    }
    return .ok(settings.supply.rawValue)
  }

  private static func gaugePlausible(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    guard settings.gauge != nil else { return .skipped("no gauge is configured") }
    guard let report = facts.logger.report else { return facts.logger.withoutReport }
    guard let battery = report.battery, let volts = battery.volts else { return .skipped("no reading yet") }
    let means = "Battery level and power level are wrong."
    let check = "sudoedit \(facts.configuration.path)   and correct gauge.cells"
    if settings.supply == .battery {
      let cells = Double(settings.gauge?.cells ?? 1)
      // From deeply discharged LiFePO4 to a charging lithium cell.
      guard (2.0 * cells...4.5 * cells).contains(volts) else {
        return .warning(
          "\(decimal(volts)) V with \(Int(cells)) cells", means: means, fix: check, "outrider doctor i2c")
      }
    } else if !(2...60).contains(volts) {
      return .warning(
        "\(decimal(volts)) V", means: means, fix: "check the wiring of the gauge", "outrider doctor i2c")
    }
    if let percent = battery.percent, !(0...100.5).contains(percent) {
      return .warning("\(decimal(percent)) %", means: means, fix: "check the wiring of the gauge")
    }
    if let doubt = battery.doubt {
      return .warning(doubt, means: "The state of charge is old or unknown.", fix: "outrider status")
    }
    return .ok("\(decimal(volts)) V\(battery.percent.map { ", \(Int($0)) %" } ?? "")")
  }

  private static func decimal(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e6 else { return "\(number)" }
    let hundredths = Int((abs(number) * 100).rounded())
    return
      "\(number < 0 ? "-" : "")\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  private static func hostSleep(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    guard let depth = settings.host.sleep else { return .skipped("host.sleep is off") }
    if settings.host.down != nil { return .ok("host.down puts the host to sleep") }
    let off = "sudo outrider set host.sleep=off"
    if depth == .suspend, !facts.power.sleepStates.contains(where: ["mem", "freeze", "standby"].contains) {
      return .error(
        "the kernel cannot suspend this host", means: "host.sleep has no effect.",
        fix: "sudo outrider set host.sleep=halt", off)
    }
    guard settings.clockChip != nil, facts.clock.hasAlarm else {
      return .error(
        "no clock chip with an alarm", means: "Nothing wakes the host after it has gone to sleep.",
        fix: "outrider doctor --only rtc", off)
    }
    if facts.loggerIdentity.isRoot { return .ok("\(depth.rawValue), with alarm") }
    switch facts.host.polkitRules {
    case .known(let path): return .ok("\(depth.rawValue), with alarm and \(path)")
    case .hidden(let reason): return .skipped(reason)
    case .absent:
      return .error(
        "no polkit rule permits \(facts.loggerIdentity.name) to \(depth == .halt ? "power off" : "suspend")",
        means: "The host stays awake and drains the battery.", fix: SystemChecks.installRule(facts), off)
    }
  }
}
