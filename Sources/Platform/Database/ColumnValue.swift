/// A value of one of SQLite's five storage classes.
public enum ColumnValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// An integer, or null for nil.
  @inlinable public static func optional(_ value: (some BinaryInteger)?) -> ColumnValue {
    value.map { .integer(Int64(clamping: $0)) } ?? .null
  }

  /// The integer; nil for null and every other class.
  public var integer: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The text; nil for null and every other class.
  public var text: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }
}
