import Doctor
import Settings

/// Faults of configuration and service.
enum FaultyConfiguration {
  /// The case of a file that everybody may read, with a destination that has a secret at `path`; nil for none.
  private static func secret(_ destination: String, _ path: String?) -> CheckCase {
    CheckCase(
      "secrets-readable", path == nil ? "ok" : "warning", path.map { "every user can read \($0)" } ?? "644"
    ) { facts in
      facts.configuration.file?.mode = 0o644
      facts.configuration.secrets = try SoundSystem.secrets(
        "{ destinations: [{ name: \"home\", kind: \"overland\", \(destination) }] }")
    }
  }

  /// The case of a configuration on a host without polkit.
  private static func withoutPolkit(_ configuration: String, _ word: String) -> CheckCase {
    CheckCase("polkit", word, word == "error" ? "polkit is not installed" : "requires no permission") {
      facts in
      facts.configuration.settings = try SoundSystem.settings(configuration)
      facts.host.hasPolkit = false
    }
  }

  static let cases: [CheckCase] = [
    CheckCase("config-valid", "error", "line 3") { facts in
      facts.configuration.settings = nil
      facts.configuration.fault = "config.json5: line 3: unknown key"
    },
    CheckCase("config-valid", "error", "does not exist", remedy: "sudo outrider setup", without: "URL") {
      $0.configuration.file = nil
    },
    CheckCase("config-valid", "skipped", "may not read") { facts in
      facts.observer = Identity(name: "pi", user: 1000, groups: [1000])
      (facts.configuration.settings, facts.configuration.isDenied) = (nil, true)
      facts.configuration.fault = "Permission denied"
    },
    CheckCase("config-warnings", "warning", "no effect") {
      $0.configuration.warnings = ["rtc: has no effect"]
    },
    CheckCase("board-known", "error", "neither") { facts in
      facts.configuration.settings = try SoundSystem.settings("{}")
    },
    CheckCase("board-known", "skipped", "see config-valid") { facts in
      (facts.configuration.settings, facts.configuration.fault) = (nil, "syntax")
    },
    CheckCase(
      "destinations-any", "warning", "empty", remedy: "sudoedit", without: "setup URL",
      last: "sudo outrider setup "
    ) { facts in
      facts.configuration.settings = try SoundSystem.settings("{ receiver: { port: \"/dev/serial0\" } }")
    },
    CheckCase("secrets-readable", "warning", "mode 644, root:outrider; every user can read destinations[0]") {
      $0.configuration.file?.mode = 0o644
    },
    secret("url: \"https://example.org\", headers: { \"X-Key\": \"k\" }", "destinations[0].headers"),
    secret("url: \"https://example.org/o?api_key=k\"", "destinations[0].url"),
    secret("url: \"https://me:pw@example.org\"", "destinations[0].url"),
    secret("url: \"https://example.org/api/webhook/abc\"", "destinations[0].url"),
    secret("url: \"https://example.org\", proxy: \"http://me:pw@proxy:3128\"", "destinations[0].proxy"),
    secret("url: \"https://example.org/api/v1\", proxy: \"http://proxy:3128\"", nil),
    CheckCase("secrets-readable", "error", "cannot read") { $0.configuration.file?.group = 0 },
    CheckCase("config-newer-than-process", "warning", "main.min_time") { facts in
      facts.configuration.differences = .known(["main.min_time"])
    },
    CheckCase("config-newer-than-process", "warning", "after the logger's start") { facts in
      facts.configuration.differences = .absent
      facts.configuration.file?.modified = SoundSystem.now
    },
    CheckCase("config-newer-than-process", "skipped", "run doctor with sudo") { facts in
      facts.configuration.differences = .hidden("pi may not read the run-time settings; run doctor with sudo")
      facts.configuration.file?.modified = SoundSystem.now
    },
    CheckCase("config-newer-than-process", "ok", "older than the process") { facts in
      facts.configuration.differences = .hidden("pi may not read the run-time settings; run doctor with sudo")
    },
    CheckCase("settings-persisted", "skipped", "pi may not read the run-time settings") { facts in
      facts.observer = Identity(name: "pi", user: 1000, groups: [1000, 990])
      facts.configuration.storedFault = "settings.json: Permission denied; run-time settings are ignored"
      facts.configuration.isStoredDenied = true
    },
    CheckCase("settings-persisted", "skipped", "pi may not read the run-time settings") { facts in
      facts.stopLogger()
      facts.observer = Identity(name: "pi", user: 1000, groups: [1000])
      facts.configuration.storedFault = "settings.json: Permission denied; run-time settings are ignored"
      facts.configuration.isStoredDenied = true
    },
    CheckCase("settings-persisted", "error", "Permission denied") { facts in
      facts.observer = Identity(name: "pi", user: 1000, groups: [1000, 990])
      facts.configuration.isStoredDenied = true
      facts.report.settingsFault = "settings.json: Permission denied"
    },
    CheckCase("settings-persisted", "error", "Input/output error") { facts in
      facts.configuration.storedFault = "settings.json: Input/output error"
    },
    CheckCase("settings-persisted", "error", "No space") {
      $0.report.settingsFault = "No space left on device"
    },
    CheckCase("running", "error", "failed, result watchdog") { facts in
      facts.stopLogger()
      facts.setUnit("ActiveState=failed\nResult=watchdog")
    },
    CheckCase("running", "error", "condition failed", remedy: "sudo outrider setup", without: "URL") {
      facts in
      facts.stopLogger()
      facts.setUnit("ActiveState=inactive\nConditionResult=no")
    },
    CheckCase("running", "error", "no unit") { facts in
      facts.stopLogger()
      facts.service.unit = UnitProperties("LoadState=not-found")
    },
    CheckCase("responding", "error", "no answer") { $0.logger.answer = .silent },
    CheckCase("responding", "error", "longer than 4194304 bytes") {
      $0.logger.answer = .unusable("its answer is longer than 4194304 bytes; restart the logger")
    },
    CheckCase("responding", "error", "nobody") { $0.logger.answer = .nobody },
    CheckCase("responding", "skipped", "see running") { facts in
      facts.stopLogger()
      facts.setUnit("ActiveState=inactive")
    },
    CheckCase("version-current", "warning", "replaced") { $0.service.process?.isProgramDeleted = true },
    CheckCase("version-current", "warning", "newer than") { facts in
      facts.service.process?.programModified = SoundSystem.now
    },
    CheckCase("version-current", "warning", "0.1.0") { $0.report.version = "0.1.0" },
    CheckCase("version-current", "skipped", "0.1.0, runs after a rollback: see update-state") { facts in
      facts.report.version = "0.1.0"
      facts.service.returned = "nothing delivered"
      facts.service.process?.program = "/usr/lib/outrider/previous/outrider"
    },
    CheckCase("version-current", "skipped", "see update-state") { facts in
      facts.report.version = "0.1.0"
      facts.service.returned = "nothing delivered"
      facts.service.process?.program = nil
    },
    CheckCase("version-current", "warning", "0.1.0") { facts in
      facts.report.version = "0.1.0"
      facts.service.returned = "nothing delivered"
    },
    CheckCase("service-enabled", "error", "disabled") { $0.setUnit("UnitFileState=disabled") },
    CheckCase("service-enabled", "skipped", "systemctl is not installed") { facts in
      facts.service.unit = nil
      facts.service.fault = "systemctl is not installed"
    },
    CheckCase("watchdog", "warning", "WatchdogSec=0") { $0.setUnit("WatchdogUSec=0") },
    CheckCase("watchdog", "warning", "Restart=no") { $0.setUnit("Restart=no") },
    CheckCase("restarts", "warning", "3 automatic") { $0.setUnit("NRestarts=3") },
    CheckCase("update-state", "warning", "rolled back: nothing delivered") {
      $0.service.returned = "nothing delivered"
    },
    CheckCase("update-state", "warning", "nothing delivered; the previous version rejects the configuration")
    {
      $0.service.kept = "nothing delivered; the previous version rejects the configuration"
    },
    CheckCase("update-state", "ok", "0.3.0 is on trial after 0.2.0") {
      $0.service.trial = UpgradeFacts(old: "0.2.0", new: "0.3.0")
    },
    CheckCase("share-gpsd", "warning", "in use", remedy: "ss -ltnp") { facts in
      facts.configuration.settings?.share.gpsd = "127.0.0.1:2947"
      facts.report.shareFault = "port 2947 of 127.0.0.1 is in use by another process"
    },
    CheckCase("share-gpsd", "skipped", "share.gpsd is off") { _ in },
    CheckCase("last-exit", "error", "core-dump") { $0.setUnit("Result=core-dump\nExecMainStatus=11") },
    CheckCase("last-exit", "warning", "power_loss") { facts in
      facts.logger.events = .known([
        LoggedEvent(kind: "started", sentence: "Outrider", fields: ["cause": "power_loss"])
      ])
    },
    CheckCase("groups-effective", "error", "lacks i2c") { $0.service.process?.groups = [990, 20, 993] },
    CheckCase("unit-hardening", "error", "/home/pi/tracks") { facts in
      facts.configuration.settings = try SoundSystem.settings(
        "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/home/pi/tracks\" }] }")
    },
    CheckCase(
      "unit-hardening", "error", "leds.status: ProtectKernelTunables=yes",
      remedy: "[Service] ReadWritePaths=-/sys/devices/pci0000:00/usb1/leds/scroll"
    ) { facts in
      facts.buses.statusLight = "/sys/devices/pci0000:00/usb1/leds/scroll"
    },
    CheckCase("unit-hardening", "ok", "no setting") { facts in
      facts.configuration.settings = try SoundSystem.settings(
        "{ destinations: [{ name: \"gpx\", kind: \"file\", directory: \"/home/pi/tracks\" }] }")
      facts.setUnit(
        "ProtectSystem=no\nProtectHome=no\nPrivateTmp=no\nNoNewPrivileges=no\nDevicePolicy=auto\nDeviceAllow="
      )
    },
    CheckCase("image-64-bit", "error", "armv7l") { $0.host.machine = "armv7l" },
    CheckCase("image-64-bit", "error", "32-bit") { $0.host.has32BitLibraries = true },
    CheckCase("groups-exist", "error", "group i2c") { facts in
      facts.host.accounts = Accounts(
        passwd: SoundSystem.passwd, group: "root:x:0:\noutrider:x:990:\ndialout:x:20:\ngpio:x:5:\n")
    },
    CheckCase("groups-exist", "error", "user outrider") { facts in
      facts.host.accounts = Accounts(passwd: "root:x:0:0::/root:/bin/sh\n", group: SoundSystem.group)
    },
    CheckCase("udev-rules", "error", "missing") { $0.host.udevRules = nil },
    CheckCase("polkit", "error", "no rule", remedy: "sudo apt install --reinstall outrider") {
      $0.host.polkitRules = .absent
    },
    CheckCase("polkit", "error", "no rule", remedy: "sudo apt install ./outrider_", without: "scripts/") {
      facts in
      facts.host.polkitRules = .absent
      facts.host.isPackaged = false
    },
    CheckCase("polkit", "error", "not installed") { $0.host.hasPolkit = false },
    withoutPolkit("{ network: { up: \"outrider-modem-up.service\" } }", "error"),
    withoutPolkit("{ network: { down: \"outrider-modem-down.service\" } }", "error"),
    withoutPolkit("{ notifications: \"outrider-event.service\" }", "error"),
    withoutPolkit("{ host: { sleep: \"suspend\", down: \"outrider-down.service\" } }", "error"),
    withoutPolkit("{ trip: { prevent_screen_lock: true } }", "error"),
    withoutPolkit("{ host: { sleep: \"suspend\", down: \"/usr/local/bin/down\" } }", "skipped"),
    withoutPolkit("{ network: { up: \"/usr/local/bin/up\" } }", "skipped"),
    withoutPolkit("{}", "skipped"),
    CheckCase("hardware-watchdog", "warning", "not armed") { facts in
      facts.service.manager = UnitProperties("RuntimeWatchdogUSec=0")
    },
  ]
}
