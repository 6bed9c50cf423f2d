import Settings

/// The checks of the receiver's port.
enum ReceiverChecks {
  static let all: [Check] = [
    Check(
      "port-exists", .receiver, "The port of the receiver exists.",
      advice: "Plug in the receiver or enable the UART, then correct `receiver.port`."
    ) { facts in portExists(facts) },
    Check(
      "uart-overlay", .receiver, "The header of the Raspberry Pi has a full UART.",
      advice: "Add `dtoverlay=disable-bt` or `miniuart-bt` (Zero W to 4), or `dtparam=uart0=on` (Pi 5)."
    ) { facts in uartOverlay(facts) },
    Check(
      "serial-console", .receiver, "No console or login shell uses the port.",
      advice: "In raspi-config, disable the login shell on the serial port and keep the hardware enabled."
    ) { facts in serialConsole(facts) },
    Check(
      "port-permission", .receiver, "The logger may open the port.",
      advice: "Add the logger's user to the port's group, usually dialout, and restart the service.",
      // A login shell takes the permission of the group.
      after: ["port-exists", "serial-console"]
    ) { facts in portPermission(facts) },
    Check(
      "gpsd-conflict", .receiver, "gpsd does not take the port from the logger.",
      advice: "Share the receiver through gpsd (`receiver.gpsd`), or disable gpsd."
    ) { facts in gpsdConflict(facts) },
    Check(
      "port-held", .receiver, "No other program has the port open.",
      advice: "Stop the program that the message names.", after: ["port-exists"]
    ) { facts in portInUse(facts) },
    Check(
      "gpsd-shared", .receiver, "gpsd runs if it is the source.",
      advice: "Enable gpsd, or set `receiver.port`."
    ) { facts in
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      guard let address = settings.receiver.gpsd else {
        return .skipped("the receiver is not shared through gpsd")
      }
      let isLocal = ["localhost", "127.0.0.1", "::1"].contains { "\(address)".contains($0) }
      if facts.logger.report?.receiver?.isOpen == true { return .ok("connected to gpsd at \(address)") }
      guard isLocal else { return .skipped("gpsd at \(address) is on another host") }
      if facts.port.hasGPSDSocket { return .ok("gpsd listens on port 2947") }
      return .error(
        "nobody listens on port 2947", means: "The logger receives no data.",
        fix: "sudo systemctl enable --now gpsd.socket", "sudo apt install gpsd")
    },
    Check(
      "usb-by-id", .receiver, "A USB receiver is configured by its stable name.",
      advice: "Use the link below `/dev/serial/by-id` in `receiver.port`."
    ) { facts in
      guard let path = facts.port.path, facts.port.isUSB else { return .skipped("no USB port") }
      guard path.hasPrefix("/dev/tty") else { return .ok(path) }
      guard let stable = facts.port.stableName else {
        return .skipped("\(path) has no name in /dev/serial/by-id")
      }
      return .warning(
        "\(path) changes its number with the order of plugging in",
        means: "After a restart the logger may read another device.",
        fix: "sudo outrider set receiver.port=\(stable)",
        "sudoedit \(facts.configuration.path)   and set receiver: { port: \"\(stable)\" }")
    },
  ]

  static func noPort(_ facts: SystemFacts) -> Finding {
    if let path = facts.port.path { return .skipped("\(path) does not exist") }
    if facts.configuration.settings?.receiver.gpsd != nil {
      return .skipped("the receiver is shared through gpsd")
    }
    return facts.configuration.settings == nil
      ? ConfigurationChecks.unread(facts) : .skipped("no serial port is configured")
  }

  private static func portExists(_ facts: SystemFacts) -> Finding {
    guard let path = facts.port.path else { return noPort(facts) }
    if let target = facts.port.target { return .ok(target == path ? path : "\(path) is \(target)") }
    let present =
      facts.port.present.isEmpty ? "no serial port exists" : facts.port.present.joined(separator: ", ")
    if path.contains("USB") || path.contains("ACM") || path.contains("by-id") {
      return .error(
        "\(path) does not exist; present: \(present)",
        means: "The receiver is not plugged in, or has another name.",
        fix: "ls -l /dev/serial/by-id", "sudoedit \(facts.configuration.path)   and correct receiver.port")
    }
    let line = facts.host.isPi5 ? "dtparam=uart0=on" : "enable_uart=1"
    let manual =
      facts.host.isRaspberryPi
      ? "sudoedit \(facts.host.boot.configurationPath ?? "/boot/firmware/config.txt")   and add: [all] \(line)"
      : "sudoedit \(facts.configuration.path)   and correct receiver.port"
    return .error(
      Finding.Complaint(
        "\(path) does not exist; present: \(present)",
        means: "The UART is off, or the port has another name.",
        fix: facts.boardRemedies(manual)))
  }

