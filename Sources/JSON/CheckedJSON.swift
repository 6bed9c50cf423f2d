import FoundationEssentials

/// A JSON text that was checked before a decoder reads it: RFC 8259 in UTF-8, of bounded depth and size.
///
/// The only way to Foundation's decoder. `JSONDecoder` of Swift 6.0 traps on keys that it cannot read, takes the first
/// bytes for the sign of another encoding, and leaves numbers that nobody reads unchecked. Whatever passes here decodes or
/// throws, on every toolchain. A text in UTF-16 or UTF-32 is rejected at its first byte that is not JSON in UTF-8.
public struct CheckedJSON: Sendable {
  /// What a text may hold.
  public struct Limits: Equatable, Sendable {
    /// Arrays and objects within each other. Overland's bodies have six levels.
    public var depth: Int
    /// Values, with those inside others.
    public var values: Int

    public init(depth: Int = 64, values: Int = .max) { (self.depth, self.values) = (depth, values) }
  }

  private let text: Data

  /// A byte order mark of UTF-8 in front is ignored.
  public init(_ bytes: some Sequence<UInt8>, limits: Limits = Limits()) throws(JSONFault) {
    let bytes = Array(bytes)
    var scanner = JSONScanner(bytes, limits: limits, repair: nil)
    try scanner.scan()
    text = Data(bytes[scanner.start...])
  }

  private init(repaired: [UInt8]) { text = Data(repaired) }

  /// Throws `DecodingError` if the text holds something else than the type expects.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: text)
  }

  /// A key or value in a text that is sound otherwise.
  public struct Damage: Equatable, Sendable {
    /// The key of an object, or the index in an array.
    public enum Step: Equatable, Sendable {
      case key(String)
      case index(Int)
    }

    /// Where it is; bytes of a key that are not UTF-8 appear as U+FFFD.
    public var path: [Step]
    /// The key is damaged, not its value.
    public var isKey: Bool
    public var fault: JSONFault
  }

  /// Reads a text in which strings, numbers and words may be damaged, but not brackets, colons, commas and quotes.
  ///
  /// A damaged value is replaced by `[]`, which no string, number or switch decodes from. A member with a damaged key is
  /// removed if its object is a group, whose members stand for themselves; any other object is replaced by `[]`.
  public static func repairing(
    _ bytes: [UInt8], limits: Limits = Limits(), isGroup: @escaping ([Damage.Step]) -> Bool
  ) throws(JSONFault) -> (text: CheckedJSON, damages: [Damage]) {
    var scanner = JSONScanner(bytes, limits: limits, repair: isGroup)
    try scanner.scan()
    return (CheckedJSON(repaired: scanner.repaired), scanner.damages)
  }
}
