/// The reason why the body of a request is not an upload: what is wrong, and where.
public enum UploadError: Error, Equatable, Sendable {
  /// The fault of a value.
  public enum Fault: Equatable, Sendable {
    case missing
    case wrongType(expected: String)
    case outOfRange
    /// Not a word of the format's vocabulary.
    case unknownWord
    /// The key is repeated within its object.
    case duplicate
    /// The text contains U+0000, which PostgreSQL cannot store.
    case hasNUL
    /// More than `limit` bytes.
    case tooLong(limit: Int)
    /// More than `limit` members that have no column.
    case tooManyMembers(limit: Int)
    /// The record's number is outside the range `from` to `through` of its batch.
    case notInBatch
  }

  /// The bytes at `offset` are not JSON (RFC 8259, UTF-8 only).
  case notJSON(expected: String, offset: Int)
  /// Arrays and objects are nested deeper than `limit`.
  case tooDeep(limit: Int, offset: Int)
  case tooManyRows(limit: Int)
  /// The texts of all records that have no column are longer than `limit` bytes.
  case tooMuchExtra(limit: Int)
  /// The message is encrypted.
  case encrypted
  /// The outermost value is no object, or has neither `locations` nor `features`.
  case noList
  /// The value of `key` is not what the format requires. `record` is the number of its record, if known.
  case invalid(key: String, Fault, offset: Int, record: Int64?)

  /// The number of the faulty record; nil if it is unknown, or if the fault is not in a record.
  public var record: Int64? {
    switch self {
    case .invalid(_, _, _, let record): record
    case .notJSON, .tooDeep, .tooManyRows, .tooMuchExtra, .encrypted, .noList: nil
    }
  }
}

extension UploadError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notJSON(let expected, let offset): "not JSON: expected \(expected) at byte \(offset)"
    case .tooDeep(let limit, let offset): "nested deeper than \(limit) levels at byte \(offset)"
    case .tooManyRows(let limit): "more than \(limit) records in one body; send smaller batches"
    case .tooMuchExtra(let limit):
      "more than \(limit) bytes without a column in one body; send smaller batches"
    case .encrypted:
      "the message is encrypted and cannot be read; remove the encryption key in the settings of the app"
    case .noList: #"expected an object with "locations": [Feature, …], or a FeatureCollection"#
    case .invalid(let key, let fault, let offset, let record):
      (record.map { "record \($0): " } ?? "") + "\(key): \(fault) at byte \(offset)"
    }
  }
}

extension UploadError.Fault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing: "missing"
    case .wrongType(let expected): "expected \(expected)"
    case .outOfRange: "out of range"
    case .unknownWord: "unknown word"
    case .duplicate: "the key is repeated"
    case .hasNUL: "the text contains NUL"
    case .tooLong(let limit): "longer than \(limit) bytes"
    case .tooManyMembers(let limit): "more than \(limit) members without a column"
    case .notInBatch: "not within the numbers of its batch"
    }
  }
}
