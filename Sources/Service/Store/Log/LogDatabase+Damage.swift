import Database
import Records

extension LogDatabase {
  /// Removes damaged rows from the log and stores their ids as gaps, with one event.
  ///
  /// Keeps the boundaries of full batches that may be in flight: `batch` to `destination`, and the next batch of every
  /// other destination.
  func takeOut(_ ids: [RecordID], from destination: String, batch: Batch?) throws(DatabaseError) {
    guard !ids.isEmpty else { return }
    var changed = queues.cursors
    for name in queues.cursors.keys where name != destination {
      changed[name] = try withPendingEnd(changed[name], ids)
    }
    var cursor = changed[destination]
    if let batch, batch.boundary == .counted, cursor?.boundary == nil {
      cursor?.boundary = batch.through.rawValue
      cursor?.version &+= 1
    }
    changed[destination] = cursor
    var written = 0
    recordRewrite()
    try connection.transaction { () throws(DatabaseError) in
      var counted: [RecordID] = []
      for id in ids {
        let number: [ColumnValue] = [.integer(id.rawValue)]
        try connection.run("DELETE FROM record WHERE id = ?", number)
        try connection.run("DELETE FROM late WHERE id = ?", number)
        try connection.run("DELETE FROM held WHERE id = ?", number)
        // A row with a damaged id may survive the deletion; it is still counted only once.
        guard try !Gap.isKnown(id.rawValue, connection) else { continue }
        try Gap(first: id.rawValue, last: id.rawValue).save(to: connection)
        counted.append(id)
      }
      for (name, cursor) in changed where cursor != queues[name] { try cursor.save(to: connection) }
      guard !counted.isEmpty else { return }
      let names = counted.prefix(20).map { "\($0.rawValue)" }.joined(separator: ", ")
      written = 1
      _ = try insert([
        record(
          .recordsMissing,
          [
            .cause: "checksum", .records: .text(names + (counted.count > 20 ? " and others" : "")),
            .count: .integer(Int64(counted.count)),
          ])
      ])
    }
    recordAppended(written, queued: 0)
    queues.store(changed)
    queues.forgetCounts()
  }

  /// Stores the boundary of a full batch that may be in flight and contains one of these records.
  private func withPendingEnd(_ cursor: CursorRow?, _ ids: [RecordID]) throws(DatabaseError) -> CursorRow? {
    guard var cursor, cursor.boundary == nil, let last = ids.last?.rawValue, last > cursor.acknowledged else {
      return cursor
    }
    var search = BatchSearch(limit: Self.bounded(cursor.batchSize))
    guard let batch = try ordinaryBatch(cursor, &search), batch.boundary == .counted,
      let first = ids.first(where: { $0.rawValue > cursor.acknowledged }), first <= batch.through
    else { return cursor }
    cursor.boundary = batch.through.rawValue
    cursor.version &+= 1
    return cursor
  }
}

/// A run of ids whose records are lost: a row of the table `gap`.
struct Gap: Equatable {
  static let label = "gap"
  static let columnCount = 3

  var first: Int64
  var last: Int64

  init(first: Int64, last: Int64) {
    self.first = first
    self.last = last
  }

  /// Reads a row; nil if the checksum does not match, or a number is not a valid id.
  init?(_ row: [ColumnValue]) {
    guard row.count == Self.columnCount, row[2] == .integer(Checksum.of(row[..<2], label: Self.label)),
      let first = row[0].id, let last = row[1].id, first <= last, first > 0
    else { return nil }
    self.init(first: first, last: last)
  }

  func save(to connection: Connection) throws(DatabaseError) {
    let row: [ColumnValue] = [.integer(first), .integer(last)]
    try connection.run(
      "INSERT OR REPLACE INTO gap (first, last, crc) VALUES (?, ?, ?)",
      row + [.integer(Checksum.of(row, label: Self.label))])
  }

  static func isKnown(_ id: Int64, _ connection: Connection) throws(DatabaseError) -> Bool {
    try connection.firstInteger(
      "SELECT last >= ?1 FROM gap WHERE first <= ?1 ORDER BY first DESC LIMIT 1", [.integer(id)]) == 1
  }
}
