import Chips
import Devices
import Doctor
import Settings
import System

extension PortFacts {
  /// Reads the port's device, its names and gpsd's settings. The holders come from ``ProcessWalk``.
  public init(_ tree: FileTree, path: String?) {
    self.init()
    self.path = path
    target = path.flatMap { tree.resolved($0) }
    headerTarget = tree.resolved("/dev/serial0")
    node = target.flatMap { tree.node($0) }
    present = tree.names("/dev").filter { name in
      ["ttyACM", "ttyUSB", "ttyAMA", "serial"].contains { name.hasPrefix($0) && name.count > $0.count }
        || name == "ttyS0"
    }.filter { $0.last?.isNumber == true }.map { "/dev/\($0)" }
    let folder = "/dev/serial/by-id"
    stableName = target.flatMap { target in
      tree.names(folder).first { tree.resolved("\(folder)/\($0)") == target }.map { "\(folder)/\($0)" }
    }
    hasGPSDSocket = ["/proc/net/tcp", "/proc/net/tcp6"].contains { Self.listens(tree.text($0) ?? "") }
    for line in (tree.text("/etc/default/gpsd") ?? "").split(separator: "\n") where !line.hasPrefix("#") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      let value = line[line.index(after: equals)...].trimmed.filter { $0 != "\"" && $0 != "'" }
      gpsdDefaults[String(line[..<equals].trimmed)] = value
    }
  }

  /// True if a socket listens (state 0A) on port 2947 (0B83), by the lines of proc_pid_net(5).
  private static func listens(_ table: String) -> Bool {
    table.split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.count > 3 && words[1].hasSuffix(":0B83") && words[3] == "0A"
    }
  }
}

extension BusFacts {
  /// Reads the buses, lights and GPIO chips. Neither buses nor lines are used.
  public init(_ tree: FileTree, _ settings: Configuration?) {
    self.init()
    let devices = tree.names("/dev")
    buses = devices.filter { $0.hasPrefix("i2c-") }.map {
      Bus(path: "/dev/\($0)", node: tree.node("/dev/\($0)"))
    }
    hasDriver = tree.exists("/sys/class/i2c-dev") || tree.exists("/sys/module/i2c_dev")
    gpioChips = devices.filter { $0.hasPrefix("gpiochip") }
    lights = tree.names("/sys/class/leds")
    if case .named(let name)? = settings?.leds.status {
      statusLight = tree.resolved("/sys/class/leds/\(name)")
    }
    supplies = tree.names("/sys/class/power_supply")
    lines = (settings?.wiredLines ?? []).map { setting, line in
      Line(setting: setting, line: line, chip: tree.node(line.chip))
    }
  }

  /// Scans the configured buses and reads who uses the configured lines. Only without a running logger.
  public mutating func scan(_ settings: Configuration) {
    var paths = Set([settings.accelerometer?.bus].compactMap { $0 })
    if case .chip(_, let bus)? = settings.gauge?.source { paths.insert(bus) }
    for index in buses.indices where paths.contains(buses[index].path) {
      do throws(SystemError) {
        var chips: [UInt8: [String]] = [:]
        for (address, finding) in I2CSurvey.of(try LinuxI2CBus(path: buses[index].path)) {
          switch finding {
          case .parts(let names): chips[address.rawValue] = names
          case .unsupported, .unknown: chips[address.rawValue] = []
          case .fault: break
          }
        }
        buses[index].chips = chips
      } catch {
        buses[index].fault = "\(error)"
      }
    }
  }

  /// Reads which programs use the configured lines, from the kernel. It requests no line.
  public mutating func readConsumers() {
    for index in lines.indices where lines[index].chip != nil {
      let line = lines[index].line
      lines[index].consumer = (try? LineWiring(chip: line.chip, line: line.line).consumer()) ?? nil
    }
  }
}

extension ClockFacts {
  /// Reads clock chips and time zone. `now` is the system's UTC in seconds since 1970; `error` is the clock's maximum error
  /// in seconds, nil if nobody disciplines the clock; `socket` is that of `clock.chrony`.
  public init(_ tree: FileTree, chip: String?, socket: String? = nil, now: Int64, error: Double?) {
    self.init()
    referenceSocket = socket.flatMap(tree.node)
    self.now = now
    self.error = error.map { .known($0) } ?? .absent
    chips = tree.names("/sys/class/rtc")
    if let name = chip?.split(separator: "/").last.map(String.init), chips.contains(name) {
      chipTime = tree.integer("/sys/class/rtc/\(name)/since_epoch").map { .known($0) } ?? .absent
      hasAlarm = tree.exists("/sys/class/rtc/\(name)/wakealarm")
    }
    hasFakeClock = ["/sbin/fake-hwclock", "/usr/sbin/fake-hwclock"].contains(where: tree.exists)
    if let target = tree.link("/etc/localtime") {
      let zone = target.split(separator: "/").drop { $0 != "zoneinfo" }.dropFirst().joined(separator: "/")
      self.zone =
        tree.exists("/etc/localtime")
        ? .known(zone.isEmpty ? target : zone)
        : .hidden("/etc/localtime leads to \(target), which does not exist")
    } else if tree.exists("/etc/localtime") {
      zone = .known("/etc/localtime")
    }
  }
}

extension PowerFacts {
  /// Reads the firmware's indications, temperatures and sleep states.
  public init(_ tree: FileTree, supply: String?) {
    self.init()
    let platform = "/sys/devices/platform"
    for soc in tree.names(platform) where soc.hasPrefix("soc") {
      for firmware in tree.names("\(platform)/\(soc)") where firmware.hasSuffix("firmware") {
        guard let text = tree.line("\(platform)/\(soc)/\(firmware)/get_throttled") else { continue }
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        throttled = UInt32(digits, radix: 16).map { .known($0) } ?? .hidden("get_throttled has no number")
      }
    }
    for monitor in tree.names("/sys/class/hwmon") {
      guard tree.line("/sys/class/hwmon/\(monitor)/name") == "rpi_volt" else { continue }
      hasVoltageAlarm = tree.line("/sys/class/hwmon/\(monitor)/in0_lcrit_alarm").map { $0 == "1" }
    }
    celsius = tree.names("/sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
      .compactMap { tree.integer("/sys/class/thermal/\($0)/temp") }.map { Double($0) / 1000 }.max()
    sleepStates = (tree.line("/sys/power/state") ?? "").split(separator: " ").map(String.init)
    supplyState = supply.flatMap { tree.line("/sys/class/power_supply/\($0)/status") }
  }
}
