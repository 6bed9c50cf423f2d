import Database
import Records

extension Connection {
  /// The id that the first row answers; nil without one. Throws ``Database/DatabaseError/Kind/damaged`` for a number
  /// that no log gives: arithmetic on it could overflow.
  func firstID(_ sql: String, _ values: [ColumnValue] = []) throws(DatabaseError) -> Int64? {
    guard let column = try firstRow(sql, values)?.first, column != .null else { return nil }
    guard let id = column.id else {
      throw .damaged(
        path: path,
        "the id \(column.integer.map { "\($0)" } ?? "of a row") is none that a log gives, 1 to \(RecordID.highest.rawValue)"
      )
    }
    return id
  }
}
