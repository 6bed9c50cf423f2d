import CSQLite
import Glibc

/// One connection to one SQLite file, used by one thread.
public final class Connection {
  public enum Access: Sendable {
    /// Creates the file when there is none.
    case readWrite
    /// Never writes to the file; follows a writer in another process.
    case readOnly
    /// The file does not change while it is open: no locks, no write-ahead log, works on read-only media.
    case immutable
  }

  public let path: String
  private let database: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens the file (sqlite3_open_v2). SQLite reads it only when the first statement runs, and that may throw
  /// ``DatabaseError/Kind/damaged``.
  public init(path: String, access: Access = .readWrite, busyTimeout: Duration = .milliseconds(500))
    throws(DatabaseError)
  {
    let flags: Int32
    var name = path
    switch access {
    case .readWrite: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: flags = SQLITE_OPEN_READONLY
    case .immutable:
      flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:\(Self.percentEncoded(path))?immutable=1"
    }
    // SQLite would wait for the other end of a pipe.
    var facts = stat()
    guard stat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG else {
      throw DatabaseError(code: SQLITE_CANTOPEN, path: path, message: "not a file")
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else {
      throw DatabaseError(code: SQLITE_NOMEM, path: path, message: "no memory for a connection")
    }
    guard code == SQLITE_OK else {
      defer { sqlite3_close_v2(opened) }
      throw DatabaseError(
        code: sqlite3_extended_errcode(opened), path: path, message: String(cString: sqlite3_errmsg(opened)))
    }
    self.path = path
    database = opened
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(
      opened,
      Int32(
        clamping: busyTimeout.components.seconds * 1000
          + busyTimeout.components.attoseconds / 1_000_000_000_000_000))
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(database)
  }

  /// From now on closing leaves the write-ahead log as it is, so that a damaged file can be examined.
  public func keepLogOnClose() { _ = outrider_sqlite3_keep_wal_on_close(database) }

  /// A compiled statement, kept for the next use of the same text. A caller that leaves it before its end resets it.
  public func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] { return known }
    let statement = try Statement(sql, database: database, path: path)
    statements[sql] = statement
    return statement
  }

  /// Runs one or more statements without parameters.
  public func execute(_ sql: String) throws(DatabaseError) {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw lastError }
  }

  /// Runs one statement.
  public func run(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) {
    try statement(sql).run(values)
  }

  /// The first row of the answer; nil when there is none.
  public func firstRow(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> [ColumnValue]? {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.values : nil
  }

  /// The first column of the first row, when it is a whole number.
  public func firstInteger(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> Int64? {
    try firstRow(sql, values)?.first?.integer
  }

  /// All rows of an answer that is known to be short.
  public func rows(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> [[ColumnValue]] {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    var rows: [[ColumnValue]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// Rows that the last statement inserted, changed or deleted (sqlite3_changes64).
  public var changes: Int64 { sqlite3_changes64(database) }

  /// Does `body` in one write transaction: all of it is committed, or none when it throws.
  public func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // A full disk or a failing medium may have rolled back already (sqlite3_get_autocommit).
      if sqlite3_get_autocommit(database) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// What `PRAGMA quick_check` finds first; nil for a sound file. Reads the whole file.
  public func findDamage() throws(DatabaseError) -> String? {
    let answer = try firstRow("PRAGMA quick_check(1)")?.first?.text
    return answer == "ok" ? nil : answer ?? "quick_check says nothing"
  }

  private var lastError: DatabaseError {
    DatabaseError(
      code: sqlite3_extended_errcode(database), path: path, message: String(cString: sqlite3_errmsg(database))
    )
  }

  /// The characters that mean something in a URI file name (sqlite.org/uri.html).
  private static func percentEncoded(_ path: String) -> String {
    var encoded = ""
    for character in path {
      switch character {
      case "%": encoded += "%25"
      case "?": encoded += "%3f"
      case "#": encoded += "%23"
      default: encoded.append(character)
      }
    }
    return encoded
  }
}
