import Settings

/// The checks of the clocks.
enum ClockChecks {
  /// 2026-01-01 00:00 UTC: an earlier date means a clock that was never set.
  static let earliestDate: Int64 = 1_767_225_600
  /// The time services that discipline the clock.
  static let services = [
    "systemd-timesyncd.service", "chrony.service", "chronyd.service", "ntp.service", "ntpsec.service",
    "openntpd.service",
  ]

  static let all: [Check] = [
    Check(
      "rtc", .buses, "The configured clock chip exists and is right.",
      advice: "Add its overlay (`dtoverlay=i2c-rtc,NAME`) and set it with `hwclock --systohc`."
    ) { facts in realTimeClock(facts) },
    Check(
      "system-clock", .buses, "The system clock agrees with the receiver.",
      advice: "Install a time service, or wait for the network."
    ) { facts in
      guard facts.clock.now >= earliestDate else {
        return .error(
          "the system clock is before 2026", means: "Certificates look invalid, so nothing can be sent.",
          fix: "sudo systemctl restart systemd-timesyncd",
          "sudo date -u -s '2026-01-01 12:00'   with the present time")
      }
      guard let fix = facts.logger.report?.lastFix, facts.logger.report?.clockQuality == "receiver" else {
        return .skipped("no time of the receiver to compare with")
      }
      let difference = fix.time + fix.age - Double(facts.clock.now)
      guard abs(difference) > 5 else { return .ok("less than 5 s from the receiver's time") }
      return .warning(
        "\(Int(max(-1e9, min(1e9, abs(difference))))) s \(difference > 0 ? "behind" : "ahead of") the receiver's time",
        means: "Records are right; certificates and the journal use the wrong time.",
        fix: "sudo systemctl restart systemd-timesyncd", "timedatectl timesync-status")
    },
    Check(
      "synchronised", .buses, "Exactly one time service disciplines the clock.",
      advice: "Enable one of systemd-timesyncd and chrony, and disable the others."
    ) { facts in
      let running = services.filter(facts.service.runs)
      if running.count > 1 {
        return .warning(
          "\(running.joined(separator: " and ")) run together",
          means: "They set the clock against each other.",
          fix: "sudo systemctl disable --now \(running[0])")
      }
      switch facts.clock.error {
      case .known(let seconds):
        let by = running.first.map { " by \($0)" } ?? ""
        return .ok("synchronised\(by), at most \(Int(min(max(seconds, 0), 1e6) * 1000)) ms off")
      case .hidden(let reason): return .skipped(reason)
      case .absent:
        if let service = running.first {
          return .warning(
            "\(service) runs, but the clock is not synchronised",
            means: "Until the network answers, only the receiver's time is right.",
            fix: "timedatectl timesync-status", "sudo systemctl restart \(service)")
        }
        return .warning(
          "no time service runs", means: "The system clock drifts by seconds per day.",
          fix: "sudo apt install systemd-timesyncd", "sudo systemctl enable --now systemd-timesyncd")
      }
    },
    Check(
      "reference-clock", .buses, "chrony takes the receiver's time that clock.chrony passes.",
      advice: "Configure the socket in chrony, and give the group of the logger access to it."
    ) { facts in referenceClock(facts) },
    Check(
      "fake-hwclock", .buses, "No fake clock competes with a clock chip.",
      advice: "Remove the package fake-hwclock."
    ) { facts in
      guard facts.clock.hasFakeClock else { return .ok("not installed") }
      guard !facts.clock.chips.isEmpty else {
        return .ok("keeps the time of the last shutdown; no clock chip")
      }
      return .warning(
        "fake-hwclock is installed beside \(facts.clock.chips.joined(separator: ", "))",
        means: "It sets an old time at every start.", fix: "sudo apt purge fake-hwclock")
    },
    Check(
      "zone", .buses, "The time zone of the system exists.", advice: "Set it with timedatectl."
    ) { facts in
      switch facts.clock.zone {
      case .known(let zone): .ok(zone)
      case .absent: .ok("none; UTC applies")
      case .hidden(let reason):
        .warning(
          reason, means: "Local times in the journal and in files are UTC.",
          fix: "sudo timedatectl set-timezone UTC")
      }
    },
  ]

