import Foundation
import LocalAPI
import Quantities
import Records
import TextSnapshots
import Testing
import Tracking

/// The text of `GET /metrics`.
@Suite struct MetricsTests {
  /// A status with a value for every metric.
  static func status(destinations: [String] = ["home"]) -> StatusReport {
    var log = StatusReport.Log(directory: "/var/lib/outrider", lastID: 900, waiting: 0, trouble: nil)
    (log.count, log.bytes, log.limit_bytes, log.undated) = (880, 225_280, 512_000_000, 3)
    var status = StatusReport(
      version: "0.2.0", deviceID: "van", running: true, log: log,
      destinations: destinations.map { name in
        var destination = StatusReport.Destination(
          name: name, delivered: 226, acknowledgedID: 253, trouble: nil)
        destination.last_success_age_s = 1.8
        return destination
      })
    var process = StatusReport.Process()
    (process.cpu_s, process.wakeups, process.resident_bytes) = (0.613, 1907, 15_409_920)
    (process.longest_turn_ms, process.slow_turns) = (20.5, 2)
    status.process = process
    var receiver = StatusReport.Receiver(
      port: "/dev/serial0", isOpen: true, speed: 9600, validFrames: 1, checksumErrors: 1)
    (receiver.family, receiver.module) = ("ublox-valset", "NEO-M9N")
    receiver.firmware = "SPG 4.04 \"x\"\r\n\\"
    status.receiver = receiver
    status.tracker = StatusReport.Tracker(state: .tracking, reason: "moving")
    var reception = StatusReport.Reception()
    (reception.fix, reception.satellites_used, reception.satellites_received) = ("differential", 12, 19)
    status.reception = reception
    var position = StatusReport.Position(time: nil, latitude: 52.123456, longitude: 13.765432, fix: "3D")
    (position.horizontal_accuracy_m, position.speed_mps, position.age_s) = (2.5, 14.25, 1.5)
    status.position = position
    (status.epochs, status.tracking) = (418, true)
    var motion = StatusReport.Motion(moving: true)
    (motion.state, motion.steps) = ("driving", 7)
    status.motion = motion
    status.records = ["location": 231, "event": 22]
    status.storage = StatusReport.Storage()
    status.storage?.used_percent = 12
    status.network = StatusReport.Network(state: "up", sessions: 4, failures: 0)
    var battery = StatusReport.Battery()
    (battery.percent, battery.voltage_V, battery.current_mA, battery.temperature_C) = (79, 3.991, -120, 21.5)
    status.battery = battery
    status.power = StatusReport.Power(level: "low", reason: "")
    status.power?.days_left = .init(fewest: 1, likeliest: 2.5, most: 4, most_if_sampled_least: 9)
    var energy = StatusReport.Energy(logged_s: 418, supply_V: 3.7, total_mAh: 1)
    energy.shares = [
      .init(name: "receiver_tracking", time_s: 418, charge_mAh: 2),
      .init(name: "host_base", time_s: 418, charge_mAh: nil),
    ]
    energy.unexplained_mAh = -1
    status.energy = energy
    status.host = StatusReport.Host(state: "up", reason: "", sleeps: 2, slept_s: 60, failures: 0)
    return status
  }

  static func counters(destinations: [String] = ["home"]) -> LoggerCounters {
    var counters = LoggerCounters()
    counters.process.board = "raspberry-pi-zero-2-w"
    counters.process.start = Timestamp(milliseconds: 1_772_352_000_250)
    counters.process.processStart = Timestamp(milliseconds: 1_772_351_999_000)
    counters.process.openFiles = 21
    (counters.receiver.isUp, counters.receiver.frames, counters.receiver.checksumErrors) = (true, 2090, 3)
    (counters.receiver.starts, counters.receiver.failedAcquisitions) = (5, 1)
    (counters.receiver.timeToFirstFix, counters.receiver.fixAge) = (.seconds(27), .milliseconds(810))
    (counters.log.commits, counters.log.slowestCommit) = (200, .milliseconds(12))
    counters.log.written = [.log: 1_000_000, .files: 0, .other: 4096]
    for name in destinations {
      var destination = LoggerCounters.Destination()
      (destination.queued, destination.bytes, destination.setAside) = (12, 98_420, 1)
      destination.oldestQueued = Timestamp(milliseconds: 1_772_352_100_000)
      destination.lastSuccess = Timestamp(milliseconds: 1_772_352_400_500)
      destination.attempts = [.success: 70, .none: 2]
      counters.destinations[name] = destination
    }
    counters.events = [.started: 1, .firstFix: 1]
    counters.rejections = [.minTime: 187]
    (counters.odometer, counters.gaps) = (3151.25, 1)
    (counters.clockQuality, counters.clockOffset) = (.receiver, .milliseconds(-40))
    return counters
  }

