import Database
import Glibc
import Quantities
import Records
import Synchronization
import Testing

@testable import Store

/// Whatever the medium does, no durable record is lost, and no new one before the memory limit is reached.
@Suite struct WriterTests {
  /// A clock that the tests advance.
  final class Clock: Sendable {
    private let seconds = Mutex<Int64>(100)
    func advance(_ step: Int64) { seconds.withLock { $0 += step } }
    var options: LogOptions {
      LogOptions(bootID: "a") { Moment(nanoseconds: self.seconds.withLock { $0 } * 1_000_000_000) }
    }
  }

  private func answers(_ replies: [LogWriter.Reply]) -> [StoreAnswer] { replies.map(\.answer) }

  private func setMaximum(_ writer: LogWriter, extraPages: Int64) throws {
    let connection = try #require(writer.log?.connection)
    let pages = try #require(try connection.firstInteger("PRAGMA page_count"))
    try connection.execute("PRAGMA max_page_count = \(pages + extraPages)")
  }

  @Test func aGroupIsAnsweredWithItsIDs() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    let first = writer.handle(.append([fix(1), fix(2)], urgent: true))
    #expect(first.count == 2)
    #expect(first.last == LogWriter.Reply(answer: .committed(1...2, queued: 2), urgent: true))
    #expect(
      writer.handle(.append([fix(3)], urgent: false))
        == [LogWriter.Reply(answer: .committed(3...3, queued: 1), urgent: false)])
    #expect(answers(writer.handle(.token(9))) == [.token(9, isDurable: true)])
    #expect(answers(writer.handle(.close)) == [.closed])
    #expect(writer.handle(.status()).isEmpty)
  }

  @Test func aGroupCountsTheRecordsThatCanBeSent() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.retry)
    let events = (1...3).map { event(.started, number: $0) }
    #expect(answers(writer.handle(.append(events, urgent: true))) == [.committed(1...3, queued: 0)])
    let mixed = [fix(4), event(.stopped, number: 5), fix(6, dated: false)]
    #expect(answers(writer.handle(.append(mixed, urgent: true))) == [.committed(4...6, queued: 1)])
    let date = StoreJob.date(offset: DatingTests.offset, quality: .receiver)
    #expect(answers(writer.handle(date)) == [.dated(count: 1)])
    let later = [fix(7, dated: false), event(.stopped, number: 8, dated: false)]
    #expect(answers(writer.handle(.append(later, urgent: true))) == [.committed(7...8, queued: 1)])
  }

  @Test func recordsStayInMemoryWhileTheDiskIsFull() throws {
    let scratch = try Scratch()
    let clock = Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    _ = writer.handle(.register(batchSizes: ["home": 1000]))
    _ = writer.handle(.append((1...20).map { fix($0) }, urgent: true))
    try setMaximum(writer, extraPages: 1)
    let full = answers(writer.handle(.append((21...400).map { fix($0) }, urgent: true)))
    guard case .failing(let reason, let waiting, let pause)? = full.last else {
      Issue.record("\(full)")
      return
    }
    #expect(waiting == 381 && pause == .seconds(1) && reason.contains("full"))
    // Nothing is written before the retry delay has passed.
    let next = answers(writer.handle(.append([fix(401)], urgent: true)))
    guard case .failing(_, let more, _)? = next.last, more == 382 else {
      Issue.record("\(next)")
      return
    }
    #expect(answers(writer.handle(.token(1))) == [.token(1, isDurable: false)])
    clock.advance(2)
    let again = answers(writer.handle(.append([fix(402)], urgent: true)))
    guard case .failing(_, let inMemory, let longer)? = again.last, inMemory == 383, longer == .seconds(2)
    else {
      Issue.record("\(again)")
      return
    }
    // Durable records can be sent meanwhile.
    let read = answers(writer.handle(.batch(destination: "home", BatchRequest(size: 1000))))
    guard case .batch(_, let batch?)? = read.last else {
      Issue.record("\(read)")
      return
    }
    #expect(batch.records.count == 20)
    try setMaximum(writer, extraPages: 1000)
    let recovered = answers(writer.handle(.retry))
    #expect(recovered == [.committed(21...404, queued: 382), .recovered])
    let log = try #require(writer.log)
    #expect(try log.batch(size: 1000)?.records.map(\.record) == (1...402).map { fix($0) })
    let kinds = try log.connection.rows("SELECT kind FROM event ORDER BY id").map { $0[0] }
    #expect(kinds == [.text("storage_failing"), .text("storage_recovered")])
  }

  /// A writer whose log has nine fixes for "home", in batches of five.
  private static func writerOfNineFixes(_ scratch: Scratch) -> LogWriter {
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: Clock().options)
    _ = writer.handle(.register(batchSizes: ["home": 5]))
    _ = writer.handle(.append((1...9).map { fix($0) }, urgent: true))
    return writer
  }

  @Test func anAcknowledgementIsAnsweredOnlyWhenItIsDurable() throws {
    let scratch = try Scratch()
    let writer = Self.writerOfNineFixes(scratch)
    let blocker = try Connection(path: scratch.path + "/outrider.db")
    try blocker.run("BEGIN IMMEDIATE")
    try #require(writer.log).connection.execute("PRAGMA busy_timeout = 1")
    let ack = StoreJob.acknowledge(destination: "home", through: RecordID(5), late: false, newBatchSize: nil)
    let refused = answers(writer.handle(ack))
    guard case .failing? = refused.last, refused.count == 1 else {
      Issue.record("\(refused)")
      return
    }
    // A batch from before the acknowledgement must not go out.
    #expect(answers(writer.handle(.batch(destination: "home", BatchRequest(size: 5)))).isEmpty)
    try blocker.run("ROLLBACK")
    let done = answers(writer.handle(.retry))
    #expect(done.contains(.acknowledged(destination: "home", through: RecordID(5), late: false)))
    let batches = done.compactMap { if case .batch(_, let batch) = $0 { batch } else { nil } }
    #expect(batches.first?.ids == [6, 7, 8, 9])
    #expect(done.last == .recovered)
  }

  @Test func anAcknowledgementReturnsTheNextBatchWithItsBoundary() throws {
    let scratch = try Scratch()
    let writer = Self.writerOfNineFixes(scratch)
    let next = BatchRequest(
      after: BatchPosition(through: RecordID(5), isLate: false), size: 5, largestToSend: .max, cut: BatchCut()
    )
    let done = answers(
      writer.handle(
        .acknowledge(destination: "home", through: RecordID(5), late: false, newBatchSize: nil, next: next)))
    #expect(done.first == .acknowledged(destination: "home", through: RecordID(5), late: false))
    guard case .batch(_, let batch?)? = done.last, done.count == 2 else {
      Issue.record("\(done)")
      return
    }
    #expect(batch.ids == [6, 7, 8, 9] && batch.boundary == .stored)
  }

  @Test func aNextBatchThatFailsDoesNotRepeatTheAcknowledgement() throws {
    let scratch = try Scratch()
    let writer = Self.writerOfNineFixes(scratch)
    let blocker = try Connection(path: scratch.path + "/outrider.db")
    try blocker.run("BEGIN IMMEDIATE")
    try #require(writer.log).connection.execute("PRAGMA busy_timeout = 1")
    let next = BatchRequest(size: 5, largestToSend: .max, cut: BatchCut())
    let refused = answers(
      writer.handle(
        .acknowledge(destination: "home", through: RecordID(5), late: false, newBatchSize: nil, next: next)))
    #expect(refused.allSatisfy { if case .failing = $0 { true } else { false } })
    try blocker.run("ROLLBACK")
    let done = answers(writer.handle(.retry))
    let acknowledged = StoreAnswer.acknowledged(destination: "home", through: RecordID(5), late: false)
    #expect(done.filter { $0 == acknowledged }.count == 1)
    let batches = done.compactMap { if case .batch(_, let batch) = $0 { batch } else { nil } }
    #expect(batches.map(\.ids) == [[6, 7, 8, 9]] && batches.first?.boundary == .stored)
  }

  @Test func memoryIsLimitedAndEventsAreKept() throws {
    let scratch = try Scratch()
    let clock = Clock()
    let writer = LogWriter(
      directory: scratch.path, allowVolatile: true, options: clock.options, waitingLimit: 100)
    _ = writer.handle(.append([fix(1)], urgent: true))
    try setMaximum(writer, extraPages: 0)
    for group in 0..<60 {
      _ = writer.handle(.append((0..<10).map { fix(10 + group * 10 + $0) }, urgent: false))
      if group % 10 == 0 { _ = writer.handle(.append([event(.clockSet, number: group)], urgent: false)) }
      clock.advance(1)
    }
    try setMaximum(writer, extraPages: 1000)
    _ = writer.handle(.retry)
    let connection = try #require(writer.log?.connection)
    #expect(try connection.firstInteger("SELECT count(*) FROM event WHERE kind = 'clock_set'") == 6)
    let kept = try connection.firstInteger("SELECT count(*) FROM location") ?? 0
    let dropped =
      try connection.firstInteger("SELECT sum(value) FROM event WHERE kind = 'records_dropped'") ?? 0
    #expect(dropped > 0 && kept + dropped == 601)
    #expect(try writer.log?.newestLocation()?.record == fix(609))
  }

  @Test func damageFoundAtRunTimeIsSalvagedAndTheJobCompleted() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.register(batchSizes: ["home": 100]))
    for group in 0..<50 {
      _ = writer.handle(.append((0..<60).map { fix(group * 60 + $0 + 1) }, urgent: false))
    }
    _ = try writer.log?.connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try scratch.read("outrider.db")
    for page in 100..<104 {
      for index in 0..<LogSchema.pageSize { bytes[page * LogSchema.pageSize + index] = 0x55 }
    }
    let opened = open(scratch.path + "/outrider.db", O_WRONLY)
    #expect(pwrite(opened, bytes, bytes.count, 0) == bytes.count)
    close(opened)
    try writer.log?.connection.execute("PRAGMA shrink_memory")
    var delivered = 0
    var salvages = 0
    for _ in 0..<100 {
      let replies = answers(writer.handle(.batch(destination: "home", BatchRequest(size: 100))))
      for case .opened(let report) in replies {
        guard case .salvaged(let salvage) = report.condition else { continue }
        salvages += 1
        #expect(salvage.missing > 0 && salvage.records + salvage.missing >= 3000)
      }
      guard case .batch(_, let batch?)? = replies.last else { break }
      delivered += batch.records.count
      _ = writer.handle(
        .acknowledge(destination: "home", through: batch.through, late: false, newBatchSize: nil))
    }
    #expect(salvages == 1 && delivered > 2700 && delivered < 3000)
  }

  /// The log's own events about the failure are dated with the last known time, too.
  @Test(arguments: [true, false])
  func aDateThatArrivesDuringAFailureAppliesToAllWaitingRecords(endsWithAStop: Bool) throws {
    let scratch = try Scratch()
    let clock = Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    _ = writer.handle(.append([fix(99, dated: false)], urgent: true))
    _ = writer.handle(.date(offset: DatingTests.offset - 36_000_000, quality: .receiver))
    let blocker = try Connection(path: scratch.path + "/outrider.db")
    try blocker.run("BEGIN IMMEDIATE")
    try #require(writer.log).connection.execute("PRAGMA busy_timeout = 1")
    _ = writer.handle(.append([fix(100, dated: false)], urgent: true))
    _ = writer.handle(.date(offset: DatingTests.offset, quality: .receiver))
    clock.advance(60)
    _ = writer.handle(.append([fix(160, dated: false)], urgent: true))
    try blocker.run("ROLLBACK")
    clock.advance(600)
    _ = writer.handle(endsWithAStop ? .close : .retry)
    let rows = try blocker.rows("SELECT time_ms - ? FROM record ORDER BY id", [.integer(DatingTests.offset)])
    let expected: [Int64] = [99_000 - 36_000_000, 100_000, 100_000, 160_000, 760_000]
    #expect(rows.map { $0[0] } == expected.map { .integer($0) })
    let kinds = try blocker.rows("SELECT kind FROM event ORDER BY id").map { $0[0] }
    #expect(kinds == [.text("storage_failing"), .text("storage_recovered")])
  }

  @Test func aSecondLoggerIsRejected() throws {
    let scratch = try Scratch()
    let first = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = first.handle(.status())
    let second = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    #expect(answers(second.handle(.status())).contains(.refused(.inUse(directory: scratch.path))))
    _ = first.handle(.close)
    let third = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    #expect(!answers(third.handle(.status())).contains { if case .refused = $0 { true } else { false } })
  }

  @Test func aDirectoryThatAppearsLaterIsUsed() throws {
    let scratch = try Scratch()
    let clock = Clock()
    let inner = scratch.path + "/card/outrider"
    let writer = LogWriter(directory: inner, allowVolatile: true, options: clock.options)
    let early = answers(writer.handle(.append([fix(1)], urgent: true)))
    guard case .failing? = early.last else {
      Issue.record("\(early)")
      return
    }
    #expect(mkdir(scratch.path + "/card", 0o755) == 0)
    clock.advance(5)
    let late = answers(writer.handle(.append([fix(2)], urgent: true)))
    #expect(late.contains(.committed(1...4, queued: 2)) && late.last == .recovered)
  }
}