  private static func referenceClock(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    guard let path = settings.clock.chrony else { return .skipped("clock.chrony is off") }
    guard facts.service.runs("chrony.service") || facts.service.runs("chronyd.service") else {
      return .error(
        "chrony.service does not run", means: "Nothing takes the receiver's time.",
        fix: "sudo apt install chrony", "sudo systemctl enable --now chrony")
    }
    guard let node = facts.clock.referenceSocket else {
      return .error(
        "\(path) does not exist", means: "chrony does not use the receiver's time.",
        fix: install("chrony-refclock.conf", as: "/etc/chrony/conf.d/outrider.conf", for: path)
          + " && sudo systemctl restart chrony")
    }
    let identity = facts.loggerIdentity
    guard node.permits(2, to: identity) else {
      return .error(
        "the user \(identity.name) may not write to \(path)",
        means: "The receiver's time does not reach chrony.",
        fix: install(
          "chrony-socket.conf", as: "/etc/systemd/system/chrony.service.d/outrider.conf", for: path)
          + " && sudo systemctl daemon-reload && sudo systemctl restart chrony")
    }
    return .ok("\(path) is open to \(identity.name)")
  }

  /// The command that installs an example of the package, with the socket that is configured.
  private static func install(_ example: String, as target: String, for socket: String) -> String {
    let copy = "sudo install -D -m 644 /usr/share/doc/outrider/examples/\(example) \(target)"
    let usual = ClockSettings.socketOfChrony
    return socket == usual ? copy : "\(copy) && sudo sed -i 's|\(usual)|\(socket)|' \(target)"
  }

  private static func realTimeClock(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    guard let path = settings.clockChip else { return .skipped("no clock chip is configured") }
    let name = String(path.split(separator: "/").last ?? "")
    guard facts.clock.chips.contains(name) else {
      let manual =
        "sudoedit \(facts.host.boot.configurationPath ?? "/boot/firmware/config.txt")   "
        + "and add: [all] dtoverlay=i2c-rtc,ds3231 (or your chip)"
      return .error(
        Finding.Complaint(
          "\(path) does not exist; present: "
            + (facts.clock.chips.isEmpty ? "none" : facts.clock.chips.joined(separator: ", ")),
          means: "After a power cut the time is unknown until the first fix.",
          fix: facts.host.isRaspberryPi
            ? facts.boardRemedies(manual) : ["sudoedit \(facts.configuration.path)   and correct rtc"]))
    }
    if settings.host.sleep != nil, !facts.clock.hasAlarm {
      return .error(
        "\(path) has no alarm", means: "The host cannot be woken, but host.sleep is set.",
        fix: "sudo outrider set host.sleep=off", "set host.down to a program that arranges the wake-up")
    }
    guard let time = facts.clock.chipTime.value else {
      return facts.clock.chipTime.skipped(ifAbsent: "the time of \(path) cannot be read")
    }
    let (first, second) = (max(time, 0), max(facts.clock.now, 0))
    let difference = max(first, second) - min(first, second)
    guard difference > 10 else {
      return .ok("\(path) is right, with\(facts.clock.hasAlarm ? "" : "out") alarm")
    }
    guard facts.clock.error.value != nil || facts.logger.report?.clockQuality == "receiver" else {
      return .skipped("\(path) differs by \(difference) s from the system clock, which is not synchronised")
    }
    return .warning(
      "\(path) is \(difference) s off", means: "After a power cut the logger starts with a wrong time.",
      fix: "sudo hwclock --systohc", "check the cell of the clock chip")
  }
}
