import Database
import Glibc
import Quantities
import Records
import Testing
import TextSnapshots

@testable import Store

/// The loss of records with a write-ahead log that was truncated or deleted after a kill is reported with its bound.
@Suite struct CutWriteAheadLogTests {
  static let texts = TextSnapshot("store")

  /// The files after a kill: records 1 to 100 in the database, 101 to 300 in the write-ahead log.
  private static func killed() throws -> Scratch {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append((1...100).map { fix($0) })
      try log.close()
    }
    let (log, _) = try scratch.open()
    for number in 101...300 { _ = try log.append([fix(number)]) }
    let left = try scratch.copy()
    log.abandon()
    return left
  }

  /// Expects the loss once in the report and once as an event with these fields.
  private static func expectLoss(
    _ scratch: Scratch, boot: String = "boot-a", _ cause: String, after record: ClosedRange<Int64>,
    bytes: ClosedRange<Int64>, lastID: ClosedRange<Int64>
  ) throws {
    let (log, report) = try scratch.open(boot: boot)
    #expect(report.condition == .unclean)
    let loss = try #require(report.loss)
    let events = try LogReader(directory: scratch.path).records(after: .zero, limit: 1000).compactMap {
      stored in
      if case .event(let event) = stored.record.body, event.kind == .recordsMissing { event } else { nil }
    }
    let event = try #require(events.first)
    #expect(events.count == 1 && event.detail == loss && event.fields.text(.cause) == cause)
    #expect(record.contains(event.fields.number(.record) ?? 0), "\(event)")
    #expect(bytes.contains(event.fields.number(.bytes) ?? 0), "\(event)")
    #expect(lastID.contains(report.lastID.rawValue - 1), "\(report.lastID), behind it the event")
    #expect(try log.append([fix(400)]) != nil)
    try log.close()
    let (_, next) = try scratch.open(boot: boot)
    #expect(next.condition == .clean && next.loss == nil, "once")
  }

  @Test func anIntactWriteAheadLogLosesNothing() throws {
    let (_, report) = try Self.killed().open()
    #expect(report.condition == .unclean && report.loss == nil && report.lastID == RecordID(300))
  }

  @Test(arguments: ["boot-a", "boot-b"])
  func theIndexBoundsTheLossOfATruncatedLog(boot: String) throws {
    let scratch = try Self.killed()
    let bytes = try scratch.read("outrider.db-wal")
    try scratch.write("outrider.db-wal", Array(bytes.prefix(bytes.count / 2)))
    try Self.expectLoss(
      scratch, boot: boot, "wal_cut", after: 150...250, bytes: 1024...300_000, lastID: 150...250)
  }

  @Test func theIndexBoundsTheLossOfADeletedLog() throws {
    let scratch = try Self.killed()
    #expect(unlink(scratch.path + "/outrider.db-wal") == 0)
    try Self.expectLoss(
      scratch, "wal_gone", after: 100...100, bytes: 1024...300_000, lastID: 100...100)
  }

  @Test func theSizeLimitBoundsTheLossOfALogWithoutIndex() throws {
    let scratch = try Self.killed()
    #expect(unlink(scratch.path + "/outrider.db-wal") == 0)
    #expect(unlink(scratch.path + "/outrider.db-shm") == 0)
    try Self.expectLoss(
      scratch, "wal_gone_without_index", after: 100...100, bytes: 4_194_304...4_194_304, lastID: 100...100)
  }

  @Test func aCheckpointByAnotherProgramLosesNothing() throws {
    let scratch = try Self.killed()
    do {
      let other = try Connection(path: scratch.path + "/outrider.db")
      #expect(try other.firstInteger("SELECT count(*) FROM record") == 300)
    }
    #expect(!scratch.files.contains("outrider.db-wal"))
    let (_, report) = try scratch.open()
    #expect(report.loss != nil, "nobody can know that it was checkpointed")
    #expect(report.lastID == RecordID(301))
  }

  /// After a power cut the index may be older than the log.
  @Test func anOutdatedIndexAfterAPowerCutIsNoEvidence() throws {
    let scratch = try Self.killed()
    let older = try Self.killed()
    try scratch.write("outrider.db-shm", try older.read("outrider.db-shm"))
    let (_, report) = try scratch.open(boot: "boot-b")
    #expect(report.loss == nil && report.lastID == RecordID(300))
  }
}
