import CSQLite

/// A compiled statement. Parameters and columns count from 0.
///
/// It is used on the thread of its connection. A statement that was stepped holds a read snapshot until it is reset or
/// has reached its end.
public final class Statement {
  private let statement: OpaquePointer
  private let parameterCount: Int
  private let path: String

  init(_ sql: String, database: OpaquePointer, path: String) throws(DatabaseError) {
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard code == SQLITE_OK, let compiled else {
      throw DatabaseError(
        code: code == SQLITE_OK ? SQLITE_MISUSE : code, path: path,
        message: code == SQLITE_OK ? "empty statement" : String(cString: sqlite3_errmsg(database)))
    }
    statement = compiled
    parameterCount = Int(sqlite3_bind_parameter_count(compiled))
    self.path = path
  }

  deinit { sqlite3_finalize(statement) }

  /// Resets the statement and sets its parameters in order; missing values are null.
  public func bind(_ values: [ColumnValue]) throws(DatabaseError) {
    sqlite3_reset(statement)
    // Clearing is unnecessary if all parameters are set again.
    if values.count < parameterCount { sqlite3_clear_bindings(statement) }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index)) }
  }

  private func bind(_ value: ColumnValue, at index: Int32) throws(DatabaseError) {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(statement, index + 1)
    case .integer(let value): code = sqlite3_bind_int64(statement, index + 1, value)
    case .real(let value): code = sqlite3_bind_double(statement, index + 1, value)
    case .text(var value):
      code = value.withUTF8 { bytes in
        // A null pointer would bind NULL.
        bytes.withMemoryRebound(to: CChar.self) { characters in
          characters.baseAddress.map {
            outrider_sqlite3_bind_text(statement, index + 1, $0, Int32(clamping: characters.count))
          } ?? outrider_sqlite3_bind_text(statement, index + 1, "", 0)
        }
      }
    case .blob(let value):
      code =
        value.isEmpty
        ? sqlite3_bind_zeroblob(statement, index + 1, 0)
        : outrider_sqlite3_bind_blob(statement, index + 1, value, Int32(clamping: value.count))
    }
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Advances to the next row; false at the end, where the statement is reset.
  public func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let error = error(code)
      sqlite3_reset(statement)
      throw error
    }
    sqlite3_reset(statement)
    return false
  }

  /// Binds the values and runs the statement to its end, ignoring rows.
  public func run(_ values: [ColumnValue] = []) throws(DatabaseError) {
    try bind(values)
    while try step() {}
  }

  /// Releases the current row and its read snapshot.
  public func reset() { sqlite3_reset(statement) }

  // MARK: The current row

  public var columnCount: Int { Int(sqlite3_column_count(statement)) }

  /// All columns of the current row.
  public var values: [ColumnValue] { (0..<columnCount).map { self[$0] } }

  /// One column of the current row; null for an index out of range.
  public subscript(column: Int) -> ColumnValue {
    let column = Int32(clamping: column)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      guard let bytes = sqlite3_column_text(statement, column) else { return .text("") }
      let count = Int(sqlite3_column_bytes(statement, column))
      return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(statement, column) else { return .blob([]) }
      let count = Int(sqlite3_column_bytes(statement, column))
      return .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }

  private func error(_ code: Int32) -> DatabaseError {
    let database = sqlite3_db_handle(statement)
    return DatabaseError(
      code: sqlite3_extended_errcode(database) == SQLITE_OK ? code : sqlite3_extended_errcode(database),
      path: path, message: String(cString: sqlite3_errmsg(database)))
  }
}
