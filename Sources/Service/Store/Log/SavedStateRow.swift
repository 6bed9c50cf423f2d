import Database

/// The key of a text that the logger saves for its next start; the raw values are stored.
public enum SavedStateKey: String, Sendable, CaseIterable {
  /// The receiver that was found on the serial line.
  case receiver
  /// The state of the tracker, such as the current trip and visit.
  case tracker
  /// The ledger of consumed charge.
  case energy
  /// The host's last suspend or shutdown.
  case host
  /// The alarms that started the host.
  case alarms
  /// The rests of the send intervals before a sleep of the host.
  case sends
  /// What was written in the last week.
  case writes
  /// The version, the boot and the end of the run.
  case run
  /// The UUID of the log.
  case logID = "log_id"
  /// The identity of the installation and its host.
  case installation
  /// The notifications that are held back.
  case notifications
  /// The questions of servers, with the answers that they do not have.
  case questions
  /// The positions that brokers keep for later subscribers.
  case retained
}

/// A text saved for the next start: a row of the table `note`. A damaged one is ignored.
enum SavedStateRow {
  static let label = "note"
  /// Limit in bytes of UTF-8; longer texts are not saved.
  static let longestText = 10_000

  static func save(_ key: SavedStateKey, _ text: String, to connection: Connection) throws(DatabaseError) {
    guard text.utf8.count <= longestText else { return }
    let row: [ColumnValue] = [.text(key.rawValue), .text(text)]
    try connection.run(
      """
      INSERT INTO note (key, text, crc) VALUES (?1, ?2, ?3)
      ON CONFLICT (key) DO UPDATE SET text = ?2, crc = ?3
      """, row + [.integer(Checksum.of(row, label: label))])
  }

  /// All intact texts.
  static func load(from connection: Connection) throws(DatabaseError) -> [SavedStateKey: String] {
    var savedStates: [SavedStateKey: String] = [:]
    for row in try connection.rows("SELECT key, text, crc FROM note") {
      guard row.count == 3, row[2] == .integer(Checksum.of(row[..<2], label: label)),
        let key = row[0].text.flatMap(SavedStateKey.init(rawValue:)), let text = row[1].text
      else { continue }
      savedStates[key] = text
    }
    return savedStates
  }

  /// The keys of the texts that fail their checksum.
  static func damagedKeys(in connection: Connection) throws(DatabaseError) -> [String] {
    try connection.rows("SELECT key, text, crc FROM note").compactMap { row in
      row.count == 3 && row[2] == .integer(Checksum.of(row[..<2], label: label))
        ? nil : row.first?.text ?? "?"
    }
  }
}

extension LogDatabase {
  /// Saves a text for the next start, durably. Ignores texts longer than ``SavedStateRow/longestText``.
  public func keep(_ text: String, as key: SavedStateKey) throws(DatabaseError) {
    try connection.transaction { () throws(DatabaseError) in try SavedStateRow.save(key, text, to: connection)
    }
  }
}
