import Database
import Quantities
import Records

extension LogDatabase {
  /// Dates all undated records of the current boot in one transaction, and every later record when it is written.
  ///
  /// `offset` is UTC minus boot clock in ms. Records that are already in the log become late records, so that no batch
  /// boundary changes. Returns how many of them can be sent: events are dated, but not counted.
  ///
  /// A later call is a correction by the receiver. It applies to later records, in this and the next processes of the
  /// boot, and returns 0, because dated records keep their date.
  public func date(offset: Int64, quality: ClockQuality) throws(DatabaseError) -> Int {
    var dated = boot
    dated.offset = offset
    dated.quality = quality
    guard boot.offset == nil else {
      guard dated != boot else { return 0 }
      try connection.transaction { () throws(DatabaseError) in try dated.save(to: connection) }
      store(dated)
      return 0
    }
    recordRewrite()
    let count = try connection.transaction { () throws(DatabaseError) -> Int in
      try dated.save(to: connection)
      var count = 0
      var passed = dated.firstID - 1
      while true {
        let rows = try connection.rows(
          """
          SELECT \(RecordRow.columns) FROM record WHERE id > ? AND time_ms IS NULL AND boot = ?
          ORDER BY id LIMIT 500
          """, [.integer(passed), .integer(dated.number)])
        guard let last = rows.last?.first?.integer else { return count }
        for row in rows where RecordRow.isWhole(row) {
          if try writeDate(of: row, dated) { count += 1 }
        }
        passed = last
      }
    }
    store(dated)
    return count
  }

  /// Dates one row. Returns true if the record can now be sent.
  private func writeDate(of row: [ColumnValue], _ boot: BootRow) throws(DatabaseError) -> Bool {
    guard let id = row[0].integer, let moment = row[3].integer,
      let time = boot.time(of: Moment(nanoseconds: moment))
    else { return false }
    var row = withDatedBody(row, boot)
    row[4] = .integer(time.milliseconds)
    row[5] = .integer(Int64(boot.quality.rawValue))
    row[6] = .integer(1)
    row[RecordRow.Column.checksum] = RecordRow.checksum(of: row)
    row[RecordRow.Column.extraChecksum] = RecordRow.extraChecksum(of: row)
    try connection.run(
      """
      UPDATE record SET time_ms = ?, time_quality = ?, late = 1, detail = ?, crc = ?, trip_ms = ?, extra_crc = ?
      WHERE id = ?
      """,
      [
        row[4], row[5], row[25], row[RecordRow.Column.checksum], row[RecordRow.Column.trip],
        row[RecordRow.Column.extraChecksum], .integer(id),
      ])
    // Events, too: a destination that takes them may be added later.
    try connection.run("INSERT OR IGNORE INTO late (id) VALUES (?)", [.integer(id)])
    return !RecordRow.isEvent(row)
  }

  /// The row with the other instants of its body dated: visits, trips and locations of a trip refer to some.
  private func withDatedBody(_ row: [ColumnValue], _ boot: BootRow) -> [ColumnValue] {
    guard let offset = boot.offset, case .record(let stored, _) = RecordRow.read(row),
      stored.record.hasUndatedInstants
    else { return row }
    var dated = stored
    dated.record = stored.record.dated(offsetMilliseconds: offset, quality: boot.quality)
    return RecordRow.columns(of: dated, isLate: true)
  }
}
