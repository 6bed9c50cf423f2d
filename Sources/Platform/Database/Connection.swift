import CSQLite
import Glibc

/// A connection to an SQLite file, used by one thread.
public final class Connection {
  /// The mode in which the file is opened.
  public enum Access: Sendable {
    /// Reads and writes; creates the file if it does not exist. Users other than owner and group cannot read it.
    case readWrite
    /// Reads only; sees the commits of a writer in another process.
    case readOnly
    /// Reads only, from a file that does not change: no locks, no write-ahead log, works on read-only media.
    case immutable
  }

  public let path: String
  private let database: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// What a statement may still cost; nil without a limit.
  private var budget: StepBudget?

  /// Opens the file (sqlite3_open_v2). SQLite reads it only with the first statement, which may throw
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
    // Opening a pipe would block until its other end is open.
    var facts = stat()
    guard stat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG else {
      throw DatabaseError(code: SQLITE_CANTOPEN, path: path, message: "not a regular file")
    }
    if access == .readWrite { DatabaseFileMode.apply(to: path) }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else {
      throw DatabaseError(code: SQLITE_NOMEM, path: path, message: "out of memory")
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
    sqlite3_progress_handler(database, 0, nil, nil)
    statements.removeAll()
    sqlite3_close_v2(database)
  }

  /// Limits each statement, for a file of unknown origin whose views may have no end: the length of a value in bytes
  /// (sqlite3_limit), and the instructions of SQLite's virtual machine (sqlite3_progress_handler), of which a slow processor
  /// executes some ten thousand in a millisecond. A statement that exceeds them throws.
  public func limit(length: Int32, instructions: Int) {
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, length)
    let budget = StepBudget(instructions)
    self.budget = budget
    sqlite3_progress_handler(
      database, StepBudget.grain,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StepBudget>.fromOpaque(context).takeUnretainedValue().spend() ? 0 : 1
      }, Unmanaged.passUnretained(budget).toOpaque())
  }

  /// Keeps the write-ahead log when the connection closes, so that a damaged file can be examined.
  public func keepLogOnClose() { _ = outrider_sqlite3_keep_wal_on_close(database) }

  /// A compiled statement, cached by its text. A caller that does not step it to its end has to reset it.
  public func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] { return known }
    let statement = try Statement(sql, database: database, path: path)
    statements[sql] = statement
    return statement
  }

  /// Runs one or more statements without parameters.
  public func execute(_ sql: String) throws(DatabaseError) {
    budget?.refill()
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw lastError }
  }

  /// Runs one statement.
  public func run(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) {
    try statement(sql).run(values)
  }

  /// The first row of the result; nil if there is none.
  public func firstRow(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> [ColumnValue]? {
    budget?.refill()
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.values : nil
  }

  /// The first column of the first row; nil if it is not an integer.
  public func firstInteger(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> Int64? {
    try firstRow(sql, values)?.first?.integer
  }

  /// All rows of a short result.
  public func rows(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> [[ColumnValue]] {
    budget?.refill()
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    var rows: [[ColumnValue]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// The number of rows that the last statement inserted, changed or deleted (sqlite3_changes64).
  public var changes: Int64 { sqlite3_changes64(database) }

  /// Runs `body` in one write transaction, which is rolled back if `body` throws.
  public func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // After a full disk or an I/O error SQLite may have rolled back already (sqlite3_get_autocommit).
      if sqlite3_get_autocommit(database) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// The first finding of `PRAGMA quick_check`; nil for an intact file. Reads the whole file.
  public func findDamage() throws(DatabaseError) -> String? {
    let answer = try firstRow("PRAGMA quick_check(1)")?.first?.text
    return answer == "ok" ? nil : answer ?? "quick_check returned no result"
  }

  private var lastError: DatabaseError {
    DatabaseError(
      code: sqlite3_extended_errcode(database), path: path, message: String(cString: sqlite3_errmsg(database))
    )
  }

  /// The path with the special characters of a URI file name escaped (sqlite.org/uri.html).
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

/// The instructions that a statement may still execute, in units of ``grain``.
private final class StepBudget {
  static let grain: Int32 = 1000
  private let whole: Int
  private var rest: Int

  init(_ instructions: Int) {
    whole = max(instructions / Int(Self.grain), 1)
    rest = whole
  }

  func refill() { rest = whole }

  /// Takes one unit; false if none is left.
  func spend() -> Bool {
    rest -= 1
    return rest > 0
  }
}
