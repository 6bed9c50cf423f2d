import Doctor
import Quantities
import Settings

/// Faults of the receiver and its port.
enum FaultyReceiver {
  /// A receiver whose sentences are all those of other equipment.
  private static func ignoreEverything(_ facts: inout SystemFacts) {
    facts.report.receiver?.fix = nil
    facts.report.receiver?.epochAge = nil
    facts.report.receiver?.secondsWithoutFix = nil
    facts.report.receiver?.ignored = IgnoredInputs(
      counts: ["other_equipment": 900], last: ["other_equipment": "VWRMC"])
  }

  static let cases: [CheckCase] = [
    CheckCase("port-exists", "error", "/dev/serial0 does not exist") { $0.port.target = nil },
    CheckCase(
      "port-permission", "error", "group root; outrider may not open",
      remedy: "usermod -aG dialout outrider && sudo udevadm trigger"
    ) {
      $0.port.node?.group = 0
    },
    CheckCase(
      "port-permission", "error", "mode 620, group tty",
      remedy: "usermod -aG dialout outrider && sudo udevadm trigger"
    ) { facts in
      facts.host.accounts = Accounts(passwd: SoundSystem.passwd, group: SoundSystem.group + "\ntty:x:5:\n")
      facts.port.node = FileNode(mode: 0o620, user: 0, group: 5)
    },
    CheckCase(
      "port-permission", "error", "group gps", remedy: "usermod -aG gps outrider && sudo systemctl",
      without: "udevadm"
    ) { facts in
      facts.host.accounts = Accounts(passwd: SoundSystem.passwd, group: SoundSystem.group + "\ngps:x:77:\n")
      facts.port.node = FileNode(mode: 0o660, user: 0, group: 77)
    },
    CheckCase("port-permission", "error", "mode 640, group dialout", remedy: "udevadm trigger") {
      $0.port.node?.mode = 0o640
    },
    CheckCase("port-permission", "skipped", "see serial-console") { facts in
      facts.service.others["serial-getty@ttyAMA0.service"] = UnitProperties("ActiveState=active")
      facts.port.node = FileNode(mode: 0o620, user: 0, group: 0)
    },
    CheckCase("port-permission", "skipped", "see port-exists") { $0.port.target = nil },
    CheckCase("uart-overlay", "warning", "mini UART") { facts in
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "enable_uart=1", kernelLine: "")
    },
    CheckCase("uart-overlay", "error", "neither") { facts in
      facts.host.boot = BootFiles(
        path: "/boot/config.txt", configuration: "[pi4]\ndtoverlay=disable-bt\n", kernelLine: "")
    },
    CheckCase("uart-overlay", "error", "uart0") { $0.host.model = "Raspberry Pi 5 Model B Rev 1.0" },
    CheckCase("uart-overlay", "warning", "debug connector") { facts in
      facts.host.model = "Raspberry Pi 5 Model B Rev 1.0"
      facts.port.target = "/dev/ttyAMA10"
    },
    CheckCase("uart-overlay", "skipped", "not on the header") { facts in
      facts.host.model = "Raspberry Pi 4 Model B Rev 1.4"
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "dtoverlay=uart3", kernelLine: "")
      (facts.port.path, facts.port.target) = ("/dev/ttyAMA3", "/dev/ttyAMA3")
    },
    CheckCase("uart-overlay", "skipped", "not on the header") { facts in
      facts.host.model = "Raspberry Pi 5 Model B Rev 1.0"
      (facts.port.path, facts.port.target) = ("/dev/ttyAMA2", "/dev/ttyAMA2")
    },
    CheckCase("uart-overlay", "skipped", "not on the header") { facts in
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "", kernelLine: "")
      facts.port.path = "/dev/serial/by-path/platform-3f980000.usb-usb-0:1:1.0"
      facts.port.target = "/dev/ttyACM0"
    },
    CheckCase("uart-overlay", "skipped", "not on the header") { facts in
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "", kernelLine: "")
      (facts.port.path, facts.port.target) = ("/dev/gps0", "/dev/ttyUSB0")
    },
    CheckCase("uart-overlay", "skipped", "not on the header") { facts in
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "", kernelLine: "")
      (facts.port.path, facts.port.target) = ("/dev/ttySC0", "/dev/ttySC0")
    },
    CheckCase("uart-overlay", "error", "neither") { facts in
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "", kernelLine: "")
      (facts.port.path, facts.port.target) = ("/dev/gps0", "/dev/ttyAMA0")
    },
    CheckCase("uart-overlay", "error", "neither") { facts in
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "", kernelLine: "")
      (facts.port.path, facts.port.target) = ("/dev/serial0", nil)
    },
    CheckCase("uart-overlay", "ok", "full UART on the header") { facts in
      facts.host.model = "Raspberry Pi Compute Module 3 Plus Rev 1.0"
      facts.host.boot = BootFiles(path: "/boot/config.txt", configuration: "enable_uart=1", kernelLine: "")
    },
    CheckCase("serial-console", "error", "serial-getty@ttyAMA0") { facts in
      facts.service.others["serial-getty@ttyAMA0.service"] = UnitProperties("ActiveState=active")
    },
    CheckCase(
      "serial-console", "error", "console is on serial0",
      last: "/boot/firmware/cmdline.txt   and remove console=serial0,…"
    ) { facts in
      facts.host.boot = BootFiles(
        path: nil, configuration: "", kernelLine: "console=serial0,115200 console=tty1")
    },
    CheckCase(
      "serial-console", "error", "console is on ttyAMA0",
      without: "console=ttyAMA0", last: "/boot/cmdline.txt   and remove console=serial0,115200,"
    ) { facts in
      facts.host.boot = BootFiles(
        path: "/boot/config.txt", configuration: "", kernelLine: "console=ttyAMA0,115200 console=tty1",
        commandLine: "console=serial0,115200 console=tty1 root=PARTUUID=1-02\n")
    },
    CheckCase("serial-console", "error", "serial-getty@ttyAMA0", without: "cmdline.txt") { facts in
      facts.service.others["serial-getty@ttyAMA0.service"] = UnitProperties("ActiveState=active")
      facts.host.boot.fileWords = ["console=tty1", "root=PARTUUID=1-02"]
    },
    CheckCase("gpsd-conflict", "error", "DEVICES") { facts in
      facts.service.others["gpsd.socket"] = UnitProperties("ActiveState=active")
      facts.port.gpsdDefaults = ["DEVICES": "/dev/ttyAMA0"]
    },
    CheckCase("gpsd-conflict", "error", "USBAUTO") { facts in
      facts.port.target = "/dev/ttyACM0"
      facts.service.others["gpsd.service"] = UnitProperties("ActiveState=active")
      facts.port.gpsdDefaults = ["USBAUTO": "true"]
    },
    CheckCase("gpsd-conflict", "ok", "does not use") { facts in
      facts.service.others["gpsd.service"] = UnitProperties("ActiveState=active")
      facts.port.gpsdDefaults = ["USBAUTO": "true"]
    },
    CheckCase("port-held", "error", "gpsd (process 77)") { facts in
      facts.port.holders.append(PortFacts.Holder(process: 77, name: "gpsd"))
    },
    CheckCase("port-held", "error", "outrider (process 78)") { facts in
      facts.port.holders.append(PortFacts.Holder(process: 78, name: "outrider"))
    },
    CheckCase("port-held", "skipped", "run as root to see other users' processes") { facts in
      facts.stopLogger()
      facts.port.hidesProcesses = true
    },
    CheckCase("gpsd-shared", "error", "2947") { facts in
      facts.stopLogger()
      facts.configuration.settings = try SoundSystem.settings("{ receiver: { gpsd: \"localhost:2947\" } }")
    },
    CheckCase("usb-by-id", "warning", "/dev/ttyUSB0") { facts in
      (facts.port.path, facts.port.target) = ("/dev/ttyUSB0", "/dev/ttyUSB0")
      facts.port.stableName = "/dev/serial/by-id/usb-FTDI"
    },
    CheckCase("bytes", "error", "no valid frame") { facts in
      facts.report.receiver?.validFrames = 0
      facts.report.receiver?.epochAge = nil
    },
    CheckCase("bytes", "ok", "56000 valid frames") { $0.report.receiver?.epochAge = nil },
    CheckCase("bytes", "ok", "300 s ago") { $0.report.receiver?.epochAge = 300 },
    CheckCase("bytes", "error", "/dev/serial0 is not open", remedy: "port-exists") {
      $0.report.receiver?.isOpen = false
    },
    CheckCase("bytes", "error", "localhost:2947 is not open", remedy: "gpsd-shared") { facts in
      facts.report.receiver = ReceiverReport(port: "localhost:2947")
      facts.report.receiver?.gpsdDevice = ""
    },
    CheckCase("bytes", "error", "no epoch from /dev/serial0 for 180 min", remedy: "supply and wiring") {
      $0.report.receiver?.epochAge = 10_800
    },
    CheckCase("bytes", "skipped", "waking up") { facts in
      facts.report.receiver?.epochAge = 10_800
      facts.report.receiver?.state = "waking"
    },
    CheckCase("bytes", "skipped", "tracking is off") { facts in
      facts.report.isTracking = false
      facts.report.receiver?.isOpen = false
    },
    CheckCase("bytes", "skipped", "asleep") { facts in
      facts.report.receiver?.epochAge = 10_800
      facts.report.receiver?.state = "asleep"
    },
    CheckCase("bytes", "error", "no byte") { facts in
      facts.stopLogger()
      facts.port.listening = .known(PortFacts.Listening(baud: 9600, bytes: 0, frames: 0))
    },
    CheckCase("bytes", "skipped", "asleep") { facts in
      facts.report.receiver?.validFrames = 0
      facts.report.receiver?.state = "asleep"
    },
    CheckCase(
      "reception", "warning", "ignored: 900 sentences of other equipment (last VWRMC)",
      remedy: "receiver.port"
    ) { facts in
      ignoreEverything(&facts)
    },
    CheckCase("reception", "skipped", "asleep") { facts in
      ignoreEverything(&facts)
      facts.report.receiver?.state = "asleep"
    },
    CheckCase("reception", "skipped", "just started") { facts in
      ignoreEverything(&facts)
      facts.report.uptime = 30
    },
    CheckCase("bytes", "error", "since the start; ignored: 3 lines too long") { facts in
      ignoreEverything(&facts)
      facts.report.receiver?.validFrames = 0
      facts.report.receiver?.ignored = IgnoredInputs(counts: ["long_line": 3], last: [:])
    },
    CheckCase("reception", "warning", "56000 reports of gpsd; ignored: 3 lines too long", remedy: "gpsmon") {
      facts in
      ignoreEverything(&facts)
      facts.report.receiver?.gpsdDevice = ""
      facts.report.receiver?.ignored = IgnoredInputs(counts: ["long_line": 3], last: [:])
    },
    CheckCase("frames", "warning", "checksum errors") { $0.report.receiver?.checksumErrors = 5000 },
    CheckCase("frames", "error", "no valid frame") { facts in
      facts.stopLogger()
      facts.port.listening = .known(PortFacts.Listening(baud: 9600, bytes: 900, frames: 0))
    },
    CheckCase("frames", "skipped", "see serial-console") { facts in
      facts.service.others["serial-getty@ttyAMA0.service"] = UnitProperties("ActiveState=active")
    },
    CheckCase("frames", "skipped", "see port-exists") { $0.port.target = nil },
    CheckCase("identified", "warning", "does not identify") { $0.report.receiver?.module = nil },
    CheckCase("configured", "warning", "identifying") { $0.report.receiver?.state = "identifying" },
    CheckCase("time-from-receiver", "warning", "saved") { $0.report.clockQuality = "saved" },
    CheckCase("antenna", "error", "open circuit") { facts in
      facts.logger.events = .known([
        LoggedEvent(
          kind: "receiver_trouble", sentence: "antenna: open circuit",
          fields: ["fault": "antenna_open_circuit"])
      ])
    },
    CheckCase("antenna", "ok", "no fault") { facts in
      facts.logger.events = .known(
        ["receiver_trouble", "receiver_recovered"].map {
          LoggedEvent(kind: $0, sentence: "antenna", fields: ["fault": "antenna_open_circuit"])
        })
    },
    CheckCase("reception", "warning", "no fix for 2 h, 0 satellites") { facts in
      facts.report.receiver?.secondsWithoutFix = 7300
      facts.report.receiver?.satellites = 0
    },
    CheckCase("reception", "ok", "10 min") { $0.report.receiver?.secondsWithoutFix = 600 },
    CheckCase("speed-for-rate", "warning", "4800 baud") { $0.report.receiver?.baud = 4800 },
  ]
}
