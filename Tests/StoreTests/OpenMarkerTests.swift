import Database
import Glibc
import Records
import Testing
import TextSnapshots

@testable import Store

/// The deletion of a write-ahead log is detected, although a start does not write to the database file itself.
@Suite struct OpenMarkerTests {
  private static let name = "outrider.db.open"
  private static let companions = ["outrider.db-wal", "outrider.db-shm"]

  /// A log with 100 records that was closed.
  private static func closed() throws -> Scratch {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...100).map { fix($0) })
    try log.close()
    return scratch
  }

  /// The files after 50 more records and a kill.
  private static func killed() throws -> Scratch {
    let scratch = try closed()
    let (log, _) = try scratch.open()
    _ = try log.append((101...150).map { fix($0) })
    let left = try scratch.copy()
    log.abandon()
    return left
  }

  private static func remove(_ names: [String], in scratch: Scratch) {
    for name in names { #expect(unlink("\(scratch.path)/\(name)") == 0) }
  }

  @Test func aStartDoesNotChangeTheDatabaseFile() throws {
    let scratch = try Self.closed()
    let before = try scratch.read("outrider.db")
    let (log, _) = try scratch.open(boot: "boot-b")
    #expect(try scratch.read("outrider.db") == before)
    #expect(try scratch.read(Self.name) == Array("100 boot-b\n".utf8))
    log.abandon()
  }

  @Test func aKillAloneLosesNothing() throws {
    let (_, report) = try Self.killed().open()
    #expect(report.condition == .unclean && report.loss == nil && report.lastID == RecordID(150))
  }

  @Test(arguments: ["boot-a", "boot-b"])
  func aRemovedWriteAheadLogIsReportedAfterAKill(boot: String) throws {
    let scratch = try Self.killed()
    Self.remove(Self.companions, in: scratch)
    let (log, report) = try scratch.open(boot: boot)
    #expect(report.condition == .unclean && report.loss?.contains(" id 100 ") == true)
    try log.close()
    #expect(try scratch.open(boot: boot).report.loss == nil, "once")
  }

  /// The row of the boot is lost with the write-ahead log, so the file does not show to which boot the index belongs.
  @Test func theIndexBoundsTheLossInTheFirstRunOfABoot() throws {
    let scratch = try Self.closed()
    let (log, _) = try scratch.open(boot: "boot-b")
    _ = try log.append((101...150).map { fix($0) })
    let left = try scratch.copy()
    log.abandon()
    Self.remove(["outrider.db-wal"], in: left)
    let later = try left.copy()
    let loss = try #require(try left.open(boot: "boot-b").report.loss)
    let plain = loss.replacing(/[0-9]+/, with: "#")
    #expect(plain == CutWriteAheadLogTests.texts.expected("write-ahead log deleted", plain))
    let bound = try #require(try later.open(boot: "boot-c").report.loss)
    #expect(bound.contains(" 4096 KiB"), "an index of an earlier boot: \(bound)")
  }

  /// The second start finds all records, and its marker contains the last id.
  @Test func aRemovedWriteAheadLogIsReportedAfterTwoKills() throws {
    let scratch = try Self.killed()
    let (log, _) = try scratch.open()
    let left = try scratch.copy()
    log.abandon()
    #expect(try left.read(Self.name) == Array("150 boot-a\n".utf8))
    Self.remove(Self.companions, in: left)
    let report = try left.open().report
    #expect(report.condition == .unclean && report.loss?.contains(" id 100 ") == true)
  }

  @Test func anEmptyWriteAheadLogIsNoCleanClose() throws {
    let scratch = try Self.killed()
    try scratch.write("outrider.db-wal", [])
    Self.remove(["outrider.db-shm"], in: scratch)
    #expect(try scratch.open().report.condition == .unclean)
  }

  @Test func aCleanCloseLeavesNoMarkerAndNoLoss() throws {
    let scratch = try Self.closed()
    #expect(scratch.files == ["outrider.db"])
    let (_, report) = try scratch.open()
    #expect(report.condition == .clean && report.loss == nil)
  }

  /// A reader keeps the write-ahead log in use; it may be deleted later.
  @Test func aCloseThatLeavesTheWriteAheadLogLeavesTheMarker() throws {
    let scratch = try Self.closed()
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM record")
    let (log, _) = try scratch.open()
    try log.connection.execute("PRAGMA busy_timeout = 0")
    _ = try log.append((101...150).map { fix($0) })
    try log.close()
    #expect(try log.connection.firstInteger("PRAGMA synchronous") == 2)
    let whole = try scratch.copy()
    #expect(try whole.open().report.condition == .clean)
    let left = try scratch.copy()
    Self.remove(Self.companions, in: left)
    #expect(try left.open().report.loss?.contains(" id 100 ") == true)
  }

  @Test(arguments: [nil, [], Array("15".utf8)] as [[UInt8]?])
  func aMarkerLostInAPowerCutChangesNothing(left: [UInt8]?) throws {
    let scratch = try Self.killed()
    if let left { try scratch.write(Self.name, left) } else { Self.remove([Self.name], in: scratch) }
    let (_, report) = try scratch.open(boot: "boot-b")
    #expect(report.condition == .unclean && report.loss == nil && report.lastID == RecordID(150))
  }

  @Test func aMarkerRestoredByAPowerCutAfterACleanCloseChangesNothing() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let marker = try scratch.read(Self.name)
    _ = try log.append((1...10).map { fix($0) })
    try log.close()
    try scratch.write(Self.name, marker)
    let (_, report) = try scratch.open(boot: "boot-b")
    #expect(report.condition == .clean && report.loss == nil)
  }

  @Test func aMarkerThatCannotBeWrittenIsIgnored() throws {
    let scratch = try Self.closed()
    #expect(mkdir("\(scratch.path)/\(Self.name)", 0o750) == 0)
    let (log, report) = try scratch.open()
    #expect(report.condition == .clean)
    #expect(try log.append([fix(101)]) != nil)
    try log.close()
    #expect(try scratch.open().report.condition == .clean)
  }

  @Test func aMarkerThatIsAPipeDoesNotBlockTheStart() throws {
    let scratch = try Self.closed()
    #expect(mkfifo("\(scratch.path)/\(Self.name)", 0o640) == 0)
    #expect(try scratch.open().report.condition == .clean)
  }

  @Test func theMarkerOfADeletedLogIsIgnored() throws {
    let scratch = try Self.killed()
    Self.remove(Self.companions + ["outrider.db"], in: scratch)
    let (log, report) = try scratch.open()
    #expect(report.condition == .created && report.loss == nil)
    #expect(try scratch.read(Self.name) == Array("0 boot-a\n".utf8))
    log.abandon()
  }

  @Test func aSalvageInterruptedBeforeTheOpeningIsNoLoss() throws {
    let scratch = try Self.killed()
    _ = try Salvage.replaceLog(in: try scratch.directory(), cause: "test", idFloor: 0)
    #expect(!scratch.files.contains(Self.name))
    let (_, report) = try scratch.open()
    #expect(report.condition == .clean && report.loss == nil && report.lastID == RecordID(150))
  }

  @Test func aReaderWritesNoMarker() throws {
    let scratch = try Self.closed()
    _ = try LogReader(directory: scratch.path).status()
    #expect(!scratch.files.contains(Self.name))
  }
}
