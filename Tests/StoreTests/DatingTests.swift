import Quantities
import Records
import Testing

@testable import Store

/// Records from before the time was known are dated once, and are sent without a change of any batch boundary.
@Suite struct DatingTests {
  static let offset: Int64 = 1_780_000_000_000

  @Test func undatedRecordsAreSkippedAndSentLaterInOrderOfTheirIDs() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([fix(1, dated: false), fix(2, dated: false), event(.started, number: 3, dated: false)])
    #expect(try log.batch() == nil)
    _ = try log.append((4...6).map { fix($0) })
    let ordinary = try #require(try log.batch())
    #expect(ordinary.ids == [4, 5, 6])
    try log.acknowledge(ordinary)
    #expect(try log.date(offset: Self.offset, quality: .receiver) == 2, "an event is not sent")
    let late = try #require(try log.batch())
    #expect(late.ids == [1, 2] && late.isLate && late.boundary == .missing && !late.hasMore)
    #expect(late.records.map(\.record.time) == [fix(1).time, fix(2).time])
    #expect(late.records.allSatisfy { $0.record.timeQuality == .receiver })
    try log.acknowledge(late)
    #expect(try log.batch() == nil)
    #expect(try log.status().undated == 0)
  }

  @Test func datingDoesNotChangeTheBoundaryOfABatchInFlight() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([
      fix(1), fix(2, dated: false), fix(3), fix(4), fix(5, dated: false), fix(6), fix(7), fix(8),
    ])
    let sent = try #require(try log.batch())
    #expect(sent.ids == [1, 3, 4, 6, 7])
    _ = try log.date(offset: Self.offset, quality: .network)
    let (again, _) = try scratch.copy().open()
    let late = try #require(try again.batch())
    #expect(late.isLate && late.ids == [2, 5] && late.hasMore)
    try again.acknowledge(late)
    #expect(try again.batch()?.records == sent.records)
  }

  @Test func aLateBatchKeepsItsBoundary() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...7).map { fix($0, dated: false) })
    _ = try log.date(offset: Self.offset, quality: .receiver)
    let sent = try #require(try log.batch())
    #expect(sent.ids == [1, 2, 3, 4, 5] && sent.isLate && sent.boundary == .missing && sent.hasMore)
    try log.commitBatchBoundary("home", through: sent.through, late: true)
    let (again, _) = try scratch.copy().open()
    let retried = try #require(try again.batch())
    #expect(retried.records == sent.records && retried.boundary != .missing)
    try again.acknowledge(retried)
    #expect(try again.batch()?.ids == [6, 7])
  }

  @Test func aNewDestinationReceivesLateRecordsToo() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([fix(1, dated: false), fix(2)])
    _ = try log.date(offset: Self.offset, quality: .receiver)
    while let batch = try log.batch("home") { try log.acknowledge(batch, "home") }
    let late = try #require(try log.batch("new"))
    #expect(late.isLate && late.ids == [1])
    try log.acknowledge(late, "new")
    #expect(try log.batch("new")?.ids == [2])
  }

  @Test func aLaterDateAppliesToLaterRecordsOnly() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open(boot: "a")
    _ = try log.append([fix(1, dated: false)])
    let tenHours: Int64 = 36_000_000
    #expect(try log.date(offset: Self.offset - tenHours, quality: .receiver) == 1)
    _ = try log.append([fix(2)])
    let sent = try #require(try log.batch())
    #expect(try log.date(offset: Self.offset, quality: .receiver) == 0)
    #expect(try log.batch()?.records == sent.records)
    _ = try log.append([fix(3, dated: false)])
    // The next run of the program in this boot has no receiver.
    let (next, report) = try scratch.copy().open(boot: "a")
    #expect(report.bootOffset == Self.offset)
    _ = try next.append([event(.started, number: 4, dated: false)])
    let times = try next.connection.rows("SELECT time_ms, time_quality FROM record ORDER BY id")
    let early = try #require(fix(1).time).milliseconds - tenHours
    let others = try [fix(2), fix(3), event(.started, number: 4)].map { try #require($0.time).milliseconds }
    #expect(times.map { $0[0] } == ([early] + others).map { .integer($0) })
    #expect(times.allSatisfy { $0[1] == .integer(Int64(ClockQuality.receiver.rawValue)) })
  }

  @Test func aRestartWithinABootKeepsItsNumberAndItsTime() throws {
    let scratch = try Scratch()
    let (log, first) = try scratch.open(boot: "a")
    _ = try log.append([fix(1, dated: false)])
    let early = try scratch.copy()
    let (second, secondReport) = try early.open(boot: "a")
    #expect(secondReport.boot == first.boot && secondReport.bootOffset == nil)
    _ = try second.append([fix(2, dated: false)])
    #expect(try second.date(offset: Self.offset, quality: .receiver) == 2)
    let (third, thirdReport) = try early.copy().open(boot: "a")
    #expect(thirdReport.boot == first.boot && thirdReport.bootOffset == Self.offset)
    _ = try third.append([fix(3, dated: false)])
    #expect(try third.batch()?.ids == [1, 2])
    try third.acknowledge("home", through: RecordID(2), late: true, newBatchSize: nil)
    #expect(try third.batch()?.records.map(\.record.time) == [fix(3).time])
  }

  @Test func recordsOfABootWithoutTimeAreKeptButNotSent() throws {
    let scratch = try Scratch()
    let (log, first) = try scratch.open(boot: "a")
    _ = try log.append([fix(1, dated: false), fix(2, dated: false)])
    let (next, second) = try scratch.copy().open(boot: "b")
    #expect(second.boot == first.boot + 1)
    _ = try next.append([fix(3, dated: false)])
    #expect(try next.date(offset: Self.offset, quality: .receiver) == 1)
    #expect(try next.batch()?.ids == [3])
    try next.acknowledge("home", through: RecordID(3), late: true, newBatchSize: nil)
    #expect(try next.batch() == nil)
    let status = try next.status()
    #expect(status.undated == 2 && status.count == 3 && status.firstTime == fix(3).time)
  }

  @Test func manyRecordsAreDatedInOneTransaction() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...1234).map { fix($0, dated: false) })
    #expect(try log.date(offset: Self.offset, quality: .receiver) == 1234)
    #expect(try log.status().undated == 0)
    #expect(try log.batch(size: 2000)?.records.count == 1234)
  }
}
