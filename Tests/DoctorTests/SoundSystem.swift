import Doctor
import Medium
import Settings

/// The facts about a sound battery unit on a Raspberry Pi Zero 2 W, on which no check complains.
enum SoundSystem {
  static let now: Int64 = 1_800_000_000

  static let configurationText = """
    {
      board: "field-unit", device_id: "unit-7", supply: "battery",
      receiver: { port: "/dev/serial0" },
      accelerometer: { chip: "lis3dh", bus: "/dev/i2c-1", address: 0x18, interrupt: { chip: "/dev/gpiochip0", line: 17 } },
      gauge: { chip: "max17048", bus: "/dev/i2c-1", address: 0x36, capacity_mAh: 10000 },
      leds: { status: "ACT" }, rtc: "/dev/rtc0", clock: { chrony: true }, host: { sleep: "suspend" },
      energy: {
        host_idle: { mA: 75, V: 5, source: "measured" }, receiver_acquiring: { mA: 13, V: 3, source: "measured" },
        receiver_tracking: { mA: 10, V: 3, source: "measured" }, receiver_sleeping: { mA: 0.1, V: 3, source: "measured" },
      },
      destinations: [
        { name: "home", kind: "overland", url: "https://example.org/api", token: "secret", proxy: "http://proxy.example.org:3128" },
        { name: "broker", kind: "owntracks", url: "mqtts://broker.example.org", device_id: "me/unit" },
      ],
    }
    """

  /// Reads a configuration; an invalid text is a fault of the test.
  static func settings(_ text: String = configurationText, _ overrides: [String] = []) throws -> Configuration
  {
    try Configuration.read(
      board: nil, file: SourceText(name: "test.json5", bytes: Array(text.utf8)), overrides: overrides,
      fallbacks: Fallbacks(deviceID: "unit", apiSocket: "/run/outrider/api.sock"), chips: ChipNames())
  }

  /// Returns the paths of the secrets in the text of a configuration file.
  static func secrets(_ text: String) throws -> [String] {
    ConfigurationFacts.secrets(
      in: try EditableSettings(SourceText(name: "test.json5", bytes: Array(text.utf8))))
  }

  static let passwd = """
    root:x:0:0:root:/root:/bin/bash
    pi:x:1000:1000::/home/pi:/bin/bash
    outrider:x:990:990::/var/lib/outrider:/usr/sbin/nologin
    """
  static let group = """
    root:x:0:
    pi:x:1000:
    dialout:x:20:outrider
    i2c:x:994:outrider
    gpio:x:993:outrider
    outrider:x:990:
    """

  /// The unit of the package, as `systemctl show` prints it.
  static let unit = """
    Id=outrider.service
    LoadState=loaded
    ActiveState=active
    UnitFileState=enabled
    MainPID=500
    NRestarts=0
    Result=success
    Restart=always
    WatchdogUSec=1min
    User=outrider
    SupplementaryGroups=dialout i2c gpio
    StateDirectory=outrider
    RuntimeDirectory=outrider
    CapabilityBoundingSet=
    AmbientCapabilities=
    NoNewPrivileges=yes
    DevicePolicy=closed
    DeviceAllow=/dev/rfkill rw
    DeviceAllow=char-ttyAMA rw
    DeviceAllow=char-ttyS rw
    DeviceAllow=char-166 rw
    DeviceAllow=char-188 rw
    ProtectSystem=strict
    ProtectHome=yes
    PrivateTmp=yes
    ProtectKernelTunables=yes
    ReadWritePaths=-/sys/devices/platform/leds
    """

  static func facts() throws -> SystemFacts {
    var facts = SystemFacts()
    facts.observer = Identity(name: "root", user: 0, groups: [0])
    facts.configuration.settings = try settings()
    facts.configuration.secrets = try secrets(configurationText)
    facts.configuration.file = FileNode(mode: 0o640, user: 0, group: 990, modified: now - 9000)
    facts.configuration.differences = .known([])
    facts.host = host()
    facts.service = service()
    facts.logger = logger()
    facts.port = port()
    facts.buses = try buses()
    facts.clock = clock()
    facts.storage = storage()
    facts.network = network()
    facts.power.throttled = .known(0)
    facts.power.celsius = 48
    facts.power.sleepStates = ["freeze", "mem"]
    return facts
  }

  private static func host() -> HostFacts {
    var host = HostFacts()
    host.model = "Raspberry Pi Zero 2 W Rev 1.0"
    host.machine = "aarch64"
    host.accounts = Accounts(passwd: passwd, group: group)
    host.boot = BootFiles(
      path: "/boot/firmware/config.txt", configuration: "dtparam=i2c_arm=on\n[all]\ndtoverlay=disable-bt\n",
      kernelLine: "console=tty1 root=PARTUUID=1-02 rootwait")
    host.isPackaged = true
    host.udevRules = "/usr/lib/udev/rules.d/60-outrider.rules"
    host.polkitRules = .known("/usr/share/polkit-1/rules.d/outrider.rules")
    host.hasPolkit = true
    host.watchdogs = ["watchdog0"]
    host.hasAppArmor = false
    return host
  }

  private static func service() -> ServiceFacts {
    var service = ServiceFacts()
    service.unit = UnitProperties(unit)
    service.manager = UnitProperties("RuntimeWatchdogUSec=14s")
    service.others = UnitProperties.all(
      "Id=chrony.service\nLoadState=loaded\nActiveState=active\n\nId=gpsd.service\nActiveState=inactive\n"
    )
    var process = ProcessFacts(id: 500)
    process.program = "/usr/bin/outrider"
    process.started = now - 8000
    process.programModified = now - 90_000
    process.user = 990
    process.groups = [990, 20, 994, 993]
    process.writtenBytes = 4_000_000
    service.process = process
    return service
  }

