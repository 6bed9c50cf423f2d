import Database
import Glibc
import Records

/// What reading a whole log has found.
struct LogFindings: Equatable, Sendable {
  /// Why the log is to be salvaged: its file contradicts itself. Nil for none.
  var contradiction: String?
  /// Entries that fail their checksum.
  var damaged: [RecordID] = []
  /// Numbers without an entry that are in no gap.
  var holes: [Gap] = []
  /// False if the log was not read to its end: there were too many findings, or it could not be read.
  var isWhole = true

  /// What was found is dealt with in one transaction, for which records wait.
  static let most = 1000
  private static let rowsOfStep = 512

  /// Reads the file on a connection of its own, so that its writer goes on meanwhile: first the structure, then every
  /// entry up to `last`. Pages in the memory of the writer may be whole where those of the file are not.
  static func read(_ path: String, through last: RecordID) -> LogFindings {
    var findings = LogFindings()
    do throws(DatabaseError) {
      let connection = try Connection(path: path, access: .readOnly)
      try connection.execute("PRAGMA cache_size = -512")
      findings.contradiction = try connection.findDamage()
      if findings.contradiction == nil { try findings.readEntries(of: connection, through: last.rawValue) }
    } catch {
      findings.isWhole = false
      if error.kind == .damaged { findings.contradiction = error.message }
    }
    return findings
  }

  private mutating func readEntries(
    of connection: Connection, through last: Int64
  ) throws(DatabaseError) {
    let floor = try StateRow.load(.floor, from: connection)
    var passed: Int64 = 0
    while passed < last {
      // Each step reads a state of the log of its own: a long one would let the write-ahead log grow.
      var scan = EntryScan(after: passed, floor: floor)
      if try !scan.read(Self.rowsOfStep, from: connection) { scan.pass(through: last) }
      damaged += scan.damaged
      holes += try Gap.unknown(of: scan.holes, connection)
      passed = scan.passed
      guard damaged.count + holes.count < Self.most else {
        isWhole = false
        return
      }
    }
    try LogDatabase.checkGapsAndBoots(connection)
  }
}

/// Reads a whole log beside its writer, on whose thread the others are called.
protocol LogExaminer: AnyObject {
  /// Begins to read the log at `path`; false if that is impossible.
  func begin(_ path: String, through last: RecordID) -> Bool
  /// What was found, once; nil before.
  func take() -> LogFindings?
}

/// Reads while it is asked to begin, for who has no other work.
final class WaitingExaminer: LogExaminer {
  private var findings: LogFindings?

  func begin(_ path: String, through last: RecordID) -> Bool {
    findings = LogFindings.read(path, through: last)
    return true
  }

  func take() -> LogFindings? {
    defer { findings = nil }
    return findings
  }
}