@Suite struct WorkerTests {
  @Test func queuedJobsAreExecutedInOrderOnTheThread() throws {
    let scratch = try Scratch()
    let worker = try StoreWorker(
      directory: scratch.path, allowVolatile: true, options: .test(),
      claim: StorageClaim(directory: scratch.path, allowVolatile: true))
    #expect(worker.post(.append([fix(1), fix(2)], urgent: false)))
    #expect(worker.post(.batch(destination: "home", BatchRequest(size: 5))))
    #expect(
      worker.post(.acknowledge(destination: "home", through: RecordID(2), late: false, newBatchSize: nil)))
    #expect(worker.post(.token(4)))
    let answers = worker.finish()
    guard case .opened(let report)? = answers.first, case .batch(_, let batch?) = answers[2] else {
      Issue.record("\(answers)")
      return
    }
    #expect(report.condition == .created && batch.ids == [1, 2])
    #expect(answers[1] == .committed(1...2, queued: 2))
    #expect(
      answers[3...] == [
        .acknowledged(destination: "home", through: RecordID(2), late: false), .token(4, isDurable: true),
        .closed,
      ])
    #expect(try scratch.open().report.condition == .clean)
  }
}

@Suite struct StorageDirectoryTests {
  @Test func memoryFileSystemsAreIdentifiedByTheirNumbers() {
    #expect(StorageDirectory.volatileName(0x0102_1994) == "tmpfs")
    #expect(StorageDirectory.volatileName(0x8584_58F6) == "ramfs")
    #expect(StorageDirectory.volatileName(0x794C_7630) == "overlay")
    #expect(StorageDirectory.volatileName(0xEF53) == nil)
  }

  // Not every container has a memory file system.
  @Test(.enabled(if: access("/dev/shm", W_OK) == 0, "there is no /dev/shm"))
  func aMemoryFileSystemIsRejectedWithTheRemedy() throws {
    let path = "/dev/shm/outrider-test-\(getpid())"
    defer { rmdir(path) }
    let error = thrown(StoreError.self) { _ = try StorageDirectory(path, allowVolatile: false) }
    #expect(error == .volatile(directory: path, fileSystem: "tmpfs"))
    #expect(error?.description.contains("storage.allow_volatile") == true)
    _ = try StorageDirectory(path, allowVolatile: true)
  }

  @Test func aFileIsRejectedAsDirectory() throws {
    let scratch = try Scratch()
    try scratch.write("file", [1])
    let path = scratch.path + "/file"
    #expect(throws: StoreError.notADirectory(path: path)) { try StorageDirectory(path, allowVolatile: true) }
  }
}
