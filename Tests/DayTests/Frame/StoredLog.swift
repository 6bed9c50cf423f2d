import Database
import Records

/// The content of a log on disk.
struct StoredLog {
  /// Times of the locations in ms, in the order of the log.
  var times: [Int64] {
    get throws {
      try connection.rows("SELECT time_ms FROM record WHERE kind = 0 AND time_ms NOT NULL ORDER BY id")
        .compactMap { $0[0].integer }
    }
  }
  /// Entries without a time.
  let undated: Int
  let records: Int
  private let connection: Connection

  init(database: String) throws {
    connection = try Connection(path: database)
    undated = Int(try connection.firstInteger("SELECT count(*) FROM record WHERE time_ms IS NULL") ?? 0)
    records = Int(try connection.firstInteger("SELECT count(*) FROM record") ?? 0)
  }

  func events(_ kind: EventKind) throws -> [Int64?] {
    try connection.rows("SELECT value FROM event WHERE kind = '\(kind.rawValue)' ORDER BY id").map {
      $0[0].integer
    }
  }

  var isSound: Bool { (try? connection.findDamage()) == .some(.none) }
}
