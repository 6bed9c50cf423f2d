import Database
import Glibc
import Records

/// The findings of a full check of a log.
struct LogFindings: Equatable, Sendable {
  /// The inconsistency for which the log has to be salvaged; nil for none.
  var contradiction: String?
  /// Records that fail their checksum.
  var damaged: [RecordID] = []
  /// Runs of ids without a record that are not in a known gap.
  var holes: [Gap] = []
  /// True unless the check ended early because of too many findings or a read error.
  var isWhole = true

  /// The maximum number of findings; they are settled in one transaction, which delays records.
  static let most = 1000
  private static let rowsOfStep = 512

  /// Checks the file through a separate connection while its writer continues: first the structure, then every record
  /// up to `last`.
  ///
  /// The writer's cached pages may be intact although those of the file are not.
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
      // Every step uses a new snapshot: a long-lived one would let the write-ahead log grow.
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

/// Runs a full check of a log beside its writer. The methods are called on the writer's thread.
protocol LogExaminer: AnyObject {
  /// Starts to check the log at `path`; false if that is impossible.
  func begin(_ path: String, through last: RecordID) -> Bool
  /// Returns the findings once; nil before the check has ended.
  func take() -> LogFindings?
}

/// Checks a log synchronously in ``begin(_:through:)``, for programs without other work.
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
