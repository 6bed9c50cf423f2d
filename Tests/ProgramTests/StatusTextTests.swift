import LocalAPI
import Store
import Testing

@testable import outrider

/// How the battery is shown to people.
@Suite struct StatusTextTests {
  private static let gauge = StatusReport.Gauge(
    name: "max17048", path: "/dev/i2c-1", address: "0x36", trouble: nil)

  private func rows(_ change: (inout StatusReport.Battery) -> Void) -> [String] {
    var battery = StatusReport.Battery()
    battery.gauge = Self.gauge
    change(&battery)
    return StatusText.rows(battery).map { "\($0.0): \($0.1)" }
  }

  @Test func aBatteryIsOneLineAndItsGaugeAnother() {
    let rows = rows {
      ($0.state, $0.percent, $0.voltage_V) = ("charging", 80, 3.9)
      ($0.current_mA, $0.current_source, $0.rate_percent_h) = (120.5, "modelled", 12)
      ($0.temperature_C, $0.temperature_of, $0.age_s) = (21.3, "die", 12)
    }
    let battery =
      "battery: charging, 80 %, 3.9 V, +120.5 mA modelled, +12 %/h by the gauge's model, 21.3 °C in the gauge"
    #expect(rows == [battery, "gauge: max17048 at 0x36 of /dev/i2c-1, read 12 s ago"])
  }

  @Test(arguments: [(0, "0 records"), (1, "1 record"), (2, "2 records")])
  func oneIsNoPlural(count: Int, words: String) {
    #expect(StatusText.counted(count, "record") == words)
  }

  @Test func whatIsUnknownIsSaidOrLeftOutAndNeverZero() {
    #expect(
      rows { $0.percent_doubt = "no reading for too long" } == [
        "battery: state unknown, charge unknown (no reading for too long)",
        "gauge: max17048 at 0x36 of /dev/i2c-1, not read yet",
      ])
    #expect(rows { $0.gauge = nil } == ["battery: unknown, there is no gauge"])
  }

  /// One that runs tells no place in a private zone; the log may have one that was written before.
  @Test func theLogTellsThePlaceOnlyWhereNoLoggerRuns() throws {
    let scratch = try Scratch()
    let writer = LogWriter(
      directory: scratch.path("log"), allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append([try DrainTests.record(1)], urgent: false))
    _ = writer.handle(.close)
    let log = try LogReader(directory: scratch.path("log")).status()
    let running = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    func position(_ running: StatusReport?) -> [String] {
      StatusText.lines(logger: "", running: running, log: log, directory: "log")
        .filter { $0.hasPrefix("position") }
    }
    #expect(position(running).count == 1 && position(running).first?.hasSuffix("none yet") == true)
    #expect(position(nil).count == 1 && position(nil).first?.hasSuffix("none yet") == false)
  }

  /// What a logger that does not run tells of its newest place, at latitude 52.5.
  @Test(
    arguments: [
      ([], true), (["privacy_zones=[{name: 'x', latitude: 52.6, longitude: 13.4, radius: '100m'}]"], true),
      (["privacy_zones=[{name: 'x', latitude: 52.5, longitude: 13.4, radius: '100m'}]"], false),
      (["tracking=false"], false),
    ] as [([String], Bool)])
  func aStoppedLoggerTellsNoPlaceThatARunningOneWouldNot(settings: [String], isTold: Bool) throws {
    let bench = try MovedDestinationTests.bench(records: 1)
    let words = settings.flatMap { ["--set", $0] }
    let config = ["--config", bench.scratch.path("config.json5")]
    let text = try FaultTests.run(["status"] + words + config, in: bench.scratch)
    #expect(text.status == 0 && text.output.contains("52.5") == isTold, "\(text.output)\(text.errors)")
    let json = try FaultTests.run(["status", "--json"] + words + config, in: bench.scratch)
    #expect(json.status == 0 && json.output.contains("52.5") == isTold)
    #expect(json.output.contains(#""position""#) == isTold, "\(json.output)")
    #expect(text.output.contains("outrider start switches it on") == settings.contains("tracking=false"))
  }

  @Test func eachSettingOnTrialHasItsServerAndItsTime() {
    var remote = StatusReport.Remote(keys: [])
    remote.on_trial = ["away", "home"].map {
      .init(key: "main.batch_size", destination: $0, goes_back_in_s: $0 == "home" ? 90 : nil)
    }
    #expect(
      StatusText.rows(remote).map(\.1) == [
        "main.batch_size by away", "main.batch_size by home, goes back in 90 s without proof",
      ])
  }

  @Test func whatWasNotTakenComesWithItsAgeTheLastFirst() {
    var remote = StatusReport.Remote(
      keys: (1...7).map {
        .init(
          key: "x\($0)", outcome: "ignored", reason: "unknown setting", destination: "home",
          age_s: $0 == 1 ? nil : Double(800 - $0 * 100))
      })
    remote.keys.append(.init(key: "y", outcome: "applied", reason: nil, destination: "home", age_s: 1))
    #expect(
      StatusText.rows(remote).map(\.1) == [
        "x7 ignored by home 100 s ago: unknown setting", "x6 ignored by home 3 min ago: unknown setting",
        "x5 ignored by home 5 min ago: unknown setting", "x4 ignored by home 6 min ago: unknown setting",
        "x3 ignored by home 8 min ago: unknown setting", "2 more from before; --json has them all",
      ])
    #expect(
      StatusText.rows(.init(keys: [.init(key: "x", outcome: "refused", reason: "why", destination: nil)]))
        .map(\.1)
        == ["x refused: why"])
  }

  @Test func whatWasNotKeptIsCountedWithTheLastOfEach() {
    var running = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    running.rejected = ["private_zone": 7, "min_distance": 12]
    running.rejected_last = ["min_distance": "3.1 m"]
    let lines = StatusText.lines(logger: "", running: running, log: nil, directory: "log")
    let told = lines.first { $0.hasPrefix("not kept") }
    #expect(told?.hasSuffix("min_distance 12 (last 3.1 m), private_zone 7") == true)
  }

  @Test func aLostGaugeNamesTheReasonAndTheAgeOfWhatIsShown() {
    let rows = rows {
      $0.gauge = StatusReport.Gauge(
        name: "BAT0", path: "/sys/class/power_supply", address: nil, trouble: "gone")
      ($0.percent, $0.age_s, $0.current_mA, $0.current_source) = (61.5, 150, -40, "measured")
    }
    #expect(
      rows == [
        "battery: state unknown, 61.5 %, -40 mA measured",
        "gauge: BAT0 of /sys/class/power_supply, lost: gone, read 2 min ago",
      ])
  }
}
