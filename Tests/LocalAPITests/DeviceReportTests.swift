import LocalAPI
import Quantities
import Testing

/// The report of a device's health for a server of many devices.
@Suite struct DeviceReportTests {
  static let time = Timestamp(milliseconds: 1_782_000_000_000)

  static func status() -> StatusReport {
    var remote = StatusReport.Remote(keys: [
      .init(key: "main.min_time", outcome: "applied", reason: "on trial", destination: "fleet", age_s: 60),
      .init(key: "main.min_distance", outcome: "persisted", reason: nil, destination: "fleet", age_s: nil),
      .init(
        key: "main.batch_size", outcome: "went back", reason: "no contact", destination: "fleet", age_s: 1),
      .init(key: "trip_mode", outcome: "unchanged", reason: nil, destination: "fleet", age_s: .infinity),
      .init(key: "foo", outcome: "ignored", reason: "unknown setting", destination: "fleet"),
      .init(key: "main.tracking_mode", outcome: "refused", reason: "locked", destination: "fleet"),
      .init(key: "send_interval", outcome: "applied", reason: nil, destination: "home"),
    ])
    remote.on_trial = [
      .init(key: "main.min_time", destination: "fleet", goes_back_in_s: 100),
      .init(key: "send_interval", destination: "home", goes_back_in_s: 100),
    ]
    var status = StatusReport(
      version: "1.2", deviceID: "van", running: true,
      log: .init(directory: "/log", lastID: 9, waiting: 0, trouble: nil), destinations: [])
    status.remote = remote
    return status
  }

  static func report(_ status: StatusReport, time: Timestamp? = Self.time) -> DeviceReport {
    DeviceReport(
      status, for: "fleet", board: "field-unit", settingsHash: "h", nextContactIn: .seconds(60), time: time)
  }

  @Test func outcomesAreThoseOfThisServerInTheWordsOfTheReport() throws {
    let report = Self.report(Self.status())
    let outcomes = try #require(report.set_outcomes)
    #expect(
      outcomes.map { "\($0.key) \($0.outcome)" } == [
        "main.min_time on_trial", "main.min_distance proven", "main.batch_size rolled_back",
        "trip_mode proven",
        "foo ignored", "main.tracking_mode rejected",
      ])
    #expect(outcomes[0].time == (Self.time + .seconds(-60)).iso8601() && outcomes[1].time == nil)
    #expect(outcomes[3].time == nil)
    #expect(report.settings_on_trial == ["main.min_time"])
    #expect(report.next_contact == (Self.time + .seconds(60)).iso8601())
  }

  @Test func withoutADateTheNextContactIsRelative() {
    let report = Self.report(Self.status(), time: nil)
    #expect(report.next_contact == nil && report.next_contact_in_s == 60)
  }

  @Test func anUnknownValueHasNoKey() throws {
    var status = Self.status()
    status.remote = nil
    let text = String(decoding: try #require(Self.report(status).json), as: UTF8.self)
    #expect(
      text == #"{"board":"field-unit","destination":"fleet","#
        + #""next_contact":"\#((Self.time + .seconds(60)).iso8601())","next_contact_in_s":60,"settings_hash":"h","version":"1.2"}"#
    )
  }
}
