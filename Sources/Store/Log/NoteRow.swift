import Database

/// What the logger has found out and wants to know at its next start; the raw values are stored.
public enum NoteKey: String, Sendable, CaseIterable {
  /// The receiver at the line, in the words of whoever found it.
  case receiver
  /// The running trip, the visit and what else the tracker goes on with, in its own words.
  case tracker
  /// What the parts of the box drew, in the words of its ledger.
  case energy
  /// That the host was put down, in the words of who did it.
  case host
  /// How the program ended, in the words of who ran it.
  case run
}

/// Short texts beside the records: rows of the table `note`. They are a convenience: one that is damaged is not there.
enum NoteRow {
  static let label = "note"
  /// Bytes of UTF-8; longer texts are not kept.
  static let longestText = 2000

  static func save(_ key: NoteKey, _ text: String, to connection: Connection) throws(DatabaseError) {
    guard text.utf8.count <= longestText else { return }
    let row: [ColumnValue] = [.text(key.rawValue), .text(text)]
    try connection.run(
      """
      INSERT INTO note (key, text, crc) VALUES (?1, ?2, ?3)
      ON CONFLICT (key) DO UPDATE SET text = ?2, crc = ?3
      """, row + [.integer(Checksum.of(row, label: label))])
  }

  /// All whole ones.
  static func load(from connection: Connection) throws(DatabaseError) -> [NoteKey: String] {
    var notes: [NoteKey: String] = [:]
    for row in try connection.rows("SELECT key, text, crc FROM note") {
      guard row.count == 3, row[2] == .integer(Checksum.of(row[..<2], label: label)),
        let key = row[0].text.flatMap(NoteKey.init(rawValue:)), let text = row[1].text
      else { continue }
      notes[key] = text
    }
    return notes
  }

  /// The keys of those that fail their checksum.
  static func damagedKeys(in connection: Connection) throws(DatabaseError) -> [String] {
    try connection.rows("SELECT key, text, crc FROM note").compactMap { row in
      row.count == 3 && row[2] == .integer(Checksum.of(row[..<2], label: label))
        ? nil : row.first?.text ?? "?"
    }
  }
}

extension LogDatabase {
  /// Keeps a text for the next start, durably; texts above ``NoteRow/longestText`` are left out.
  public func keep(_ text: String, as key: NoteKey) throws(DatabaseError) {
    try connection.transaction { () throws(DatabaseError) in try NoteRow.save(key, text, to: connection) }
  }
}
