import CPostgreSQL
import Quantities

/// The rows of one statement, in binary format. Rows and columns count from 0; NULL and indices out of range are nil.
public final class QueryResult {
  private let raw: OpaquePointer

  /// Takes over the result.
  init(owning raw: OpaquePointer) { self.raw = raw }

  deinit { PQclear(raw) }

  public var rowCount: Int { Int(PQntuples(raw)) }

  public var columnCount: Int { Int(PQnfields(raw)) }

  /// The name of a column; empty for an index out of range.
  public func name(ofColumn column: Int) -> String {
    PQfname(raw, Int32(clamping: column)).map { String(cString: $0) } ?? ""
  }

  /// The number of rows that the statement inserted, updated, deleted or returned (PQcmdTuples).
  public var affectedRows: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

  /// The command that was executed, such as `COMMIT` (PQcmdStatus).
  var command: String { String(cString: PQcmdStatus(raw)) }

  /// A value of type `int2`, `int4` or `int8`.
  public func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = value(row, column) else { return nil }
    switch bytes.count {
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: return nil
    }
  }

  /// A value of type `float4` or `float8`.
  public func real(_ row: Int, _ column: Int) -> Double? {
    guard let bytes = value(row, column) else { return nil }
    switch bytes.count {
    case 4: return Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    case 8: return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    default: return nil
    }
  }

  public func bool(_ row: Int, _ column: Int) -> Bool? { value(row, column)?.first.map { $0 != 0 } }

  /// A value of type `text`, `name`, or another type whose binary format is text.
  public func text(_ row: Int, _ column: Int) -> String? {
    value(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  public func bytes(_ row: Int, _ column: Int) -> [UInt8]? { value(row, column).map { [UInt8]($0) } }

  /// A value of type `timestamptz`, in whole milliseconds.
  public func time(_ row: Int, _ column: Int) -> Timestamp? {
    integer(row, column).map(PostgresTime.timestamp)
  }

  private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    guard row >= 0, row < rowCount, column >= 0, column < columnCount else { return nil }
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(raw, row, column) == 0, let start = PQgetvalue(raw, row, column) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(raw, row, column)))
  }
}
