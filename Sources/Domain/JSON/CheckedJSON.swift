import FoundationEssentials

/// A JSON text that was validated before a decoder reads it: RFC 8259 in UTF-8, of bounded depth and size.
///
/// All use of Foundation's decoder passes through this type. `JSONDecoder` of Swift 6.0 traps on keys that it cannot
/// read, guesses another encoding from the first bytes, and does not check numbers that are not decoded. A validated text
/// decodes or throws on every toolchain. UTF-16 and UTF-32 are rejected at the first byte that is not JSON in UTF-8.
public struct CheckedJSON: Sendable {
  /// The limits of a text.
  public struct Limits: Equatable, Sendable {
    /// Limit of the levels of nested arrays and objects. Overland's bodies have six.
    public var depth: Int
    /// Number of values, nested ones included.
    public var values: Int

    public init(depth: Int = 64, values: Int = .max) { (self.depth, self.values) = (depth, values) }
  }

  private let text: Data

  /// Validates a text. A leading UTF-8 byte order mark is ignored.
  public init(_ bytes: some Sequence<UInt8>, limits: Limits = Limits()) throws(JSONFault) {
    let bytes = Array(bytes)
    var scanner = JSONScanner(bytes, limits: limits, repair: nil)
    try scanner.scan()
    text = Data(bytes[scanner.start...])
  }

  private init(repaired: [UInt8]) { text = Data(repaired) }

  /// Decodes a value; throws `DecodingError` if the text does not match the type.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: text)
  }

  /// A damaged key or value in a text that is otherwise valid.
  public struct Damage: Equatable, Sendable {
    /// The key of an object, or the index in an array.
    public enum Step: Equatable, Sendable {
      case key(String)
      case index(Int)
    }

    /// The path to it; bytes of a key that are not UTF-8 appear as U+FFFD.
    public var path: [Step]
    /// True if the key is damaged, not its value.
    public var isKey: Bool
    public var fault: JSONFault
  }

  /// Reads a text in which strings, numbers and literals may be damaged, but not brackets, colons, commas and quotes.
  ///
  /// A damaged value is replaced by `[]`, which does not decode as a string, number or Boolean. A member with a damaged
  /// key is removed if its object is a group of independent members; any other object is replaced by `[]`.
  public static func repairing(
    _ bytes: [UInt8], limits: Limits = Limits(), isGroup: @escaping ([Damage.Step]) -> Bool
  ) throws(JSONFault) -> (text: CheckedJSON, damages: [Damage]) {
    var scanner = JSONScanner(bytes, limits: limits, repair: isGroup)
    try scanner.scan()
    return (CheckedJSON(repaired: scanner.repaired), scanner.damages)
  }
}