  private static func logger() -> LoggerFacts {
    var logger = LoggerFacts()
    logger.socket = "/run/outrider/api.sock"
    logger.ownVersion = "0.2.0"
    logger.events = .known([
      LoggedEvent(kind: "started", sentence: "Outrider 0.2.0", fields: ["cause": "stopped"], age: 8000)
    ])
    var report = LoggerReport(version: "0.2.0")
    report.uptime = 8000
    report.clockQuality = "receiver"
    report.lastFix = LoggerReport.LastFix(time: Double(now) - 12, age: 11)
    var receiver = ReceiverReport(port: "/dev/serial0")
    receiver.isOpen = true
    receiver.baud = 115_200
    receiver.state = "running"
    receiver.module = "MAX-M10S"
    receiver.validFrames = 56_000
    receiver.checksumErrors = 2
    receiver.fix = "3D"
    receiver.epochAge = 1
    report.receiver = receiver
    report.accelerometer = PartReport(name: "lis3dh", connection: "at 0x18 on /dev/i2c-1")
    report.gauge = PartReport(name: "max17048", connection: "at 0x36 on /dev/i2c-1")
    var battery = BatteryReport()
    (battery.state, battery.percent, battery.volts) = ("unplugged", 71, 3.91)
    report.battery = battery
    var home = DestinationReport(name: "home")
    (home.queued, home.lastSuccessAge) = (3, 60)
    report.destinations = [home]
    logger.answer = .report(report)
    return logger
  }

  private static func port() -> PortFacts {
    var port = PortFacts()
    port.path = "/dev/serial0"
    port.target = "/dev/ttyAMA0"
    port.headerTarget = "/dev/ttyAMA0"
    port.node = FileNode(mode: 0o660, user: 0, group: 20)
    port.holders = [PortFacts.Holder(process: 500, name: "outrider")]
    port.present = ["/dev/ttyAMA0"]
    return port
  }

  private static func buses() throws -> BusFacts {
    var buses = BusFacts()
    buses.buses = [BusFacts.Bus(path: "/dev/i2c-1", node: FileNode(mode: 0o660, user: 0, group: 994))]
    buses.hasDriver = true
    buses.gpioChips = ["gpiochip0"]
    buses.lines = [
      BusFacts.Line(
        setting: "accelerometer.interrupt", line: LineSettings(chip: "/dev/gpiochip0", line: 17),
        chip: FileNode(mode: 0o660, user: 0, group: 993), consumer: "outrider")
    ]
    buses.lights = ["ACT", "mmc0"]
    buses.statusLight = "/sys/devices/platform/leds/leds/ACT"
    return buses
  }

  private static func clock() -> ClockFacts {
    var clock = ClockFacts()
    clock.now = now
    clock.error = .known(0.02)
    clock.chips = ["rtc0"]
    clock.chipTime = .known(now + 1)
    clock.hasAlarm = true
    clock.referenceSocket = FileNode(mode: 0o770, user: 0, group: 990)
    clock.zone = .known("Europe/Berlin")
    return clock
  }

  private static func storage() -> StorageFacts {
    var storage = StorageFacts()
    storage.mounts = [
      Mount(
        point: "/", fileSystem: "ext4", source: "/dev/mmcblk0p2", device: "179:2", options: ["rw", "noatime"])
    ]
    storage.directory = .known(FileNode(mode: 0o750, user: 990, group: 990))
    storage.space = .known(StorageFacts.Space(free: 20_000_000_000, total: 31_000_000_000))
    storage.fileSystemErrors = .known(0)
    storage.disk = "mmcblk0"
    storage.wear = .known(MediumWear(lifeTime: 1, endOfLife: 1))
    storage.flushes = .known(StorageFacts.Flushes(count: 1000, milliseconds: 9000))
    storage.hasJournalDirectory = true
    storage.journal = ["Storage": "persistent", "SystemMaxUse": "100M"]
    storage.logFault = .known(nil)
    return storage
  }

  private static func network() -> NetworkFacts {
    var network = NetworkFacts()
    network.defaultRoutes = .known(["wlan0"])
    network.connectivity = "full"
    var home = NetworkFacts.Destination(name: "home", host: "example.org")
    home.isEncrypted = true
    home.proxy = "http://proxy.example.org:3128"
    home.certificateSeconds = 60 * 86_400
    for step in ["name", "connection", "encryption", "token", "answer"] {
      home.steps[step] = .good("as expected")
    }
    var broker = NetworkFacts.Destination(name: "broker", host: "broker.example.org")
    broker.isBroker = true
    broker.isEncrypted = true
    broker.steps["answer"] = .good("connected")
    network.destinations = [home, broker]
    return network
  }
}

extension SystemFacts {
  /// The report of the logger, for changes in tests.
  var report: LoggerReport {
    get { logger.report ?? LoggerReport(version: "") }
    set { logger.answer = .report(newValue) }
  }

  /// Removes the logger: no answer and no process.
  mutating func stopLogger() {
    logger.answer = .nobody
    service.process = nil
    port.holders = []
  }

  /// Changes properties of the unit.
  mutating func setUnit(_ lines: String) {
    let names = Set(lines.split(separator: "\n").map { $0.prefix { $0 != "=" } })
    let kept = SoundSystem.unit.split(separator: "\n").filter { !names.contains($0.prefix { $0 != "=" }) }
    service.unit = UnitProperties(kept.joined(separator: "\n") + "\n" + lines)
  }
}
