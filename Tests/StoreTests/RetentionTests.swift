import Quantities
import Records
import Testing

@testable import Store

@Suite struct RetentionTests {
  private func ids(_ log: LogDatabase) throws -> [Int64] {
    try log.connection.rows("SELECT id FROM record ORDER BY id").compactMap { $0[0].integer }
  }

  private func expire(_ log: LogDatabase, at second: Int, _ limits: RetentionLimits) throws -> RetentionReport
  {
    var total = RetentionReport()
    while true {
      let step = try log.expire(now: fix(second).time, limits: limits)
      #expect(step.deleted <= LogDatabase.retentionStep)
      total.deleted += step.deleted
      total.dropped += step.dropped
      if !step.hasMore { return total }
    }
  }

  @Test func oldAcknowledgedRecordsAreDeletedInStepsOfLimitedSize() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 10_000])
    _ = try log.append((1...5000).map { fix($0) })
    try log.acknowledge(try #require(try log.batch()))
    let report = try expire(log, at: 5000, RetentionLimits(age: .seconds(100)))
    #expect(report == RetentionReport(deleted: 4899, dropped: 0))
    #expect(try ids(log) == Array(4900...5000))
  }

  @Test func ageDoesNotDeleteUnsentRecords() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 50, "work": 50])
    _ = try log.append((1...200).map { fix($0) })
    for _ in 0..<4 { try log.acknowledge(try #require(try log.batch("home")), "home") }
    try log.acknowledge(try #require(try log.batch("work")), "work")
    let report = try expire(log, at: 99_999, RetentionLimits(age: .seconds(1)))
    #expect(report == RetentionReport(deleted: 50, dropped: 0))
    #expect(try log.batch("work")?.ids.first == 51)
  }

  @Test func ageDoesNotDeleteUnsentLateRecordsOrThoseThatMayStillBeDated() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 50])
    _ = try log.append([fix(1), fix(2, dated: false), fix(3), fix(4)])
    try log.acknowledge(try #require(try log.batch()))
    let limits = RetentionLimits(age: .seconds(1))
    #expect(try expire(log, at: 9999, limits).deleted == 1)
    _ = try log.date(offset: DatingTests.offset, quality: .receiver)
    #expect(try expire(log, at: 9999, limits).deleted == 0)
    try log.acknowledge(try #require(try log.batch()))
    #expect(try expire(log, at: 9999, limits).deleted == 3)
  }

  @Test func undatedRecordsAreDeletedWithTheirNeighbours() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open(boot: "a")
      _ = try log.append((1...4).map { fix($0, dated: false) })
      try log.close()
    }
    let (log, _) = try scratch.open(boot: "b")
    try log.register(batchSizes: ["home": 50])
    _ = try log.append([fix(5), fix(6)])
    #expect(try expire(log, at: 9999, RetentionLimits(age: .seconds(1))).deleted == 4)
    try log.acknowledge(try #require(try log.batch()))
    #expect(try expire(log, at: 9999, RetentionLimits(age: .seconds(1))).deleted == 2)
  }

  @Test func ageDeletesNothingWhileTheTimeIsUnknown() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: [:])
    _ = try log.append((1...9).map { fix($0) })
    #expect(try log.expire(now: nil, limits: RetentionLimits(age: .seconds(1))).deleted == 0)
  }

  @Test func theSizeLimitDeletesTheOldestRecordsAndCountsUnsentOnes() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 1000])
    for group in 0..<20 { _ = try log.append((1...500).map { fix(group * 500 + $0) }) }
    try log.acknowledge(try #require(try log.batch()))
    let limit: Int64 = 500_000
    let report = try expire(log, at: 1, RetentionLimits(bytes: limit))
    let kept = try ids(log).filter { $0 <= 10_000 }
    #expect(kept == Array((10_001 - Int64(kept.count))...10_000))
    #expect(kept.count > 3000)
    #expect(report.dropped == 10_000 - Int64(kept.count) - 1000)
    let reported = try log.connection.firstInteger(
      "SELECT sum(value) FROM event WHERE kind = 'records_dropped'")
    #expect(reported == report.dropped)
    #expect(try log.status().bytes <= limit)
    #expect(try log.batch()?.ids.first == kept.first)
  }

  @Test func aFullBatchThatLostItsFirstRecordsKeepsItsBoundary() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 3000])
    for group in 0..<20 { _ = try log.append((1...500).map { fix(group * 500 + $0) }) }
    let sent = try #require(try log.batch())
    _ = try log.expire(now: nil, limits: RetentionLimits(bytes: 1))
    let rest = try #require(try log.batch())
    #expect(rest.through == sent.through && (rest.ids.first ?? 0) > 1)
  }

  @Test func nothingIsDeletedBeforeTheDestinationsAreKnown() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      try log.register(batchSizes: ["home": 50])
      _ = try log.append((1...5000).map { fix($0) })
      try log.close()
    }
    let (log, _) = try scratch.open()
    let limits = RetentionLimits(age: .seconds(1), bytes: 1)
    #expect(try expire(log, at: 99_999, limits) == RetentionReport())
    #expect(try log.room(limits: limits).unsent > 0, "an unknown destination may need all of it")
    // Announced, not registered.
    log.announce(batchSizes: ["home": 50, "new": 50], events: [:])
    #expect(try expire(log, at: 99_999, limits) == RetentionReport())
    try log.register(batchSizes: ["home": 50, "new": 50])
    #expect(try expire(log, at: 99_999, RetentionLimits(age: .seconds(1))) == RetentionReport())
    #expect(try expire(log, at: 99_999, limits).dropped > 0)
  }

  @Test func withoutAnyDestinationAgeDeletesAllButTheQueuesOfEarlierOnes() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let limits = RetentionLimits(age: .seconds(1))
    try log.register(batchSizes: [:])
    _ = try log.append((1...100).map { fix($0) })
    #expect(try expire(log, at: 99_999, limits).deleted == 100, "none and unknown are different")
    try log.register(batchSizes: ["home": 50])
    _ = try log.append((101...200).map { fix($0) })
    try log.acknowledge(try #require(try log.batch()))
    try log.register(batchSizes: [:])
    let cursor = try #require(try log.status().destinations.first?.acknowledged.rawValue)
    _ = try expire(log, at: 99_999, limits)
    #expect(try ids(log).first == cursor + 1)
    _ = try log.forget("home")
    _ = try expire(log, at: 99_999, limits)
    #expect(try ids(log) == [])
  }

  /// A registration that waits for its turn behind a failed job already protects; so do a deferred rewind and drop.
  @Test func retentionNeverOvertakesAJobThatWaits() throws {
    let scratch = try Scratch()
    let clock = WriterTests.Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    _ = writer.handle(.configure(RetentionLimits(age: .seconds(1))))
    _ = writer.handle(.register(batchSizes: ["home": 50]))
    _ = writer.handle(.append((1...50).map { fix($0) }, urgent: true))
    let all = StoreJob.acknowledge(
      destination: "home", through: RecordID(50), late: false, newBatchSize: nil)
    _ = writer.handle(all)
    let log = try #require(writer.log)
    for job in [
      StoreJob.rewind(destination: "home", to: .zero), .register(batchSizes: ["home": 50, "new": 50]),
    ] {
      try log.connection.execute("PRAGMA query_only = ON")
      // One that waits before it.
      _ = writer.handle(.commitBatchBoundary(destination: "home", through: RecordID(60), late: false))
      _ = writer.handle(job)
      try writer.log?.connection.execute("PRAGMA query_only = OFF")
      _ = writer.handle(.expire(now: fix(99_999).time))
      clock.advance(400)
      _ = writer.handle(.retry)
      _ = writer.handle(.expire(now: fix(99_999).time))
      let replies = writer.handle(.batch(destination: "home", BatchRequest(size: 100)))
      guard case .batch(_, let batch)? = replies.last?.answer else {
        Issue.record("\(replies)")
        return
      }
      if case .rewind = job { #expect(batch?.ids.count == 50) }
      #expect(try ids(try #require(writer.log)).filter { $0 <= 50 }.count == 50, "\(job)")
      if case .rewind = job { _ = writer.handle(all) }
    }
  }

  @Test func idsAreNotReusedAfterAllRecordsWereDeleted() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      try log.register(batchSizes: [:])
      _ = try log.append((1...9).map { fix($0) })
      #expect(try expire(log, at: 9999, RetentionLimits(age: .seconds(1))).deleted == 9)
      #expect(try log.status().ids == nil)
    }
    let (log, _) = try scratch.copy().open()
    // An event may precede it: the log was not closed and has no write-ahead log.
    let ids = try #require(try log.append([fix(1)])).ids
    #expect(ids.lowerBound > RecordID(9) && ids.upperBound <= RecordID(11))
  }

  @Test func theWriteAheadLogDoesNotGrowWithTheLog() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    for group in 0..<800 { _ = try log.append((1...10).map { fix(group * 10 + $0) }) }
    #expect(try scratch.read("outrider.db-wal").count < 5_000_000)
  }
}
