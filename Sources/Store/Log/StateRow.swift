import Database

/// Single numbers about the log: rows of the table `state`.
enum StateRow {
  static let label = "state"
  static let columnCount = 3

  enum Key: String {
    /// 1 while a logger has the log open.
    case open
    /// The highest id that retention has deleted; 0 says that the log begins with the first record.
    case floor
    /// The last id that the check of what nobody reads has passed; 0 before a pass.
    case checked
  }

  static func save(_ key: Key, _ value: Int64, to connection: Connection) throws(DatabaseError) {
    let row: [ColumnValue] = [.text(key.rawValue), .integer(value)]
    try connection.run(
      """
      INSERT INTO state (key, value, crc) VALUES (?1, ?2, ?3)
      ON CONFLICT (key) DO UPDATE SET value = ?2, crc = ?3
      """, row + [.integer(Checksum.of(row, label: label))])
  }

  /// The number; nil while there is none. Throws ``DatabaseError/Kind/damaged`` when the checksum does not fit.
  static func load(_ key: Key, from connection: Connection) throws(DatabaseError) -> Int64? {
    guard
      let row = try connection.firstRow(
        "SELECT key, value, crc FROM state WHERE key = ?", [.text(key.rawValue)])
    else { return nil }
    guard let (_, value) = read(row) else {
      throw .damaged(path: connection.path, "the row \(key.rawValue) of state fails its checksum")
    }
    return value
  }

  /// Nil when the checksum does not fit, the key is not known, or for a number that is no id.
  static func read(_ row: [ColumnValue]) -> (Key, Int64)? {
    guard row.count == columnCount, row[2] == .integer(Checksum.of(row[..<2], label: label)),
      let key = row[0].text.flatMap(Key.init(rawValue:)), let value = row[1].id
    else { return nil }
    return (key, value)
  }
}
