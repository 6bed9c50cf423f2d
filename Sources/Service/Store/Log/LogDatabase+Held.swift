import Database
import Quantities
import Records

// Records that a destination may reject and that wait for another attempt.
extension LogDatabase {
  /// Carries out a change of a held record, within the transaction of an acknowledgement.
  func save(_ change: HeldChange, of destination: String) throws(DatabaseError) {
    switch change {
    case .hold(let record), .update(let record):
      try HeldRow(
        destination: destination, record: record, boot: boot.number,
        moment: clock().nanoseconds
      ).save(to: connection)
    case .end(let id):
      try connection.run(
        "DELETE FROM held WHERE destination = ? AND id = ?", [.text(destination), .integer(id.rawValue)])
    }
  }

  /// The held records of all destinations that are not set aside, with the time since their last change.
  func held() throws(DatabaseError) -> [String: [HeldRecord]] {
    var held: [String: [HeldRecord]] = [:]
    for row in try rows(where: "set_aside = 0 ORDER BY id") {
      var record = row.record
      record.age = try age(of: row)
      held[row.destination, default: []].append(record)
    }
    return held
  }

  private func rows(where condition: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> [HeldRow]
  {
    // A damaged row costs its history, never the record.
    try connection.rows("\(HeldRow.selection) WHERE \(condition)", values).compactMap { row in
      if let whole = HeldRow(row) { return whole }
      guard row.count == HeldRow.columnCount, let name = row[0].text, let id = row[1].id else { return nil }
      return HeldRow(destination: name, record: HeldRecord(id: RecordID(id), from: nil), boot: 0, moment: 0)
    }
  }

  /// The time since the last change of a row; nil if the clocks do not tell.
  private func age(of row: HeldRow) throws(DatabaseError) -> Duration? {
    let now = clock().nanoseconds
    var elapsed = now.subtractingReportingOverflow(row.moment)
    if row.boot != boot.number {
      guard let offset = boot.offset,
        let earlier = try connection.firstInteger(
          "SELECT offset_ms FROM boot WHERE number = ?", [.integer(row.boot)])
      else { return nil }
      let shift = offset.subtractingReportingOverflow(earlier)
      let nanoseconds = shift.partialValue.multipliedReportingOverflow(by: 1_000_000)
      guard !elapsed.overflow, !shift.overflow, !nanoseconds.overflow else { return nil }
      elapsed = elapsed.partialValue.addingReportingOverflow(nanoseconds.partialValue)
    }
    guard !elapsed.overflow, elapsed.partialValue >= 0 else { return nil }
    return .nanoseconds(elapsed.partialValue)
  }

  /// A held record as a batch; nil if the log does not have it any more.
  func heldBatch(of destination: String, _ id: RecordID) throws(DatabaseError) -> Batch? {
    let row = try connection.firstRow(
      "SELECT \(RecordRow.columns) FROM record WHERE id = ?", [.integer(id.rawValue)])
    guard let row, case .record(let record, _) = RecordRow.read(row) else {
      try connection.transaction { () throws(DatabaseError) in try save(.end(id), of: destination) }
      return nil
    }
    var batch = Batch(records: [record], through: id, boundary: .stored, hasMore: false, isLate: false)
    batch.from = try rows(
      where: "destination = ? AND id = ?", [.text(destination), .integer(id.rawValue)]
    ).first?.record.from
    batch.isHeld = true
    return batch
  }

  /// Forgets what a destination holds after an id, because its queue was discarded or has these records again.
  func endHeld(of destination: String, after id: Int64) throws(DatabaseError) {
    try connection.transaction { () throws(DatabaseError) in
      try connection.run(
        "DELETE FROM held WHERE destination = ? AND id > ?", [.text(destination), .integer(id)])
    }
  }

  /// The number of records that a destination holds and has not set aside.
  func countHeld(by destination: String) throws(DatabaseError) -> Int {
    try LogQueries.held(connection, by: destination)
  }

  /// The first record that a destination whose queue is kept holds or has set aside; nil without one.
  func firstHeld() throws(DatabaseError) -> Int64? {
    var first: Int64?
    for name in queues.kept {
      let id = try connection.firstID("SELECT min(id) FROM held WHERE destination = ?", [.text(name)])
      if let id { first = min(first ?? id, id) }
    }
    return first
  }

  /// The number of records up to an id that such a destination holds, and that count as delivered otherwise.
  func countHeld(through end: Int64, acknowledged: Int64) throws(DatabaseError) -> Int64 {
    var ids: Set<Int64> = []
    for row in try rows(
      where: "set_aside = 0 AND id <= ? AND id <= ?", [.integer(end), .integer(acknowledged)])
    where queues.kept.contains(row.destination) {
      ids.insert(row.record.id.rawValue)
    }
    return Int64(ids.count)
  }

  /// The records that were set aside, are older than `cutoff` and such destinations get once more, at most 16 each.
  func lastChances(before cutoff: Timestamp) throws(DatabaseError) -> [String: [HeldRecord]] {
    var chances: [String: [HeldRecord]] = [:]
    let old = "set_aside = 1 AND id IN (SELECT id FROM record WHERE time_ms < ?) ORDER BY id"
    for row in try rows(where: old, [.integer(cutoff.milliseconds)])
    where queues.kept.contains(row.destination) && chances[row.destination]?.count ?? 0 < 16 {
      chances[row.destination, default: []].append(row.record)
    }
    return chances
  }
}
