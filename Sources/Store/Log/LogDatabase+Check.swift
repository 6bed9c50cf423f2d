import Database
import Records

/// What a step of the check found.
struct CheckReport: Equatable {
  /// Entries that fail their checksum; they are taken out.
  var damaged: [RecordID] = []
  /// Numbers without an entry of which nothing was known.
  var missing: Int64 = 0
  /// True when the step reached the end of the log.
  var isOver = false
}

// The check of what nobody reads. An orderly stop says nothing of pages that lie in the file since long ago, and a
// destination does not read again what it has.
extension LogDatabase {
  /// Entries of one step. Each lies in one page, so that a step reads at most as many pages, and a few above them.
  static let rowsOfCheck = 512
  /// The position of the check costs a page of flash, so it is written with the records of every twelfth step.
  static let stepsBetweenSaves = 12

  /// Reads the next entries behind ``checked``, by checksum and number, and begins again at the end of the log.
  ///
  /// Entries that fail and numbers without an entry become gaps, with an event. Throws
  /// ``Database/DatabaseError/Kind/damaged`` where the file contradicts itself: it is to be salvaged.
  func check(rows limit: Int = rowsOfCheck) throws(DatabaseError) -> CheckReport {
    var report = CheckReport()
    var scan = EntryScan(after: checked, floor: try StateRow.load(.floor, from: connection))
    report.isOver = try !scan.read(limit, from: connection)
    if report.isOver {
      scan.pass(through: nextID - 1)
      try Self.checkGapsAndBoots(connection)
    }
    report.damaged = scan.damaged
    try takeOut(report.damaged, from: "", batch: nil)
    report.missing = try note(holes: scan.holes)
    checked = report.isOver ? 0 : scan.passed
    stepsUnsaved += 1
    return report
  }

  static func checkGapsAndBoots(_ connection: Connection) throws(DatabaseError) {
    for row in try connection.rows("SELECT first, last, crc FROM gap") where Gap(row) == nil {
      throw .damaged(path: connection.path, "the row of a gap fails its checksum")
    }
    for row in try connection.rows(BootRow.selection) where BootRow(row) == nil {
      throw .damaged(path: connection.path, "the row of a boot fails its checksum")
    }
  }

  /// Remembers what of these numbers is not in a gap yet, and says so in one event. Answers how many they are.
  private func note(holes: [Gap]) throws(DatabaseError) -> Int64 {
    let fresh = try Gap.unknown(of: holes, connection)
    guard !fresh.isEmpty else { return 0 }
    let count = fresh.reduce(0) { $0 + $1.last - $1.first + 1 }
    let names = fresh.prefix(12).map { $0.first == $0.last ? "\($0.first)" : "\($0.first)–\($0.last)" }
    try connection.transaction { () throws(DatabaseError) in
      for gap in fresh { try gap.save(to: connection) }
      _ = try insert([
        note(
          .recordsMissing,
          [
            .cause: "no_entry", .count: .integer(count),
            .records: .text(names.joined(separator: ", ") + (fresh.count > 12 ? " and others" : "")),
          ])
      ])
    }
    took(1, queued: 0)
    queuedCounts.removeAll()
    return count
  }

  /// Deals with what reading the whole log has found, as far as it is still so: entries may have been deleted or dated
  /// meanwhile. Throws ``Database/DatabaseError/Kind/damaged`` if the log is to be salvaged.
  func settle(_ findings: LogFindings) throws(DatabaseError) -> CheckReport {
    if let contradiction = findings.contradiction { throw .damaged(path: connection.path, contradiction) }
    var report = CheckReport(isOver: findings.isWhole)
    let floor = try StateRow.load(.floor, from: connection) ?? 0
    // Pages in memory may be whole where those of the file are not.
    if !findings.damaged.isEmpty { try connection.execute("PRAGMA shrink_memory") }
    for id in findings.damaged where id.rawValue > floor {
      let row = try connection.firstRow(
        "SELECT \(RecordRow.columns) FROM record WHERE id = ?", [.integer(id.rawValue)])
      if let row, case .damaged = RecordRow.read(row) { report.damaged.append(id) }
    }
    try takeOut(report.damaged, from: "", batch: nil)
    let holes = findings.holes.filter { $0.last > floor }
    report.missing = try note(holes: holes.map { Gap(first: max($0.first, floor + 1), last: $0.last) })
    return report
  }
}
