import Foundation
import LocalAPI
import Store
import Testing
import TextSnapshots

@testable import outrider

/// The rows of the status on battery, position, remote settings and rejected fixes.
@Suite struct StatusTextTests {
  static let texts = TextSnapshot("status")

  private static let gauge = StatusReport.Gauge(
    name: "max17048", path: "/dev/i2c-1", address: "0x36", trouble: nil)

  private func rows(_ change: (inout StatusReport.Battery) -> Void) -> [String] {
    var battery = StatusReport.Battery()
    battery.gauge = Self.gauge
    change(&battery)
    return StatusText.rows(battery).map { "\($0.0): \($0.1)" }
  }

  @Test func theBatteryHasARowAndItsFuelGaugeAnother() {
    let rows = rows {
      ($0.state, $0.percent, $0.voltage_V) = ("charging", 80, 3.9)
      ($0.current_mA, $0.current_source, $0.rate_percent_h) = (120.5, "modelled", 12)
      ($0.temperature_C, $0.temperature_of, $0.age_s) = (21.3, "die", 12)
    }
    let text = rows.joined(separator: "\n")
    #expect(text == Self.texts.expected("rows battery", text))
  }

  @Test(arguments: [(0, "0 records"), (1, "1 record"), (2, "2 records")])
  func countsHaveTheirPlural(count: Int, words: String) {
    #expect(StatusText.counted(count, "record") == words)
  }

  @Test func unknownValuesOfTheBatteryAreNeverZero() {
    let unread = rows { $0.percent_doubt = "a reason" }.joined(separator: "\n")
    #expect(unread == Self.texts.expected("rows battery: not read", unread))
    #expect(unread.contains("(a reason)") && !unread.contains("%"))
    let none = rows { $0.gauge = nil }.joined(separator: "\n")
    #expect(none == Self.texts.expected("rows battery: no fuel gauge", none))
  }

  @Test(arguments: [nil, "0.0.0.0:8080"]) func settingsOnTrialHaveARow(address: String?) throws {
    var running = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    running.settings_trial = StatusReport.SettingsTrial(
      id: "t1", keys: ["api.listen", "api.token"], goes_back_in_s: 61, listen: address)
    let text = StatusText.lines(logger: "", running: running, log: nil, directory: "log")
      .filter { $0.contains("trial") }.joined(separator: "\n")
    #expect(text == Self.texts.expected("row setting trial\(address == nil ? "" : " with an address")", text))
  }

  /// A running logger hides positions in privacy zones; the log may hold one from before.
  @Test func thePositionComesFromTheLogOnlyIfNoLoggerIsRunning() throws {
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
    #expect(position(running).count == 1 && position(running).first?.contains("52.5") == false)
    #expect(position(nil).count == 1 && position(nil).first?.contains("52.5") == true)
  }

