/// Why a body cannot be taken: what was expected, and where.
enum BodyError: Error, Equatable, CustomStringConvertible {
  /// The bytes from `offset` on are not what JSON (RFC 8259) has there.
  case notJSON(expected: String, offset: Int)
  /// The byte at `offset` is not UTF-8.
  case notText(offset: Int)
  /// Arrays and objects nested deeper than `limit`.
  case tooDeep(limit: Int, offset: Int)
  /// The outermost value is not an object, or has neither list.
  case noList
  /// `key` holds something else than an array.
  case notAList(key: String)
  /// An element that is no object.
  case notAFeature(key: String, index: Int)
  case tooManyFeatures(limit: Int)

  var description: String {
    switch self {
    case .notJSON(let expected, let offset): "not JSON: expected \(expected) at byte \(offset)"
    case .notText(let offset): "not JSON: expected UTF-8 at byte \(offset)"
    case .tooDeep(let limit, let offset): "nested deeper than \(limit) levels at byte \(offset)"
    case .noList: #"expected an object with "locations": [Feature, …], or a FeatureCollection"#
    case .notAList(let key): #"expected an array of Features in "\#(key)""#
    case .notAFeature(let key, let index): "expected a Feature object in \(key)[\(index)]"
    case .tooManyFeatures(let limit): "more than \(limit) Features in one body: send smaller batches"
    }
  }
}
