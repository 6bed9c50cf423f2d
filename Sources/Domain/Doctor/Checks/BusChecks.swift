import Settings

/// The checks of I²C, GPIO and lights.
enum BusChecks {
  static let all: [Check] = [
    Check(
      "i2c-enabled", .buses, "The I²C bus of the configured chips exists.",
      advice: "Add `dtparam=i2c_arm=on` to config.txt and load the module i2c-dev."
    ) { facts in i2cEnabled(facts) },
    Check(
      "i2c-permission", .buses, "The logger may open the bus.",
      advice: "Add the logger's user to the group i2c and restart the service.", after: ["i2c-enabled"]
    ) { facts in
      let configured = busPaths(facts)
      guard !configured.isEmpty else { return noChips(facts) }
      let logger = facts.loggerIdentity
      for bus in facts.buses.buses where configured.contains(bus.path) {
        guard let node = bus.node, !node.permits(6, to: logger) else { continue }
        let group = facts.host.accounts.groupName(node.group)
        return .error(
          "\(bus.path): mode \(String(node.mode & 0o777, radix: 8)), group \(group); \(logger.name) may not open it",
          means: "Accelerometer and gauge cannot be read.",
          fix:
            "sudo usermod -aG \(group == "root" ? "i2c" : group) \(logger.name) && sudo systemctl restart outrider"
        )
      }
      return .ok("\(logger.name) may open \(configured.sorted().joined(separator: ", "))")
    },
    Check(
      "accelerometer", .buses, "The configured accelerometer responds.",
      advice: "Compare chip, bus and address with `outrider doctor i2c`.",
      after: ["i2c-enabled", "i2c-permission"]
    ) { facts in
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      guard let part = settings.accelerometer else { return .skipped("no accelerometer is configured") }
      return chip(
        facts, ChipConnection(key: "accelerometer", chip: part.chip, bus: part.bus, address: part.address),
        facts.logger.report.map { $0.accelerometer })
    },
    Check(
      "gauge", .buses, "The configured fuel gauge responds.",
      advice: "Compare chip, bus and address with `outrider doctor i2c`.",
      after: ["i2c-enabled", "i2c-permission"]
    ) { facts in
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      switch settings.gauge?.source {
      case nil: return .skipped("no gauge is configured")
      case .powerSupply(let name):
        if facts.buses.supplies.contains(name) { return .ok("/sys/class/power_supply/\(name)") }
        let present = facts.buses.supplies.isEmpty ? "none" : facts.buses.supplies.joined(separator: ", ")
        return .error(
          "/sys/class/power_supply/\(name) does not exist; present: \(present)",
          means: "The charge of the battery is unknown.",
          fix: "sudoedit \(facts.configuration.path)   and correct gauge.power_supply")
      case .chip(let name, let bus):
        return chip(
          facts, ChipConnection(key: "gauge", chip: name, bus: bus, address: settings.gauge?.address),
          facts.logger.report.map { $0.gauge })
      }
    },
    Check(
      "i2c-errors", .buses, "The chips are read without losses.",
      advice: "Shorten the wires, add pull-up resistors, or lower the bus to 100 kHz.", after: ["i2c-enabled"]
    ) { facts in
      guard let report = facts.logger.report else { return facts.logger.withoutReport }
      guard report.accelerometer != nil || report.gauge != nil else { return noChips(facts) }
      let losses = (facts.logger.events.value ?? []).filter {
        ["accelerometer_lost", "gauge_lost"].contains($0.kind) && ($0.age ?? .max) < 86_400
      }
      if let last = losses.last {
        return .warning(
          "\(losses.count) loss\(losses.count == 1 ? "" : "es") in 24 h; the last: \(last.sentence)",
          means: "Motion or charge is unknown meanwhile.",
          fix: "sudoedit \(facts.host.boot.configurationPath ?? "/boot/firmware/config.txt")   "
            + "and add: [all] dtparam=i2c_arm_baudrate=50000")
      }
      let overruns = report.accelerometer?.overruns ?? 0
      return .ok(overruns == 0 ? "no losses" : "no losses; \(overruns) late readings")
    },
    Check(
      "gpio-lines", .buses, "The GPIO lines of the configuration exist and are free for the logger.",
      advice:
        "Correct the chip's name, which differs between kernels, or stop the program that uses the line."
    ) { facts in gpioLines(facts) },
    Check(
      "status-led", .buses, "The configured LED exists.",
      advice: "Set `leds.status` to a name in `/sys/class/leds`."
    ) { facts in
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      guard case .named(let name)? = settings.leds.status else {
        return .skipped("no LED of the kernel is configured")
      }
      if facts.buses.lights.contains(name) { return .ok("/sys/class/leds/\(name)") }
      let present = facts.buses.lights.isEmpty ? "none" : facts.buses.lights.joined(separator: ", ")
      return .warning(
        "/sys/class/leds/\(name) does not exist; present: \(present)",
        means: "The light does not show that tracking is on.",
        fix:
          "sudoedit \(facts.configuration.path)   and set leds: { status: \"\(facts.buses.lights.first ?? "NAME")\" }"
      )
    },
  ]

  /// The name and connection of a chip in the configuration.
  private struct ChipConnection {
    var key: String
    var chip: String
    var bus: String
    var address: UInt8?
  }

  private static func busPaths(_ facts: SystemFacts) -> Set<String> {
    guard let settings = facts.configuration.settings else { return [] }
    var paths = Set([settings.accelerometer?.bus].compactMap { $0 })
    if case .chip(_, let bus)? = settings.gauge?.source { paths.insert(bus) }
    return paths
  }

  private static func noChips(_ facts: SystemFacts) -> Finding {
    facts.configuration.settings == nil
      ? ConfigurationChecks.unread(facts) : .skipped("no I²C chip is configured")
  }