  private static func portPermission(_ facts: SystemFacts) -> Finding {
    guard let node = facts.port.node, let target = facts.port.target else { return noPort(facts) }
    let logger = facts.loggerIdentity
    let group = facts.host.accounts.groupName(node.group)
    let evidence = "\(target): mode \(String(node.mode & 0o777, radix: 8)), group \(group)"
    if node.permits(6, to: logger) { return .ok("\(evidence); \(logger.name) may open it") }
    // Membership in root or tty would permit far more than the port.
    let isUseful = node.mode >> 3 & 6 == 6 && !["root", "tty"].contains(group)
    let join = "sudo usermod -aG \(isUseful ? group : "dialout") \(logger.name)"
    // The rules of udev give the port to dialout again.
    let trigger = isUseful ? "" : " && sudo udevadm trigger"
    return .error(
      "\(evidence); \(logger.name) may not open it", means: "The logger receives no data.",
      fix: "\(join)\(trigger) && sudo systemctl restart outrider")
  }

  private static func uartOverlay(_ facts: SystemFacts) -> Finding {
    guard facts.host.isRaspberryPi else { return .skipped("not a Raspberry Pi") }
    guard let path = facts.port.path, facts.port.isHeaderUART else {
      return .skipped("the receiver is not on the header's UART")
    }
    let boot = facts.host.boot
    guard let file = boot.configurationPath else { return .skipped("config.txt cannot be read") }
    func edit(_ line: String) -> [String] { facts.boardRemedies("sudoedit \(file)   and add: [all] \(line)") }
    func has(_ line: String) -> Bool { boot.has(line, model: facts.host.model) }
    if facts.host.isPi5 {
      if facts.port.deviceName == "ttyAMA10" {
        return .warning(
          Finding.Complaint(
            "\(path) is ttyAMA10, the debug connector",
            means: "Pins 8 and 10 of the header are another UART.",
            fix: edit("dtparam=uart0=on") + ["sudo outrider set receiver.port=/dev/ttyAMA0"]))
      }
      if has("dtparam=uart0=on") || has("dtparam=uart0") || has("dtoverlay=uart0-pi5")
        || has("dtoverlay=uart0")
      {
        return .ok("uart0 is enabled in \(file)")
      }
      return .error(
        Finding.Complaint(
          "\(file) does not enable uart0", means: "Pins 8 and 10 of the header have no UART.",
          fix: edit("dtparam=uart0=on")))
    }
    guard facts.host.hasMiniUART else {
      return has("enable_uart=1") || facts.port.target != nil
        ? .ok("this model has the full UART on the header")
        : .error(
          Finding.Complaint(
            "\(file) does not set enable_uart=1", means: "The UART is off.", fix: edit("enable_uart=1")))
    }
    if let overlay = ["disable-bt", "miniuart-bt", "pi3-disable-bt", "pi3-miniuart-bt"].first(where: {
      has("dtoverlay=\($0)")
    }) {
      return .ok("dtoverlay=\(overlay) in \(file)")
    }
    if has("enable_uart=1") {
      return .warning(
        Finding.Complaint(
          "\(path) is the mini UART",
          means: "It has small buffers and no break detection, and Bluetooth has the full UART.",
          fix: edit("dtoverlay=disable-bt")))
    }
    return .error(
      Finding.Complaint(
        "\(file) has neither dtoverlay=disable-bt nor enable_uart=1",
        means: "The UART of the header is off, or its speed follows the clock of the chip.",
        fix: edit("dtoverlay=disable-bt")))
  }

  private static func serialConsole(_ facts: SystemFacts) -> Finding {
    guard let name = facts.port.deviceName else { return noPort(facts) }
    // The kernel's command line may name the UART by its alias.
    let names = Set([name] + [facts.port.path?.split(separator: "/").last.map(String.init)].compactMap { $0 })
    let shell = facts.service.others.first { unit, properties in
      properties.isActive
        && names.contains { unit == "serial-getty@\($0).service" || unit == "getty@\($0).service" }
    }?.key
    let console = facts.host.boot.consoles.first(where: names.contains)
    if shell == nil, console == nil { return .ok("no console on \(name)") }
    let evidence =
      shell.map { "\($0) runs a login shell on /dev/\(name)" }
      ?? "the kernel's console is on \(console ?? name)"
    let manual =
      facts.host.isRaspberryPi
      ? "sudo raspi-config nonint do_serial_cons 1 && sudo raspi-config nonint do_serial_hw 0   and restart"
      : shell.map { "sudo systemctl disable --now \($0)" }
        ?? "remove console=\(name) from the kernel's command line"
    return .error(
      Finding.Complaint(
        evidence, means: "It consumes the receiver's output, and the receiver gets its text as commands.",
        fix: facts.boardRemedies(manual)
          + (facts.host.isRaspberryPi ? [consoleRemoval(names, facts.host.boot)].compactMap { $0 } : [])))
  }

