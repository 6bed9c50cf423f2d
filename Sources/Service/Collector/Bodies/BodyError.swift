/// A reason for which a body is rejected: what was expected, and at which byte.
enum BodyError: Error, Equatable, CustomStringConvertible {
  /// The bytes at `offset` are not valid JSON (RFC 8259).
  case notJSON(expected: String, offset: Int)
  /// The byte at `offset` is not UTF-8.
  case notText(offset: Int)
  /// Arrays and objects are nested deeper than `limit`.
  case tooDeep(limit: Int, offset: Int)
  /// The outermost value is not an object, or contains neither list.
  case noList
  /// The value of `key` is not an array.
  case notAList(key: String)
  case tooManyFeatures(limit: Int)

  var description: String {
    switch self {
    case .notJSON(let expected, let offset): "not JSON: expected \(expected) at byte \(offset)"
    case .notText(let offset): "not JSON: expected UTF-8 at byte \(offset)"
    case .tooDeep(let limit, let offset): "nested deeper than \(limit) levels at byte \(offset)"
    case .noList: #"expected an object with "locations": [Feature, …], or a FeatureCollection"#
    case .notAList(let key): #"expected an array of Features in "\#(key)""#
    case .tooManyFeatures(let limit): "more than \(limit) Features in one body; send smaller batches"
    }
  }
}
