import LocalAPI
import Quantities
import Testing

@testable import outrider

/// What the box drew, as people see it.
@Suite struct EnergyTextTests {
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

  @Test func theRemainderIsShownAndWhatHasNoFigureIsNoZero() {
    #expect(
      EnergyText.lines(energy) == [
        "since 2026-03-01T10:00:00Z, 10 h of logging; mAh at a supply of 3.7 V",
        "                        hours         mAh       share",
        "receiver_tracking        5.00      50.000      25.0 %",
        "host_base               10.00     150.000      75.0 %",
        "accelerometer           10.00           ?",
        "together                10.00     200.000",
        "?: no current is given; measure it, and put your figures in place of these: outrider set "
          + #"'energy={ accelerometer: { mA: 10, V: 5, source: "measured" } }'"#,
        "the gauge saw 250.0 mAh leave the battery, of which 200.0 mAh are explained by the table and 50.0 mAh "
          + "(20.0 %) by nothing",
      ])
    #expect(
      EnergyText.summary(energy)
        == "200.0 mAh and what has no figure since 2026-03-01T10:00:00Z, 50.0 mAh beyond that unexplained")
  }

  @Test func withoutAGaugeTheReasonIsSaid() {
    var energy = energy
    (energy.gauge_mAh, energy.gauge_trouble) = (nil, "there is no gauge")
    #expect(EnergyText.lines(energy).last == "nothing to compare with: there is no gauge")
  }

  @Test(arguments: [
    ("2026-03-01T10:15:00Z", "2026-03-01T10:15:00Z"), ("2026-03-01", "2026-03-01T00:00:00Z"),
    ("90m", "2026-03-01T10:30:00Z"), ("2d", "2026-02-27T12:00:00Z"),
    ("2026-03-01T10:15", "2026-03-01T10:15:00Z"), ("2026-03-01 10:15:30", "2026-03-01T10:15:30Z"),
    ("2026-03-01T10:15+02:00", "2026-03-01T08:15:00Z"), ("2026-03-01T10:15:00+02:00", "2026-03-01T08:15:00Z"),
    ("2026-03-01T10:15Z", "2026-03-01T10:15:00Z"),
  ])
  func sinceIsATimeADayOrHowLongAgo(_ text: String, _ expected: String) throws {
    let now = try #require(Timestamp(iso8601: "2026-03-01T12:00:00Z"))
    #expect(try SinceOption(text, now: now, ahead: { _ in .zero }).time.iso8601() == expected)
  }

  @Test func aDayOfAnotherClockBeginsAtItsMidnight() throws {
    let now = try #require(Timestamp(iso8601: "2026-03-01T12:00:00Z"))
    let west = try SinceOption("2026-03-01", now: now) { _ in .seconds(-5 * 3600) }
    #expect(west.time.iso8601() == "2026-03-01T05:00:00Z")
    let time = try SinceOption("2026-03-01T10:15:00Z", now: now) { _ in .seconds(-5 * 3600) }
    #expect(time.time.iso8601() == "2026-03-01T10:15:00Z", "a time with its zone is what it says")
    let local = try SinceOption("2026-03-01T10:15", now: now) { _ in .seconds(-5 * 3600) }
    #expect(local.time.iso8601() == "2026-03-01T15:15:00Z", "a time without a zone is local, like a day")
    let summer = Timestamp(iso8601: "2026-03-29T01:00:00Z") ?? now
    let berlin: (Timestamp) -> Duration = { $0 < summer ? .seconds(3600) : .seconds(7200) }
    #expect(
      try SinceOption("2026-03-29", now: now, ahead: berlin).time.iso8601() == "2026-03-28T23:00:00Z")
    #expect(
      try SinceOption("2026-03-29T12:00", now: now, ahead: berlin).time.iso8601() == "2026-03-29T10:00:00Z")
  }

  @Test func whatIsNotThereIsNotBlamedOnATime() {
    var energy = energy
    energy.shares.removeAll { $0.charge_mAh != nil }
    energy.unexplained_mAh = nil
    #expect(EnergyText.summary(energy) == "no currents are set for this board")
    energy.logged_s = 0
    #expect(
      EnergyText.lines(energy) == ["nothing is noted yet: no logger has kept a ledger in this log"])
    #expect(EnergyText.lines(energy, since: true) == ["nothing is noted since then"])
  }

  @Test func theGrainIsSaid() {
    var energy = energy
    energy.grain = "local day"
    #expect(
      EnergyText.lines(energy).first
        == "since 2026-03-01T10:00:00Z (kept by the local day), 10 h of logging; mAh at a supply of 3.7 V")
  }

  @Test(arguments: ["", "yesterday", "2026-13-01", "5", "-5m"])
  func anythingElseIsMisuse(_ text: String) {
    #expect(throws: Arguments.Misuse.self) { try SinceOption(text, now: Timestamp(milliseconds: 0)) }
  }
}
