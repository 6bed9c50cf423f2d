import Settings

/// The checks of the machine and the parts that the package installs.
enum SystemChecks {
  static let all: [Check] = [
    Check(
      "image-64-bit", .system, "Kernel and system are 64-bit.",
      advice: "Install the 64-bit image. Pi 3, 4, 5 and Zero 2 W run it; Pi 1 and Zero do not."
    ) { facts in
      let machine = facts.host.machine
      guard !machine.isEmpty else { return .skipped("the machine's type is unknown") }
      let is64 = ["aarch64", "x86_64", "arm64", "riscv64"].contains(machine)
      if is64, !facts.host.has32BitLibraries { return .ok(machine) }
      return .error(
        is64 ? "\(machine), but the system's libraries are 32-bit" : machine,
        means: "The packages are 64-bit only.", fix: "install the 64-bit image of Raspberry Pi OS")
    },
    Check(
      "groups-exist", .system, "The user and groups of the service exist.",
      advice: "Create them with systemd-sysusers."
    ) { facts in groupsExist(facts) },
    Check(
      "udev-rules", .system, "The udev rules of the package are installed.",
      advice: "Reinstall the package, then run `sudo udevadm trigger`."
    ) { facts in
      if let path = facts.host.udevRules { return .ok(path) }
      guard facts.host.isPackaged else { return .skipped("outrider was not installed as a package") }
      return .error(
        "60-outrider.rules is missing",
        means: "I²C, GPIO, LEDs and the radio switch may belong to root only.",
        fix: "sudo apt install --reinstall outrider && sudo udevadm trigger")
    },
    Check(
      "polkit", .system, "polkit permits what the configuration requires.",
      advice: "Install polkitd and the rule outrider.rules."
    ) { facts in polkit(facts) },
    Check(
      "hardware-watchdog", .system, "The hardware watchdog restarts a host that hangs.",
      advice: "Set `RuntimeWatchdogSec=14` in a drop-in of system.conf."
    ) { facts in hardwareWatchdog(facts) },
    Check(
      "apparmor", .system, "Information: AppArmor and the profile of the logger.",
      advice: "No action is required."
    ) { facts in
      switch facts.host.hasAppArmor {
      case nil: .skipped("the kernel has no AppArmor")
      case false?: .ok("off")
      case true?:
        .ok(facts.service.process?.profile.map { "on; profile \($0)" } ?? "on; the logger has no profile")
      }
    },
  ]

  /// The command that installs the polkit rule. It belongs to the package.
  static func installRule(_ facts: SystemFacts) -> String {
    facts.host.isPackaged ? "sudo apt install --reinstall outrider" : "sudo apt install ./outrider_*.deb"
  }

  /// The actions that require polkit, as in `start outrider-modem-up.service (network.up)`.
  private static func privilegedActions(_ settings: Configuration) -> [String] {
    var actions: [String] = []
    if let depth = settings.host.sleep, settings.host.down == nil {
      actions.append("\(depth == .halt ? "power off" : "suspend") the host (host.sleep)")
    }
    var hooks = [
      ("network.up", settings.network.up), ("network.down", settings.network.down),
      ("host.down", settings.host.down),
    ]
    hooks += settings.notificationPrograms.map { ("notifications", $0) }
    for (setting, hook) in hooks {
      if let unit = hook.flatMap(HookUnit.init) { actions.append("start \(unit.file) (\(setting))") }
    }
    if settings.trip.preventsScreenLock {
      actions.append("keep the host awake (trip.prevent_screen_lock)")
    }
    return actions
  }

  private static func groupsExist(_ facts: SystemFacts) -> Finding {
    guard !facts.host.accounts.isEmpty else { return .skipped("/etc/passwd or /etc/group cannot be read") }
    if let unit = facts.service.unit, unit.isLoaded {
      let user = unit["User"] ?? "root"
      guard facts.host.accounts.identity(of: user) != nil else {
        return .error(
          "user \(user) of outrider.service does not exist", means: "The service cannot start (217/USER).",
          fix: "sudo systemd-sysusers", "sudo useradd -r -d /var/lib/outrider \(user)")
      }
      let missing = unit.words("SupplementaryGroups").filter {
        facts.host.accounts.group($0) == nil && UInt32($0) == nil
      }
      if let group = missing.first {
        return .error(
          "group \(group) of outrider.service does not exist", means: "The service cannot start (216/GROUP).",
          fix: "sudo groupadd -r \(group)", "sudo systemd-sysusers")
      }
    }
    var required = ["dialout"]
    if let settings = facts.configuration.settings {
      if settings.accelerometer != nil || settings.gauge != nil { required.append("i2c") }
      if !facts.buses.lines.isEmpty { required.append("gpio") }
    }
    if let group = required.first(where: { facts.host.accounts.group($0) == nil }) {
      return .warning(
        "group \(group) does not exist",
        means: "The devices belong to root, and the logger may not open them.",
        fix: "sudo groupadd -r \(group) && sudo udevadm trigger",
        group == "i2c" ? "sudo apt install i2c-tools" : "sudo systemd-sysusers")
    }
    return .ok(required.joined(separator: ", "))
  }

  private static func polkit(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    let actions = privilegedActions(settings)
    guard !actions.isEmpty else { return .skipped("the configuration requires no permission of polkit") }
    let means = "The logger may not \(actions.joined(separator: " or "))."
    guard facts.host.hasPolkit else {
      return .error("polkit is not installed", means: means, fix: "sudo apt install polkitd")
    }
    switch facts.host.polkitRules {
    case .known(let path): return .ok(path)
    case .hidden(let reason): return .skipped(reason)
    case .absent:
      return .error("no rule outrider.rules", means: means, fix: installRule(facts))
    }
  }

  private static func hardwareWatchdog(_ facts: SystemFacts) -> Finding {
    guard let device = facts.host.watchdogs.first else {
      return .skipped("the kernel reports no hardware watchdog")
    }
    guard let manager = facts.service.manager, let text = manager["RuntimeWatchdogUSec"] else {
      return LoggerChecks.noSystemd(facts)
    }
    if text != "0", text != "infinity" { return .ok("\(device), \(text)") }
    let folder = "/etc/systemd/system.conf.d"
    return .warning(
      "\(device) is present, but not armed",
      means: "A kernel that hangs stays down until somebody cuts the power.",
      fix: "sudo mkdir -p \(folder) && printf '[Manager]\\nRuntimeWatchdogSec=14\\n' | "
        + "sudo tee \(folder)/watchdog.conf && sudo systemctl daemon-reexec")
  }
}
