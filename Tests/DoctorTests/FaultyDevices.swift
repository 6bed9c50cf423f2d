import Doctor
import Settings

/// Faults of buses, clocks and supply.
enum FaultyDevices {
  static let cases: [CheckCase] = [
    CheckCase("i2c-enabled", "error", "no dtparam=i2c_arm=on") { facts in
      facts.buses.buses = []
      facts.host.boot = BootFiles(
        path: "/boot/firmware/config.txt", configuration: "#dtparam=i2c_arm=on", kernelLine: "")
    },
    CheckCase("i2c-enabled", "error", "i2c-dev is not loaded") { facts in
      (facts.buses.buses, facts.buses.hasDriver) = ([], false)
    },
    CheckCase("i2c-permission", "error", "may not open") { facts in
      facts.buses.buses[0].node = FileNode(mode: 0o600, user: 0, group: 0)
    },
    CheckCase("accelerometer", "error", "no acknowledge") {
      $0.report.accelerometer?.trouble = "no acknowledge"
    },
    CheckCase("accelerometer", "error", "is at 0x19") { facts in
      facts.stopLogger()
      facts.buses.buses[0].chips = [0x19: ["lis3dh"]]
    },
    CheckCase("gauge", "error", "found: 0x20 unknown") { facts in
      facts.stopLogger()
      facts.buses.buses[0].chips = [0x20: []]
    },
    CheckCase("gauge", "ok", "max17048 at 0x36") { facts in
      facts.stopLogger()
      facts.buses.buses[0].chips = [0x36: ["max17048", "max17043"]]
    },
    CheckCase("gauge", "error", "power_supply/battery") { facts in
      facts.configuration.settings = try SoundSystem.settings("{ gauge: { power_supply: \"battery\" } }")
    },
    CheckCase("i2c-errors", "warning", "1 loss") { facts in
      facts.logger.events = .known([LoggedEvent(kind: "gauge_lost", sentence: "gauge lost", age: 600)])
    },
    CheckCase("gpio-lines", "error", "/dev/gpiochip0 does not exist") { $0.buses.lines[0].chip = nil },
    CheckCase("gpio-lines", "error", "used by spi0") { $0.buses.lines[0].consumer = "spi0" },
    CheckCase("gpio-lines", "error", "may not open") { $0.buses.lines[0].chip?.group = 0 },
    CheckCase("status-led", "warning", "present: led0") { $0.buses.lights = ["led0"] },
    CheckCase("rtc", "error", "/dev/rtc0 does not exist") { $0.clock.chips = [] },
    CheckCase("rtc", "error", "no alarm") { $0.clock.hasAlarm = false },
    CheckCase("rtc", "warning", "s off") { $0.clock.chipTime = .known(0) },
    CheckCase("rtc", "warning", "s off") { $0.clock.chipTime = .known(.min) },
    CheckCase("system-clock", "error", "before 2026") { $0.clock.now = 3600 },
    CheckCase("system-clock", "warning", "59 s behind") { facts in
      facts.report.lastFix = LoggerReport.LastFix(time: Double(SoundSystem.now) + 40, age: 19)
    },
    CheckCase("synchronised", "warning", "run together") { facts in
      facts.service.others["systemd-timesyncd.service"] = UnitProperties("ActiveState=active")
    },
    CheckCase("synchronised", "warning", "no time service") { facts in
      (facts.clock.error, facts.service.others) = (.absent, [:])
    },
    CheckCase("synchronised", "warning", "not synchronised") { $0.clock.error = .absent },
    CheckCase("reference-clock", "skipped", "is off") { $0.configuration.settings?.clock.chrony = nil },
    CheckCase("reference-clock", "error", "does not run") { $0.service.others = [:] },
    CheckCase(
      "reference-clock", "error", "/run/chrony.outrider.sock does not exist",
      remedy: "chrony-refclock.conf /etc/chrony/conf.d/outrider.conf && sudo systemctl", without: "sed"
    ) {
      $0.clock.referenceSocket = nil
    },
    CheckCase(
      "reference-clock", "error", "/run/chrony.gnss.sock does not exist",
      remedy: "sed -i 's|/run/chrony.outrider.sock|/run/chrony.gnss.sock|' /etc/chrony/conf.d/outrider.conf"
    ) { facts in
      facts.configuration.settings?.clock.chrony = "/run/chrony.gnss.sock"
      facts.clock.referenceSocket = nil
    },
    CheckCase(
      "reference-clock", "error", "may not write to /run/chrony.gnss.sock",
      remedy: "|/run/chrony.gnss.sock|' /etc/systemd/system/chrony.service.d/outrider.conf"
    ) { facts in
      facts.configuration.settings?.clock.chrony = "/run/chrony.gnss.sock"
      facts.clock.referenceSocket = FileNode(mode: 0o755, user: 0, group: 0)
    },
    CheckCase("reference-clock", "error", "outrider may not write") {
      $0.clock.referenceSocket = FileNode(mode: 0o755, user: 0, group: 0)
    },
    CheckCase("fake-hwclock", "warning", "beside rtc0") { $0.clock.hasFakeClock = true },
    CheckCase("zone", "warning", "does not exist") { $0.clock.zone = .hidden("Mars does not exist") },
    CheckCase("under-voltage", "error", "now") { $0.power.throttled = .known(0x50005) },
    CheckCase("under-voltage", "warning", "since the start") { $0.power.throttled = .known(0x10000) },
    CheckCase("under-voltage", "error", "rpi_volt") { facts in
      (facts.power.throttled, facts.power.hasVoltageAlarm) = (.absent, true)
    },
    CheckCase("throttled", "error", "0x50005") { $0.power.throttled = .known(0x50005) },
    CheckCase("throttled", "warning", "0x80000") { $0.power.throttled = .known(0x80000) },
    CheckCase("temperature", "warning", "82 °C") { $0.power.celsius = 82.4 },
    CheckCase("board-currents", "warning", "receiver_sleeping") { facts in
      facts.configuration.settings?.energy.currents[.receiverSleeping] = nil
    },
    CheckCase("supply-setting", "warning", "no gauge") { $0.configuration.settings?.gauge = nil },
    CheckCase("supply-setting", "warning", "discharging") { $0.configuration.settings?.supply = .mains },
    CheckCase("gauge-plausible", "warning", "0.12 V") { $0.report.battery?.volts = 0.12 },
    CheckCase("gauge-plausible", "warning", "180.00 %") { $0.report.battery?.percent = 180 },
    CheckCase("host-sleep-possible", "error", "cannot suspend") { $0.power.sleepStates = [] },
    CheckCase("host-sleep-possible", "error", "no clock chip") { $0.clock.hasAlarm = false },
    CheckCase("host-sleep-possible", "error", "no polkit rule") { $0.host.polkitRules = .absent },
  ]
}
