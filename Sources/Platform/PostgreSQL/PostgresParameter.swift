import Quantities

/// A parameter of a statement, sent in binary format. The statement casts it (`$1::bigint`), so that its type is certain.
public enum PostgresParameter {
  case null
  case bool(Bool)
  case int2(Int16)
  case int4(Int32)
  case int8(Int64)
  /// Without NUL.
  case text(String)
  /// A valid JSON text for `jsonb`.
  case json(String)
  case bytes([UInt8])
  case time(Timestamp)
  case uuid(high: UInt64, low: UInt64)
  case array(ArrayColumn)

  /// The first byte of a `jsonb` in binary format.
  static let jsonbVersion: UInt8 = 1

  /// A `text`, or NULL for nil.
  public static func optional(_ value: String?) -> PostgresParameter { value.map { .text($0) } ?? .null }
  /// An `int4`, or NULL for nil.
  public static func optional(_ value: Int32?) -> PostgresParameter { value.map { .int4($0) } ?? .null }
  /// A `bytea`, or NULL for nil.
  public static func optional(_ value: [UInt8]?) -> PostgresParameter { value.map { .bytes($0) } ?? .null }

  /// Appends the bytes of a scalar; an array has its own.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .null, .array: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int2(let value): Self.append(value, to: &bytes)
    case .int4(let value): Self.append(value, to: &bytes)
    case .int8(let value): Self.append(value, to: &bytes)
    case .text(let value): bytes.append(contentsOf: value.utf8)
    case .json(let value):
      bytes.append(Self.jsonbVersion)
      bytes.append(contentsOf: value.utf8)
    case .bytes(let value): bytes.append(contentsOf: value)
    case .time(let value): Self.append(PostgresTime.microseconds(value), to: &bytes)
    case .uuid(let high, let low):
      Self.append(high, to: &bytes)
      Self.append(low, to: &bytes)
    }
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Times of PostgreSQL: microseconds since 2000-01-01T00:00:00Z.
enum PostgresTime {
  private static let epoch: Int64 = 946_684_800_000

  static func microseconds(_ time: Timestamp) -> Int64 { (time.milliseconds &- epoch) &* 1000 }

  /// Rounded down to milliseconds.
  static func timestamp(_ microseconds: Int64) -> Timestamp {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return Timestamp(milliseconds: quotient &+ epoch &- (remainder < 0 ? 1 : 0))
  }
}