  private static func i2cEnabled(_ facts: SystemFacts) -> Finding {
    let configured = busPaths(facts)
    guard !configured.isEmpty else { return noChips(facts) }
    let missing = configured.filter { path in
      !facts.buses.buses.contains { $0.path == path && $0.node != nil }
    }
    guard let path = missing.min() else { return .ok(configured.sorted().joined(separator: ", ")) }
    let means = "Accelerometer and gauge cannot be read."
    let file = facts.host.boot.configurationPath ?? "/boot/firmware/config.txt"
    if facts.host.isRaspberryPi, !facts.host.boot.has("dtparam=i2c_arm=on", model: facts.host.model),
      !facts.host.boot.has("dtparam=i2c_arm", model: facts.host.model)
    {
      return .error(
        Finding.Complaint(
          "\(path) does not exist; \(file) has no dtparam=i2c_arm=on", means: means,
          fix: facts.boardRemedies("sudoedit \(file)   and add: [all] dtparam=i2c_arm=on")
            + ["sudo raspi-config nonint do_i2c 0"]))
    }
    if !facts.buses.hasDriver {
      return .error(
        "\(path) does not exist; the module i2c-dev is not loaded", means: means,
        fix: "echo i2c-dev | sudo tee /etc/modules-load.d/i2c.conf && sudo modprobe i2c-dev")
    }
    let present = facts.buses.buses.filter { $0.node != nil }.map(\.path).joined(separator: ", ")
    return .error(
      "\(path) does not exist; present: \(present.isEmpty ? "none" : present)", means: means,
      fix: "sudoedit \(facts.configuration.path)   and correct the bus of accelerometer and gauge")
  }

  private static func chip(_ facts: SystemFacts, _ connection: ChipConnection, _ report: PartReport??)
    -> Finding
  {
    let means =
      connection.key == "gauge"
      ? "The charge of the battery is unknown." : "Motion is detected by the receiver only."
    if let report {
      guard let part = report else {
        return .warning(
          "the logger does not use the \(connection.key)", means: means,
          fix: "sudo systemctl restart outrider")
      }
      guard let trouble = part.trouble else { return .ok("\(part.name) \(part.connection)") }
      return .error(
        "\(part.name) \(part.connection): \(trouble)", means: means,
        fix: "check the wiring of SDA, SCL and supply",
        "outrider doctor i2c \(connection.bus)")
    }
    guard let bus = facts.buses.buses.first(where: { $0.path == connection.bus }) else {
      return .skipped("\(connection.bus) was not scanned")
    }
    if let fault = bus.fault { return .skipped(fault) }
    guard let chips = bus.chips else { return .skipped("\(connection.bus) was not scanned") }
    let addresses = connection.address.map { [$0] } ?? facts.buses.usualAddresses[connection.chip] ?? []
    for address in addresses where chips[address]?.contains(connection.chip) == true {
      return .ok("\(connection.chip) at \(hex(address)) on \(connection.bus)")
    }
    if let other = chips.sorted(by: { $0.key < $1.key }).first(where: { $0.value.contains(connection.chip) })?
      .key
    {
      return .error(
        "\(connection.chip) is at \(hex(other)) on \(connection.bus), not at \(addresses.map(hex).joined(separator: " or "))",
        means: means,
        fix:
          "sudoedit \(facts.configuration.path)   and set \(connection.key): { chip: \"\(connection.chip)\", "
          + "bus: \"\(connection.bus)\", address: \(hex(other)) }")
    }
    let found = chips.sorted { $0.key < $1.key }.map { address, names in
      "\(hex(address)) \(names.isEmpty ? "unknown" : names.joined(separator: " or "))"
    }
    return .error(
      "no \(connection.chip) on \(connection.bus); found: \(found.isEmpty ? "nothing" : found.joined(separator: ", "))",
      means: means, fix: "check the wiring of SDA, SCL and supply", "outrider doctor i2c \(connection.bus)")
  }

  private static func hex(_ address: UInt8) -> String {
    "0x\(address < 16 ? "0" : "")\(String(address, radix: 16))"
  }

  private static func gpioLines(_ facts: SystemFacts) -> Finding {
    guard facts.configuration.settings != nil else { return ConfigurationChecks.unread(facts) }
    guard !facts.buses.lines.isEmpty else { return .skipped("no GPIO line is configured") }
    let logger = facts.loggerIdentity
    for line in facts.buses.lines {
      guard let chip = line.chip else {
        let present = facts.buses.gpioChips.isEmpty ? "none" : facts.buses.gpioChips.joined(separator: ", ")
        return .error(
          "\(line.setting): \(line.line.chip) does not exist; present: \(present)",
          means: "The line cannot be used. Kernels number the chips differently.",
          fix: "gpioinfo | grep -B99 GPIO\(line.line.line)",
          "sudoedit \(facts.configuration.path)   and correct \(line.setting)")
      }
      guard chip.permits(6, to: logger) else {
        let group = facts.host.accounts.groupName(chip.group)
        return .error(
          "\(line.setting): \(logger.name) may not open \(line.line.chip), group \(group)",
          means: "The line cannot be used.",
          fix:
            "sudo usermod -aG \(group == "root" ? "gpio" : group) \(logger.name) && sudo systemctl restart outrider"
        )
      }
      if let consumer = line.consumer, consumer != "outrider" {
        return .error(
          "\(line.setting): line \(line.line.line) of \(line.line.chip) is used by \(consumer)",
          means: "The kernel gives a line to one program only.",
          fix: "sudoedit \(facts.configuration.path)   and choose another line, or stop \(consumer)")
      }
    }
    return .ok(facts.buses.lines.map { "\($0.setting): line \($0.line.line)" }.joined(separator: ", "))
  }
}