  /// The newest location of the log is at latitude 52.5.
  @Test(
    arguments: [
      ([], true), (["privacy_zones=[{name: 'x', latitude: 52.6, longitude: 13.4, radius: '100m'}]"], true),
      (["privacy_zones=[{name: 'x', latitude: 52.5, longitude: 13.4, radius: '100m'}]"], false),
      (["tracking=false"], false),
    ] as [([String], Bool)])
  func thePositionOfAStoppedLoggerIsHiddenAsARunningOneHidesIt(settings: [String], isShown: Bool) throws {
    let bench = try MovedDestinationTests.bench(records: 1)
    let words = settings.flatMap { ["--set", $0] }
    let config = ["--config", bench.scratch.path("config.json5")]
    let text = try FaultTests.run(["status"] + words + config, in: bench.scratch)
    #expect(text.status == 0 && text.output.contains("52.5") == isShown, "\(text.output)\(text.errors)")
    let json = try FaultTests.run(["status", "--json"] + words + config, in: bench.scratch)
    #expect(json.status == 0 && json.output.contains("52.5") == isShown)
    #expect(json.output.contains(#""position""#) == isShown, "\(json.output)")
    #expect(
      (text.output.line(with: "tracking ", "outrider start") != nil) == settings.contains("tracking=false"))
  }

  private static func text(_ remote: StatusReport.Remote) -> String {
    StatusText.rows(remote).map { "\($0.0): \($0.1)" }.joined(separator: "\n")
  }

  @Test func everySettingTrialHasARowWithServerAndTime() {
    var remote = StatusReport.Remote(keys: [])
    remote.on_trial = ["away", "home"].map {
      .init(key: "main.batch_size", destination: $0, goes_back_in_s: $0 == "home" ? 90 : nil)
    }
    let text = Self.text(remote)
    #expect(text == Self.texts.expected("rows setting trial", text))
  }

  @Test func remoteSettingsThatWereNotAppliedHaveRowsWithTheirAgeTheNewestFirst() {
    var remote = StatusReport.Remote(
      keys: (1...7).map {
        .init(
          key: "x\($0)", outcome: "ignored", reason: "unknown setting", destination: "home",
          age_s: $0 == 1 ? nil : Double(800 - $0 * 100))
      })
    remote.keys.append(.init(key: "y", outcome: "applied", reason: nil, destination: "home", age_s: 1))
    let text = Self.text(remote)
    #expect(text == Self.texts.expected("rows remote settings", text))
    #expect(
      StatusText.rows(remote).map { $0.1.prefix(2) }.dropLast() == ["x7", "x6", "x5", "x4", "x3"])
    let rejected = Self.text(
      .init(keys: [.init(key: "x", outcome: "refused", reason: "why", destination: nil)]))
    #expect(rejected == Self.texts.expected("rows remote settings: rejected", rejected))
  }

  @Test func rejectedFixesAreCountedByReasonWithTheLastValue() throws {
    var running = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    running.rejected = ["private_zone": 7, "min_distance": 12]
    running.rejected_last = ["min_distance": "3.1 m"]
    let lines = StatusText.lines(logger: "", running: running, log: nil, directory: "log")
    let row = try #require(lines.first { $0.hasSuffix("min_distance 12 (last 3.1 m), private_zone 7") })
    #expect(row == Self.texts.expected("row rejected fixes", row))
  }

  @Test func aLostFuelGaugeIsShownWithTheReasonAndTheAgeOfTheReading() {
    let rows = rows {
      $0.gauge = StatusReport.Gauge(
        name: "BAT0", path: "/sys/class/power_supply", address: nil, trouble: "gone")
      ($0.percent, $0.age_s, $0.current_mA, $0.current_source) = (61.5, 150, -40, "measured")
    }
    let text = rows.joined(separator: "\n")
    #expect(text == Self.texts.expected("rows battery: fuel gauge lost", text))
  }

  /// (keys of the status, line)
  static let storage: [(String, String?)] = [
    (#"{}"#, nil),
    (#"{"disk": "mmcblk0"}"#, nil),
    (#"{"disk": "mmcblk0", "medium_bytes_lifetime": 4000000000}"#, "4 GB written to mmcblk0 so far"),
    (
      #"{"disk": "mmcblk0", "written_bytes_day": {"log": 2000000, "files": 0, "other": 60000}, "own_percent": 3}"#,
      "2.1 MB a day, 3 % of all writes to mmcblk0"
    ),
    (#"{"written_bytes_day": {"log": 999}}"#, "999 B a day"),
    (
      #"{"disk": "mmcblk0", "written_bytes_day": {"log": 1500}, "used_percent": 80, "used_by": "medium"}"#,
      "1.5 kB a day; 80 % of the life of mmcblk0 used"
    ),
    (
      #"{"used_percent": 3, "used_by": "endurance", "days_left": 5000}"#,
      "3 % of storage.endurance used; 13 years left"
    ),
    (#"{"days_left": 1}"#, "1 day left"),
    (#"{"days_left": 0}"#, "used up"),
    (#"{"days_left": 36500}"#, "more than 100 years left"),
    (#"{"written_bytes_day": {"log": 123456789012345}}"#, "123 TB a day"),
  ]

  @Test(arguments: storage.indices)
  func theLineOfTheStorageMediumHasRateWearAndRest(index: Int) throws {
    let (keys, line) = Self.storage[index]
    let status = try JSONDecoder().decode(StatusReport.Storage.self, from: Data(keys.utf8))
    #expect(StorageText.summary(status) == line)
  }
}
