import Database

/// A number that belongs to the log as a whole: a row of the table `state`.
enum StateRow {
  static let label = "state"
  static let columnCount = 3

  /// The keys; the raw values are stored.
  enum Key: String {
    /// 1 while a logger has the log open.
    case open
    /// The highest id that retention has deleted; 0 if the log still has its first record.
    case floor
    /// The last id that the background check has passed; 0 before a pass.
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

  /// The number; nil if there is none. Throws ``DatabaseError/Kind/damaged`` if the checksum does not match.
  static func load(_ key: Key, from connection: Connection) throws(DatabaseError) -> Int64? {
    guard
      let row = try connection.firstRow(
        "SELECT key, value, crc FROM state WHERE key = ?", [.text(key.rawValue)])
    else { return nil }
    guard let (_, value) = read(row) else {
      throw .damaged(path: connection.path, "the row \(key.rawValue) of the table state fails its checksum")
    }
    return value
  }

  /// Reads a row; nil if the checksum does not match, the key is unknown, or the number is not a valid id.
  static func read(_ row: [ColumnValue]) -> (Key, Int64)? {
    guard row.count == columnCount, row[2] == .integer(Checksum.of(row[..<2], label: label)),
      let key = row[0].text.flatMap(Key.init(rawValue:)), let value = row[1].id
    else { return nil }
    return (key, value)
  }
}
