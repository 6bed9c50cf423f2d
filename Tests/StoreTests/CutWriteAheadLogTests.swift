import Database
import Glibc
import Quantities
import Records
import Testing

@testable import Store

/// A write-ahead log that was cut or removed after a kill costs records, and that is said with its bound.
@Suite struct CutWriteAheadLogTests {
  /// What a kill leaves of a log with 100 records in the file and 200 in the write-ahead log, in this order of numbers.
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

  private static func expectTold(
    _ scratch: Scratch, boot: String = "boot-a", _ words: [String], lastID: ClosedRange<Int64>
  ) throws {
    let (log, report) = try scratch.open(boot: boot)
    #expect(report.condition == .unclean)
    let loss = try #require(report.loss)
    for word in words { #expect(loss.contains(word), "\(loss)") }
    let events = try log.connection.rows("SELECT detail FROM event WHERE kind = 'records_missing'")
    #expect(events.map { $0[0] } == [.text(loss)])
    #expect(lastID.contains(report.lastID.rawValue - 1), "\(report.lastID), behind it the event")
    #expect(try log.append([fix(400)]) != nil)
    try log.close()
    let (_, next) = try scratch.open(boot: boot)
    #expect(next.condition == .clean && next.loss == nil, "once")
  }

  @Test func whatIsThereIsNoLoss() throws {
    let (_, report) = try Self.killed().open()
    #expect(report.condition == .unclean && report.loss == nil && report.lastID == RecordID(300))
  }

  @Test(arguments: ["boot-a", "boot-b"])
  func aCutLogIsBoundedByItsIndex(boot: String) throws {
    let scratch = try Self.killed()
    let bytes = try scratch.read("outrider.db-wal")
    try scratch.write("outrider.db-wal", Array(bytes.prefix(bytes.count / 2)))
    try Self.expectTold(
      scratch, boot: boot, ["is cut", "pages are lost", "at most", "KiB"], lastID: 150...250)
  }

  @Test func aLogThatIsGoneIsBoundedByItsIndex() throws {
    let scratch = try Self.killed()
    #expect(unlink(scratch.path + "/outrider.db-wal") == 0)
    try Self.expectTold(
      scratch, ["is gone", "pages are lost", "after id 100,", "at most"], lastID: 100...100)
  }

  @Test func aLogThatIsGoneWithItsIndexIsBoundedByItsLimit() throws {
    let scratch = try Self.killed()
    #expect(unlink(scratch.path + "/outrider.db-wal") == 0)
    #expect(unlink(scratch.path + "/outrider.db-shm") == 0)
    try Self.expectTold(
      scratch, ["is gone: unless another program", "after id 100 ", "at most 4096 KiB"], lastID: 100...100)
  }

  @Test func anotherProgramThatPlaysTheLogInLosesNothing() throws {
    let scratch = try Self.killed()
    do {
      let other = try Connection(path: scratch.path + "/outrider.db")
      #expect(try other.firstInteger("SELECT count(*) FROM record") == 300)
    }
    #expect(!scratch.files.contains("outrider.db-wal"))
    let (_, report) = try scratch.open()
    #expect(report.loss?.contains("unless another program has played it into the file") == true)
    #expect(report.lastID == RecordID(301))
  }

  /// After a power cut the index may be of another time than the log.
  @Test func anIndexOfAnotherTimeProvesNothingAfterAPowerCut() throws {
    let scratch = try Self.killed()
    let older = try Self.killed()
    try scratch.write("outrider.db-shm", try older.read("outrider.db-shm"))
    let (_, report) = try scratch.open(boot: "boot-b")
    #expect(report.loss == nil && report.lastID == RecordID(300))
  }
}
