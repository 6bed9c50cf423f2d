import Database
import Glibc
import Quantities
import Records
import Testing
import TextSnapshots

@testable import Store

/// A log that is deleted or replaced while it is open loses no record of the open file.
@Suite struct LostLogTests {
  static let texts = TextSnapshot("store")

  private static let names = ["outrider.db", "outrider.db-wal", "outrider.db-shm"]

  private func answers(_ replies: [LogWriter.Reply]) -> [StoreAnswer] { replies.map(\.answer) }

  private func filled(_ scratch: Scratch) -> LogWriter {
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.register(batchSizes: ["home": 5]))
    _ = writer.handle(.append((1...300).map { fix($0) }, urgent: true))
    _ = writer.handle(
      .acknowledge(destination: "home", through: RecordID(10), late: false, newBatchSize: nil))
    _ = writer.handle(.saveState(.tracker, "here"))
    return writer
  }

  private func salvage(_ answers: [StoreAnswer]) -> SalvageReport? {
    for case .opened(let report) in answers {
      if case .salvaged(let salvage) = report.condition { return salvage }
    }
    return nil
  }

  /// Expects all fixes in the file of that name, in order and once.
  private func expectWhole(
    _ scratch: Scratch, through last: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reader = try LogReader(directory: scratch.path)
    let records = try reader.records(after: .zero, limit: 10_000).map(\.record)
    let fixes = records.filter { if case .location = $0.body { true } else { false } }
    #expect(fixes == (1...last).map { fix($0) }, sourceLocation: sourceLocation)
    #expect(try reader.savedStates()[.tracker] == "here", sourceLocation: sourceLocation)
    let home = try reader.status().destinations.first
    #expect(home?.acknowledged == RecordID(10), sourceLocation: sourceLocation)
  }

  @Test(arguments: [names, ["outrider.db"], ["outrider.db-wal"], ["outrider.db-wal", "outrider.db-shm"]])
  func theNextCommitRestoresADeletedLog(deleted: [String]) throws {
    let scratch = try Scratch()
    let writer = filled(scratch)
    for name in deleted { #expect(unlink("\(scratch.path)/\(name)") == 0) }
    let reported = answers(writer.handle(.append([fix(301)], urgent: true)))
    let report = try #require(salvage(reported), "\(reported)")
    let name = deleted.contains("outrider.db") ? "log deleted" : "write-ahead log deleted while running"
    #expect(report.cause == Self.texts.expected(name, report.cause))
    #expect(report.records == 300 && report.missing == 0 && report.setAside.isEmpty)
    #expect(reported.contains { if case .committed = $0 { true } else { false } })
    try expectWhole(scratch, through: 301)
    // The logger continues in the new file without further reports.
    let next = answers(writer.handle(.append([fix(302)], urgent: true)))
    #expect(next == [.committed(303...303, queued: 1)])
    #expect(answers(writer.handle(.close)) == [.closed])
    try expectWhole(scratch, through: 302)
    #expect(try scratch.open().report.condition == .clean)
    #expect(!scratch.files.contains { $0.contains("damaged") })
  }

  @Test func aLogDeletedAfterTheLastCommitIsRestoredAtTheClose() throws {
    let scratch = try Scratch()
    let writer = filled(scratch)
    for name in Self.names { #expect(unlink("\(scratch.path)/\(name)") == 0) }
    let reported = answers(writer.handle(.close))
    #expect(salvage(reported)?.records == 300, "\(reported)")
    try expectWhole(scratch, through: 300)
  }

  @Test func anotherFileOfTheSameNameIsRenamed() throws {
    let scratch = try Scratch()
    let other = try Scratch()
    do {
      let (log, _) = try other.open()
      _ = try log.append([fix(9000)])
      try log.close()
    }
    let writer = filled(scratch)
    let bytes = try other.read("outrider.db")
    #expect(rename("\(other.path)/outrider.db", "\(scratch.path)/outrider.db") == 0)
    let reported = answers(writer.handle(.append([fix(301)], urgent: true)))
    let report = try #require(salvage(reported), "\(reported)")
    #expect(report.cause == Self.texts.expected("log replaced", report.cause) && report.records == 300)
    #expect(report.setAside == "\(scratch.path)/outrider.db.damaged-1")
    #expect(try scratch.read("outrider.db.damaged-1") == bytes)
    #expect(!scratch.files.contains("outrider.db.damaged-1-wal"), "it belongs to the log that was open")
    try expectWhole(scratch, through: 301)
  }

  @Test func aDeletedDirectoryIsCreatedAgain() throws {
    let scratch = try Scratch()
    let writer = filled(scratch)
    #expect(rename(scratch.path, scratch.path + "-away") == 0)
    defer { rename(scratch.path + "-away", scratch.path + "/away") }
    let reported = answers(writer.handle(.append([fix(301)], urgent: true)))
    #expect(salvage(reported)?.records == 300, "\(reported)")
    try expectWhole(scratch, through: 301)
  }

  @Test func theOpenFileIsKeptWhileNoNewOneCanBeCreated() throws {
    let scratch = try Scratch()
    let clock = WriterTests.Clock()
    let directory = scratch.path + "/log"
    let writer = LogWriter(directory: directory, allowVolatile: true, options: clock.options)
    _ = writer.handle(.append((1...300).map { fix($0) }, urgent: true))
    #expect(rename(directory, scratch.path + "/away") == 0)
    // A file where the directory should be.
    try scratch.write("log", [1])
    let refused = answers(writer.handle(.append([fix(301)], urgent: true)))
    guard case .failing(let reason, let waiting, _)? = refused.last else {
      Issue.record("\(refused)")
      return
    }
    let plain = reason.replacing(directory, with: "PATH")
    #expect(plain == Self.texts.expected("log deleted, directory is a file", plain) && waiting == 2)
    #expect(unlink(directory) == 0)
    clock.advance(10)
    let reported = answers(writer.handle(.retry))
    #expect(salvage(reported)?.records == 300 && reported.last == .recovered, "\(reported)")
    let records = try LogReader(directory: directory).records(after: .zero, limit: 1000).map(\.record)
    #expect(Array(records.prefix(300)) == (1...300).map { fix($0) } && records.contains(fix(301)))
  }

  @Test func unacknowledgedRecordsAreCopiedFromADamagedOpenFile() throws {
    let scratch = try Scratch()
    let writer = filled(scratch)
    _ = writer.handle(
      .acknowledge(destination: "home", through: RecordID(60), late: false, newBatchSize: nil))
    let connection = try #require(writer.log?.connection)
    _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    // A page of the first records, which home has acknowledged.
    let file = open(scratch.path + "/outrider.db", O_RDWR)
    let page = try #require(
      try (1...200).first { page in
        try Self.page(page, of: scratch).starts(with: [0x0D])
          && LeafPage.ids(in: try Self.page(page, of: scratch)).contains(3)
      })
    let zeros = [UInt8](repeating: 0, count: LogSchema.pageSize)
    #expect(pwrite(file, zeros, zeros.count, (page - 1) * LogSchema.pageSize) == zeros.count)
    close(file)
    try connection.execute("PRAGMA shrink_memory")
    for name in Self.names { #expect(unlink("\(scratch.path)/\(name)") == 0) }
    let reported = answers(writer.handle(.append([fix(301)], urgent: true)))
    let report = try #require(salvage(reported), "\(reported)")
    #expect(report.records == 240 && report.missing == 60 && report.interruption != nil, "\(report)")
    let log = try #require(writer.log)
    #expect(try log.batch(size: 5)?.ids == [61, 62, 63, 64, 65])
    #expect(try log.status().missing == 0, "they were acknowledged, and the log starts after them")
  }

  private static func page(_ number: Int, of scratch: Scratch) throws -> [UInt8] {
    let bytes = try scratch.read("outrider.db")
    let start = (number - 1) * LogSchema.pageSize
    return start + LogSchema.pageSize <= bytes.count ? Array(bytes[start..<(start + LogSchema.pageSize)]) : []
  }
}

extension LeafPage {
  static func ids(in page: [UInt8]) -> [Int64] {
    var ids: [Int64] = []
    rows(in: page, isFirstOfFile: false) { rowid, columns in
      if columns.count == RecordRow.columnCount { ids.append(rowid) }
    }
    return ids
  }
}
