import Medium
import Quantities
import Testing

@Suite struct MediumWearTests {
  struct Case: Sendable {
    var lifeTime: String
    var reserve: String?
    var wear: MediumWear?
    var used: Int?
  }

  static let cases: [Case] = [
    Case(lifeTime: "0x02 0x09", reserve: "0x01", wear: MediumWear(lifeTime: 9, endOfLife: 1), used: 80),
    Case(lifeTime: "0x01 0x01\n", reserve: "0x01\n", wear: MediumWear(lifeTime: 1, endOfLife: 1), used: 0),
    Case(lifeTime: "0x0a 0x01", reserve: "0x01", wear: MediumWear(lifeTime: 10, endOfLife: 1), used: 90),
    Case(lifeTime: "0x0B 0x0b", reserve: "0x03", wear: MediumWear(lifeTime: 11, endOfLife: 3), used: 100),
    // The reserve can be used up before the estimate says so.
    Case(lifeTime: "0x03 0x03", reserve: "0x02", wear: MediumWear(lifeTime: 3, endOfLife: 2), used: 80),
    Case(lifeTime: "0x00 0x00", reserve: "0x00", wear: MediumWear(lifeTime: 0, endOfLife: 0), used: nil),
    Case(lifeTime: "0x04", reserve: nil, wear: MediumWear(lifeTime: 4, endOfLife: 0), used: 30),
    Case(lifeTime: "0xff 0x01", reserve: "0xff", wear: MediumWear(lifeTime: 255, endOfLife: 255), used: 100),
    Case(lifeTime: "", reserve: "0x01", wear: nil, used: nil),
    Case(lifeTime: "0x100 -1 é", reserve: "0x01", wear: nil, used: nil),
  ]

  @Test(arguments: cases.indices)
  func theRegistersOfAnEMMCAreRead(index: Int) {
    let each = Self.cases[index]
    let wear = MediumWear(lifeTime: each.lifeTime, endOfLife: each.reserve)
    #expect(wear == each.wear)
    #expect(wear?.usedPercent == each.used)
  }
}

@Suite struct WriteHistoryTests {
  /// 2026-06-01, 12:00.
  static let noon = Timestamp(milliseconds: 1_780_315_200_000)

  /// The time `hours` after ``noon``.
  private func at(_ hours: Int) -> Timestamp { Self.noon + .seconds(hours * 3600) }

  static let own = WrittenBytes(log: 4000, files: 200, other: 800)

  @Test func aRateNeedsAnHour() {
    var history = WriteHistory()
    #expect(history.rate(at: Self.noon) == nil)
    history.add(Self.own, lifetimeBytes: 10_000, at: Self.noon)
    #expect(history.rate(at: Self.noon + .seconds(3599)) == nil)
    let rate = history.rate(at: at(12))
    #expect(rate?.own == WrittenBytes(log: 8000, files: 400, other: 1600))
    // The first count is the start.
    #expect(rate?.medium == 0)
  }

  @Test func aWeekIsAveragedAndOlderDaysAreForgotten() {
    var history = WriteHistory()
    for hour in 0..<(30 * 24) {
      let bytes = hour < 10 * 24 ? WrittenBytes(log: 1_000_000) : WrittenBytes(log: 100, other: 10)
      history.add(bytes, lifetimeBytes: Int64(hour) * 1000, at: at(hour))
    }
    let rate = history.rate(at: at(30 * 24 - 1))
    #expect((2350...2450).contains(rate?.own.log ?? 0))
    #expect((23_500...24_500).contains(rate?.medium ?? 0))
  }

  @Test func timeWithoutALoggerCounts() {
    var history = WriteHistory()
    history.add(WrittenBytes(log: 500), lifetimeBytes: 1000, at: Self.noon)
    let text = history.text
    var later = WriteHistory(text) ?? WriteHistory()
    later.add(WrittenBytes(log: 500), lifetimeBytes: 9000, at: at(48))
    #expect(later.rate(at: at(48)) == WriteHistory.Rate(own: WrittenBytes(log: 500), medium: 4000))
  }

  @Test func aClockThatIsSetBackKeepsTheCount() {
    var history = WriteHistory()
    history.add(WrittenBytes(log: 500), lifetimeBytes: 0, at: Self.noon)
    history.add(WrittenBytes(log: 500), lifetimeBytes: 100, at: at(-100_000))
    #expect(history.rate(at: at(-100_000)) == nil)
    #expect(history.rate(at: at(24 - 100_000))?.own.log == 1000)
  }

  @Test func anotherMediumDoesNotCountAsWritten() {
    var history = WriteHistory()
    history.add(WrittenBytes(), lifetimeBytes: 5_000_000, at: Self.noon)
    history.add(WrittenBytes(), lifetimeBytes: 1000, at: at(12))
    history.add(WrittenBytes(), lifetimeBytes: 3000, at: at(24))
    #expect(history.rate(at: at(24))?.medium == 2000)
    history.add(WrittenBytes(), lifetimeBytes: nil, at: at(25))
    #expect(history.rate(at: at(25))?.medium == nil)
  }