  /// The remedy that removes the console from cmdline.txt; nil if the file has none.
  ///
  /// The firmware replaces the alias serial0 by the name of the UART, so the word differs from that in /proc/cmdline.
  private static func consoleRemoval(_ names: Set<String>, _ boot: BootFiles) -> String? {
    let edit = "sudoedit \(boot.commandLinePath)   and remove"
    guard let words = boot.fileWords else { return "\(edit) console=serial0,…, then restart" }
    let word = words.first { word in
      word.hasPrefix("console=")
        && names.union(["serial0"]).contains(String(word.dropFirst(8).prefix { $0 != "," }))
    }
    return word.map { "\(edit) \($0), then restart" }
  }

  /// The two remedies against gpsd.
  static func gpsdRemedies(_ facts: SystemFacts) -> [String] {
    [
      "sudo outrider set receiver.gpsd=localhost:2947   to share the receiver (remove receiver.port)",
      "sudo systemctl disable --now gpsd.socket gpsd.service"
        + (facts.port.isUSB ? "   and set USBAUTO=\"false\" in /etc/default/gpsd" : ""),
    ]
  }

  private static func gpsdConflict(_ facts: SystemFacts) -> Finding {
    guard let target = facts.port.target else { return noPort(facts) }
    let isRunning = facts.service.runs("gpsd.service") || facts.service.runs("gpsd.socket")
    guard isRunning else { return .ok("gpsd does not run") }
    let devices = (facts.port.gpsdDefaults["DEVICES"] ?? "").split(separator: " ").map(String.init)
    let links = Set([target, facts.port.path, facts.port.stableName].compactMap { $0 })
    let takesUSB = facts.port.isUSB && facts.port.gpsdDefaults["USBAUTO"] == "true"
    guard takesUSB || !links.isDisjoint(with: devices) else {
      return .ok("gpsd runs, but does not use \(target)")
    }
    let how = takesUSB ? "USBAUTO=\"true\"" : "DEVICES=\"\(devices.joined(separator: " "))\""
    return .error(
      Finding.Complaint(
        "gpsd runs and uses \(target): \(how) in /etc/default/gpsd",
        means: "Two programs read the port, and each gets a part of the data.", fix: gpsdRemedies(facts)))
  }

  private static func portInUse(_ facts: SystemFacts) -> Finding {
    guard let target = facts.port.target else { return noPort(facts) }
    let logger = facts.service.process?.id
    let otherProcesses = facts.port.holders.filter { $0.process != logger }
    guard let first = otherProcesses.first else {
      if facts.port.hidesProcesses, facts.logger.report?.receiver?.isOpen != true {
        return .skipped("run as root to see other users' processes")
      }
      return .ok(facts.port.holders.isEmpty ? "\(target) is free" : "only the logger has \(target) open")
    }
    let names = otherProcesses.map { "\($0.name) (process \($0.process))" }.joined(separator: ", ")
    return .error(
      Finding.Complaint(
        "\(target) is open in \(names)", means: "Each program gets only a part of the receiver's data.",
        fix: remedies(against: first, facts)))
  }

  private static func remedies(against holder: PortFacts.Holder, _ facts: SystemFacts) -> [String] {
    let device = facts.port.deviceName ?? ""
    switch holder.name {
    case "gpsd": return gpsdRemedies(facts)
    case "ModemManager": return ["sudo systemctl disable --now ModemManager"]
    case "agetty", "getty", "login", "bash", "sh":
      return ["sudo systemctl disable --now serial-getty@\(device).service"]
    case "brltty": return ["sudo apt remove brltty"]
    case "hciattach", "btattach", "bluetoothd":
      return facts.boardRemedies("sudo systemctl disable --now hciuart.service bluetooth.service")
    case "outrider": return ["sudo systemctl stop outrider   or end process \(holder.process)"]
    default: return ["sudo kill \(holder.process)   or stop the service of \(holder.name)"]
    }
  }
}
