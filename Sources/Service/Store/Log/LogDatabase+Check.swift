import Database
import Records

/// The findings of one step of the log check.
struct CheckReport: Equatable {
  /// Records that failed their checksum and were removed.
  var damaged: [RecordID] = []
  /// Number of ids without a record that were not in a known gap.
  var missing: Int64 = 0
  /// True if the step reached the end of the log.
  var isOver = false
}

/// How far the check of the log has come.
struct CheckProgress {
  /// The last id that the current pass of ``LogDatabase/check(rows:)`` has read.
  private(set) var checked: Int64
  private var stepsUnsaved = 0

  /// Steps between two saves of the position. A save writes a page of flash, so it goes with the records of every
  /// twelfth step.
  static let stepsBetweenSaves = 12

  init(checked: Int64) { self.checked = checked }

  var hasUnsavedSteps: Bool { stepsUnsaved > 0 }
  var isSaveDue: Bool { stepsUnsaved >= Self.stepsBetweenSaves }

  mutating func recordStep(through id: Int64) {
    checked = id
    stepsUnsaved += 1
  }

  mutating func recordSave() { stepsUnsaved = 0 }
}

// The background check of records that nothing reads. A clean shutdown does not show that old pages are still intact,
// and acknowledged records are not read again.
extension LogDatabase {
  /// Number of records per step. Each is in one page, so a step reads at most as many leaf pages, and a few inner
  /// pages.
  static let rowsOfCheck = 512

  /// Checks the records after ``CheckProgress/checked``, and starts again at the beginning after the end of the log.
  ///
  /// Damaged records and ids without a record become gaps, with an event. Throws
  /// ``Database/DatabaseError/Kind/damaged`` if the file is inconsistent and has to be salvaged.
  func check(rows limit: Int = rowsOfCheck) throws(DatabaseError) -> CheckReport {
    var report = CheckReport()
    var scan = EntryScan(after: progress.checked, floor: try StateRow.load(.floor, from: connection))
    report.isOver = try !scan.read(limit, from: connection)
    if report.isOver {
      scan.pass(through: nextID - 1)
      try Self.checkGapsAndBoots(connection)
    }
    report.damaged = scan.damaged
    try takeOut(report.damaged, from: "", batch: nil)
    report.missing = try record(holes: scan.holes)
    progress.recordStep(through: report.isOver ? 0 : scan.passed)
    return report
  }

  static func checkGapsAndBoots(_ connection: Connection) throws(DatabaseError) {
    for row in try connection.rows("SELECT first, last, crc FROM gap") where Gap(row) == nil {
      throw .damaged(path: connection.path, "a row of the table gap fails its checksum")
    }
    for row in try connection.rows(BootRow.selection) where BootRow(row) == nil {
      throw .damaged(path: connection.path, "a row of the table boot fails its checksum")
    }
  }

  /// Stores the ids that are not in a known gap as gaps, with one event, and returns their number.
  private func record(holes: [Gap]) throws(DatabaseError) -> Int64 {
    let fresh = try Gap.unknown(of: holes, connection)
    guard !fresh.isEmpty else { return 0 }
    let count = fresh.reduce(0) { $0 + $1.last - $1.first + 1 }
    let names = fresh.prefix(12).map { $0.first == $0.last ? "\($0.first)" : "\($0.first)–\($0.last)" }
    try connection.transaction { () throws(DatabaseError) in
      for gap in fresh { try gap.save(to: connection) }
      _ = try insert([
        record(
          .recordsMissing,
          [
            .cause: "no_entry", .count: .integer(count),
            .records: .text(names.joined(separator: ", ") + (fresh.count > 12 ? " and others" : "")),
          ])
      ])
    }
    recordAppended(1, queued: 0)
    queues.forgetCounts()
    return count
  }

  /// Handles the findings of a full check that still apply: records may have been deleted or dated meanwhile.
  ///
  /// Throws ``Database/DatabaseError/Kind/damaged`` if the log has to be salvaged.
  func settle(_ findings: LogFindings) throws(DatabaseError) -> CheckReport {
    if let contradiction = findings.contradiction { throw .damaged(path: connection.path, contradiction) }
    var report = CheckReport(isOver: findings.isWhole)
    let floor = try StateRow.load(.floor, from: connection) ?? 0
    // Cached pages may be intact although those of the file are not.
    if !findings.damaged.isEmpty { try connection.execute("PRAGMA shrink_memory") }
    for id in findings.damaged where id.rawValue > floor {
      let row = try connection.firstRow(
        "SELECT \(RecordRow.columns) FROM record WHERE id = ?", [.integer(id.rawValue)])
      if let row, case .damaged = RecordRow.read(row) { report.damaged.append(id) }
    }
    try takeOut(report.damaged, from: "", batch: nil)
    let holes = findings.holes.filter { $0.last > floor }
    report.missing = try record(holes: holes.map { Gap(first: max($0.first, floor + 1), last: $0.last) })
    return report
  }
}
