import History
import LocalAPI
import Quantities
import Testing
import TextSnapshots

@testable import outrider

/// The text of the energy report, and the option `--since`.
@Suite struct EnergyTextTests {
  static let texts = TextSnapshot("energy")

  private static let utc = WallClock { _ in .zero }

  private var energy: StatusReport.Energy {
    var energy = StatusReport.Energy(logged_s: 36_000, supply_V: 3.7, total_mAh: 200)
    energy.since = "2026-03-01T10:00:00Z"
    energy.shares = [
      .init(name: "receiver_tracking", time_s: 18_000, charge_mAh: 50),
      .init(name: "host_base", time_s: 36_000, charge_mAh: 150),
      .init(name: "accelerometer", time_s: 36_000, charge_mAh: nil),
    ]
    energy.missing = ["energy.accelerometer"]
    (energy.gauge_mAh, energy.explained_mAh, energy.unexplained_mAh) = (250, 200, 50)
    return energy
  }

  @Test func theUnexplainedDifferenceIsShownAndAnUnknownChargeIsNotZero() {
    let lines = EnergyText.lines(energy, clock: Self.utc)
    #expect(
      lines.contains("receiver_tracking        5.00      50.000      25.0 %")
        && lines.contains("accelerometer           10.00           ?"))
    let text = lines.joined(separator: "\n")
    #expect(text == Self.texts.expected("report", text))
    let summary = EnergyText.summary(energy, clock: Self.utc)
    #expect(summary == Self.texts.expected("row of the status", summary))
  }

  @Test func withoutAFuelGaugeTheReasonIsShown() throws {
    var energy = energy
    (energy.gauge_mAh, energy.gauge_trouble) = (nil, "there is no gauge")
    let line = try #require(EnergyText.lines(energy).last)
    #expect(line == Self.texts.expected("no fuel gauge", line))
  }

  @Test(arguments: [
    ("2026-03-01T10:15:00Z", "2026-03-01T10:15:00Z"), ("2026-03-01", "2026-03-01T00:00:00Z"),
    ("90m", "2026-03-01T10:30:00Z"), ("2d", "2026-02-27T12:00:00Z"),
    ("2026-03-01T10:15", "2026-03-01T10:15:00Z"), ("2026-03-01 10:15:30", "2026-03-01T10:15:30Z"),
    ("2026-03-01T10:15+02:00", "2026-03-01T08:15:00Z"), ("2026-03-01T10:15:00+02:00", "2026-03-01T08:15:00Z"),
    ("2026-03-01T10:15Z", "2026-03-01T10:15:00Z"),
  ])
  func sinceIsATimeADayOrAnAge(_ text: String, _ expected: String) throws {
    let now = try #require(Timestamp(iso8601: "2026-03-01T12:00:00Z"))
    #expect(try SinceOption(text, now: now, ahead: { _ in .zero }).time.iso8601() == expected)
  }

  @Test func aDayBeginsAtMidnightOfTheLocalTime() throws {
    let now = try #require(Timestamp(iso8601: "2026-03-01T12:00:00Z"))
    let west = try SinceOption("2026-03-01", now: now) { _ in .seconds(-5 * 3600) }
    #expect(west.time.iso8601() == "2026-03-01T05:00:00Z")
    let time = try SinceOption("2026-03-01T10:15:00Z", now: now) { _ in .seconds(-5 * 3600) }
    #expect(
      time.time.iso8601() == "2026-03-01T10:15:00Z", "a time with a zone is independent of the local zone")
    let local = try SinceOption("2026-03-01T10:15", now: now) { _ in .seconds(-5 * 3600) }
    #expect(local.time.iso8601() == "2026-03-01T15:15:00Z", "a time without a zone is local, like a day")
    let summer = Timestamp(iso8601: "2026-03-29T01:00:00Z") ?? now
    let berlin: (Timestamp) -> Duration = { $0 < summer ? .seconds(3600) : .seconds(7200) }
    #expect(
      try SinceOption("2026-03-29", now: now, ahead: berlin).time.iso8601() == "2026-03-28T23:00:00Z")
    #expect(
      try SinceOption("2026-03-29T12:00", now: now, ahead: berlin).time.iso8601() == "2026-03-29T10:00:00Z")
  }

  @Test func missingCurrentsAndAMissingLedgerAreReported() {
    var energy = energy
    energy.shares.removeAll { $0.charge_mAh != nil }
    energy.unexplained_mAh = nil
    let summary = EnergyText.summary(energy)
    #expect(summary == Self.texts.expected("row of the status: no currents", summary))
    energy.logged_s = 0
    let all = EnergyText.lines(energy)
    #expect(all == [Self.texts.expected("no ledger", all.first ?? "")])
    let since = EnergyText.lines(energy, since: true)
    #expect(since == [Self.texts.expected("no ledger since a time", since.first ?? "")])
  }

  @Test func theResolutionIsShown() throws {
    var energy = energy
    energy.grain = "local day"
    let line = try #require(EnergyText.lines(energy, clock: Self.utc).first)
    #expect(line == Self.texts.expected("resolution", line))
  }

  @Test(arguments: ["", "yesterday", "2026-13-01", "5", "-5m"])
  func anyOtherTextOfSinceIsMisuse(_ text: String) {
    #expect(throws: Arguments.Misuse.self) { try SinceOption(text, now: Timestamp(milliseconds: 0)) }
  }
}