  @Test func aClockThatWasInTheFutureDoesNotEndTheRate() {
    var history = WriteHistory()
    history.add(Self.own, lifetimeBytes: 1000, at: at(24 * 365 * 70))
    for hour in 0...24 { history.add(Self.own, lifetimeBytes: 1000 + Int64(hour) * 100, at: at(hour)) }
    #expect(history.rate(at: at(24))?.medium == 2400)
    #expect(history.rate(at: at(24))?.own.log == 104_000)
    let stored = WriteHistory(history.text)
    #expect(stored?.rate(at: at(24)) == history.rate(at: at(24)))
  }

  @Test func theTextHasTheWholeHistoryAndFitsANote() {
    var history = WriteHistory()
    for day in 0..<20 {
      let most = WrittenBytes(log: .max, files: .max, other: .max)
      history.add(most, lifetimeBytes: .max, at: at(24 * day))
    }
    #expect(history.text.utf8.count < 2000)
    #expect(WriteHistory(history.text) == history)
    #expect(history.rate(at: at(480))?.own.total ?? 0 > 0)
  }

  static let foreign = [
    "", "1", "2\t0\t0\t0", "1\t0\t0\t101", "1\t0\t0\t-1", "1\t0\t0\t0\t1,2,3", "1\t0\t0\t0\t5,0,0,0,-1",
    "1\t0\t0\t0\t5,0,0,0,0\t5,0,0,0,0", "1\t\t0\t0\t5,0,0,0,0", "1\t0\t0\t0\t99999999999,0,0,0,0",
    "1\t0\t0\t0" + String(repeating: "\t5,0,0,0,0", count: 9), "1\t0\t0\t0\té",
  ]

  @Test(arguments: foreign) func anotherTextIsNoHistory(text: String) { #expect(WriteHistory(text) == nil) }

  @Test func aCountThatBeganAnewCountsFromZero() {
    let now = WrittenBytes(log: 5, files: 100, other: .max)
    let grown = now.since(WrittenBytes(log: 10, files: 40, other: -1))
    #expect(grown == WrittenBytes(log: 5, files: 60, other: .max))
    #expect((grown + grown).total == .max)
  }
}

@Suite struct MediumLifeTests {
  static let rate = WriteHistory.Rate(own: WrittenBytes(log: 25_000_000), medium: 100_000_000)

  struct Case: Sendable {
    var report: MediumReport
    var rate: WriteHistory.Rate?
    var endurance: Int64?
    var used: Int?
    var origin: MediumLife.Origin?
    var days: Int?
    var own: Int?
  }

  static let cases: [Case] = [
    Case(report: MediumReport()),
    Case(
      report: MediumReport(lifetimeBytes: 1_000_000_000_000), rate: rate, endurance: 30_000_000_000_000,
      used: 3,
      origin: .endurance, days: 36_500, own: 25),
    Case(
      report: MediumReport(lifetimeBytes: 1_000_000_000), rate: rate, endurance: 2_000_000_000, used: 50,
      origin: .endurance, days: 10, own: 25),
    Case(
      report: MediumReport(lifetimeBytes: 3_000_000_000), rate: rate, endurance: 2_000_000_000, used: 100,
      origin: .endurance, days: 0, own: 25),
    Case(
      report: MediumReport(wear: MediumWear(lifeTime: 9, endOfLife: 1), lifetimeBytes: 1_000_000_000),
      rate: rate,
      endurance: 2_000_000_000, used: 80, origin: .medium, days: 10, own: 25),
    Case(report: MediumReport(lifetimeBytes: 1000), rate: rate, own: 25),
    Case(report: MediumReport(lifetimeBytes: 1000), endurance: 2000, used: 50, origin: .endurance),
    Case(
      report: MediumReport(lifetimeBytes: -5), rate: WriteHistory.Rate(own: WrittenBytes(log: 5), medium: 0),
      endurance: 2000, used: 0, origin: .endurance),
    Case(report: MediumReport(lifetimeBytes: 5), rate: rate, endurance: 0, days: 0, own: 25),
    Case(
      report: MediumReport(), rate: WriteHistory.Rate(own: WrittenBytes(log: .max), medium: 1), own: 100),
  ]

  @Test(arguments: cases.indices)
  func lifeFollowsFromReportRateAndEndurance(index: Int) {
    let each = Self.cases[index]
    let life = MediumLife(each.report, rate: each.rate, endurance: each.endurance)
    #expect(life.usedPercent == each.used)
    #expect(life.origin == each.origin)
    #expect(life.daysLeft == each.days)
    #expect(life.ownPercent == each.own)
  }

  @Test func eachLevelIsReportedOnceAlsoOverRestarts() {
    var history = WriteHistory()
    var reported: [Int] = []
    for used in [10, 79, 80, 85, 89, 90, 95, 100, 100, 5, 82] {
      var life = MediumLife(MediumReport(), rate: nil, endurance: nil)
      life.usedPercent = used
      if let level = history.levelToReport(life) { reported.append(level) }
      history = WriteHistory(history.text) ?? WriteHistory()
    }
    #expect(reported == [80, 90, 80])
    #expect(history.levelToReport(MediumLife(MediumReport(), rate: nil, endurance: nil)) == nil)
  }
}