  static func text(
    _ format: MetricsText.Format = .text, isForGuests: Bool = false, status: StatusReport? = nil,
    counters: LoggerCounters? = nil
  ) -> String {
    let metrics = MetricsText(
      status ?? Self.status(), counters ?? Self.counters(), isForGuests: isForGuests)
    return String(decoding: metrics.rendered(format), as: UTF8.self)
  }

  /// The lines with values: name, labels and value.
  static func samples(_ text: String) throws -> [(name: String, labels: [String: String], value: Double)] {
    try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let match = try #require(try /([a-z0-9_]+)(\{(.*)\})? (\S+)/.wholeMatch(in: line), "\(line)")
      var labels: [String: String] = [:]
      for pair in (match.3 ?? "").matches(of: /([a-z_]+)="((?:[^"\\]|\\.)*)"/) {
        labels[String(pair.1)] = String(pair.2)
      }
      return (String(match.1), labels, try #require(Double(match.4), "\(line)"))
    }
  }

  // MARK: The whole text

  @Test(arguments: MetricsText.Format.allCases) func theTextIsAsRecorded(_ format: MetricsText.Format) {
    let text = Self.text(format)
    #expect(text == TextSnapshot("metrics").expected("\(format)", text))
  }

  @Test func everySampleHasAKnownNameAndLabelsFromClosedLists() throws {
    let samples = try Self.samples(Self.text())
    #expect(samples.count > 100)
    for sample in samples {
      let metric = try #require(Metric(rawValue: sample.name), "\(sample.name)")
      #expect(Set(sample.labels.keys) == Set(metric.labels.map(\.name)), "\(sample)")
      for label in metric.labels {
        guard let values = label.values else { continue }
        #expect(values.contains(sample.labels[label.name] ?? ""), "\(sample)")
      }
    }
    let isUnique =
      Set(samples.map { "\($0.name)\($0.labels.sorted { $0.key < $1.key })" }).count == samples.count
    #expect(isUnique)
  }

  @Test(arguments: Metric.allCases) func everyMetricIsReachedWithItsTypeAndHelp(_ metric: Metric) {
    let text = Self.text()
    let type = metric.rawValue.hasSuffix("_total") ? "counter" : "gauge"
    #expect(text.contains("\n# TYPE \(metric.rawValue) \(type)\n"))
    #expect(text.contains("# HELP \(metric.rawValue) \(metric.help)\n"))
    #expect(text.contains("\n\(metric.rawValue) ") || text.contains("\n\(metric.rawValue){"))
    #expect(metric.help.hasSuffix(".") && metric.help.split(separator: " ").count <= 25)
    #expect((metric.form == .counter) == metric.rawValue.hasSuffix("_total"))
  }

  @Test func whatIsUnknownIsAbsent() throws {
    let log = StatusReport.Log(directory: "", lastID: 0, waiting: 0, trouble: nil)
    let destination = StatusReport.Destination(name: "home", delivered: 0, acknowledgedID: nil, trouble: nil)
    let status = StatusReport(
      version: "1", deviceID: "", running: true, log: log, destinations: [destination])
    let text = Self.text(status: status, counters: LoggerCounters())
    // What remains are counts since the start.
    let names = Set(try Self.samples(text).map(\.name))
    #expect(
      names == [
        "outrider_build_info", "outrider_trip_active", "outrider_records_total", "outrider_events_total",
        "outrider_fixes_rejected_total", "outrider_destination_records_sent_total",
        "outrider_destination_requests_total", "outrider_destination_bytes_sent_total",
        "outrider_destination_records_set_aside_total",
      ])
  }

  @Test func anUnknownStateAndANumberThatIsNotFiniteAddNothing() throws {
    var status = Self.status()
    status.tracker = nil
    status.battery?.voltage_V = .infinity
    status.battery?.temperature_C = .nan
    let names = Set(try Self.samples(Self.text(status: status)).map(\.name))
    #expect(names.isDisjoint(with: ["outrider_receiver_state", "outrider_battery_voltage_volts"]))
    #expect(!names.contains("outrider_battery_temperature_celsius"))
  }

  @Test func oneStateIsActive() throws {
    for name in ["outrider_receiver_state", "outrider_motion_state", "outrider_power_level"] {
      let active = try Self.samples(Self.text()).filter { $0.name == name && $0.value == 1 }
      #expect(active.count == 1, "\(name)")
    }
  }

  @Test func theSpeedOfAnOldLocationIsAbsent() {
    var status = Self.status()
    status.position?.age_s = 61
    #expect(!Self.text(status: status).contains("outrider_speed"))
    #expect(Self.text().contains("outrider_speed_meters_per_second 14.25\n"))
  }

  // MARK: Privacy

  @Test(arguments: MetricsText.Format.allCases) func guestsGetAllButTheSpeed(_ format: MetricsText.Format) {
    let (all, guests) = (Self.text(format), Self.text(format, isForGuests: true))
    let missing = Set(all.split(separator: "\n")).subtracting(guests.split(separator: "\n"))
    #expect(!missing.isEmpty && missing.allSatisfy { $0.contains("outrider_speed_meters_per_second") })
  }

  @Test func nobodyGetsAPosition() {
    for format in MetricsText.Format.allCases {
      let text = Self.text(format)
      #expect(["52.12", "13.76", "latitude", "longitude"].allSatisfy { !text.contains($0) })
    }
  }

  @Test func namesOfDestinationsAreEscaped() throws {
    let names = ["a\"} 1\nouter 2", "b\\", "c\n", "é,=", String(repeating: "x", count: 300)]
    for format in MetricsText.Format.allCases {
      let text = Self.text(
        format, status: Self.status(destinations: names), counters: Self.counters(destinations: names))
      #expect(!text.contains("\nouter"))
      let found = Set(try Self.samples(text).compactMap { $0.labels["destination"] })
      #expect(found == ["a\\\"} 1\\nouter 2", "b\\\\", "c\\n", "é,=", String(repeating: "x", count: 300)])
    }
  }

  // MARK: Formats

  @Test(
    arguments: [
      (nil, MetricsText.Format.text), ("", .text), ("*/*", .text), ("text/plain", .text),
      ("application/openmetrics-text", .openMetrics),
      ("application/openmetrics-text;version=1.0.0,text/plain;q=0.5", .openMetrics),
      ("text/plain, Application/OpenMetrics-Text; version=1.0.0; q=0.75", .openMetrics),
      ("application/openmetrics-text;q=0, text/plain", .text), ("application/openmetrics-textual", .text),
    ] as [(String?, MetricsText.Format)])
  func theHeaderSelectsTheFormat(accept: String?, format: MetricsText.Format) {
    #expect(MetricsText.Format(accept: accept) == format)
  }

  @Test func openMetricsHasUnitsCreationTimesAndAnEnd() {
    let text = Self.text(.openMetrics)
    #expect(text.hasSuffix("\n# EOF\n") && text.components(separatedBy: "# EOF").count == 2)
    #expect(text.contains("# TYPE outrider_epochs counter\noutrider_epochs_total 418\n"))
    #expect(text.contains("\noutrider_epochs_created 1772352000.25\n"))
    #expect(text.contains("# UNIT outrider_fix_age_seconds seconds\n"))
    #expect(text.contains("# TYPE outrider_build info\noutrider_build_info{"))
    // The logger saves them, so they began earlier.
    #expect(!text.contains("outrider_steps_created") && !text.contains("outrider_odometer_meters_created"))
    let undated = Self.text(.openMetrics, counters: LoggerCounters())
    #expect(!undated.contains("_created"))
  }

  /// promtool is in the package prometheus.
  @Test func promtoolAcceptsTheText() throws {
    let program = "/usr/bin/promtool"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      print("promtool is missing, so the text was not checked with it; install prometheus")
      return
    }
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["check", "metrics"]
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
    input.fileHandleForWriting.write(Data(Self.text().utf8))
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
    let complaint = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 0 && complaint.isEmpty, "\(complaint)")
  }
}
