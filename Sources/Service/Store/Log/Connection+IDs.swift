import Database
import Records

extension Connection {
  /// The record id in the first row of the result; nil if there is none.
  ///
  /// Throws ``Database/DatabaseError/Kind/damaged`` for a number that is out of range, because arithmetic on it could
  /// overflow.
  func firstID(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> Int64? {
    guard let column = try firstRow(sql, values)?.first, column != .null else { return nil }
    guard let id = column.id else {
      throw .damaged(
        path: path,
        "the record id \(column.integer.map { "\($0)" } ?? "of a row") is out of range, 1 to \(RecordID.highest.rawValue)"
      )
    }
    return id
  }
}
