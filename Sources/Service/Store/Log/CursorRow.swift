import Database
import Records

/// The position of a destination in the log: a row of the table `cursor`.
///
/// A destination has two queues, both in the order of the ids: the ordinary one, and the one of late records, which
/// were dated after they had been written.
struct CursorRow: Equatable {
  static let label = "cursor"
  static let columnCount = 8

  let destination: String
  /// Version of the row. It increases with every change, so that a salvage finds the newest copy.
  var version: Int64 = 0
  var acknowledged: Int64 = 0
  /// Batch boundary: the last id of a batch that may have been sent and is not acknowledged.
  var boundary: Int64?
  var lateAcknowledged: Int64 = 0
  var lateBoundary: Int64?
  var batchSize: Int

  init(destination: String, batchSize: Int) {
    self.destination = destination
    self.batchSize = batchSize
  }

  /// Reads a row; nil if the checksum does not match, or a number is not a valid id.
  init?(_ row: [ColumnValue]) {
    guard row.count == Self.columnCount,
      row[7] == .integer(Checksum.of(row[..<7], label: Self.label)),
      let destination = row[0].text, let version = row[1].integer, let acknowledged = row[2].id,
      row[3].isOptionalID, let lateAcknowledged = row[4].id, row[5].isOptionalID,
      let batchSize = row[6].integer.flatMap(Int.init(exactly:))
    else { return nil }
    self.destination = destination
    self.version = version
    self.acknowledged = acknowledged
    boundary = row[3].integer
    self.lateAcknowledged = lateAcknowledged
    lateBoundary = row[5].integer
    self.batchSize = batchSize
  }

  /// Resets ids that no logger can have reached to `last`, after which everything is sent again.
  mutating func keepBelow(_ limit: Int64, last: Int64) {
    if acknowledged >= limit { acknowledged = last }
    if lateAcknowledged >= limit { lateAcknowledged = last }
    if let end = boundary, end >= limit { boundary = nil }
    if let end = lateBoundary, end >= limit { lateBoundary = nil }
  }

  static let selection = """
    SELECT destination, version, acknowledged, border, late_acknowledged, late_border, batch_size, crc FROM cursor
    """

  /// All cursors. Throws ``Database/DatabaseError/Kind/damaged`` if a checksum does not match.
  static func loadAll(from connection: Connection) throws(DatabaseError) -> [CursorRow] {
    var cursors: [CursorRow] = []
    for row in try connection.rows(selection) {
      guard let cursor = CursorRow(row) else {
        throw .damaged(path: connection.path, "the cursor of \(row[0].text ?? "?") fails its checksum")
      }
      cursors.append(cursor)
    }
    return cursors
  }

  /// Writes the row, new or changed.
  func save(to connection: Connection) throws(DatabaseError) {
    var row: [ColumnValue] = [
      .text(destination), .integer(version), .integer(acknowledged), .optional(boundary),
      .integer(lateAcknowledged), .optional(lateBoundary), .integer(Int64(batchSize)),
    ]
    row.append(.integer(Checksum.of(row, label: Self.label)))
    // An update in place does not touch the index of the names: it writes one page instead of two.
    try connection.run(
      """
      INSERT INTO cursor
        (destination, version, acknowledged, border, late_acknowledged, late_border, batch_size, crc)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (destination) DO UPDATE SET version = ?2, acknowledged = ?3, border = ?4,
        late_acknowledged = ?5, late_border = ?6, batch_size = ?7, crc = ?8
      """, row)
  }
}
