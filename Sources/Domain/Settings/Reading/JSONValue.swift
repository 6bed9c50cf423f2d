/// Any JSON5 value, before its type is checked.
public enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case group([String: JSONValue])

  /// The value for the end of a message: texts and numbers as written, lists and groups by their type.
  var described: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let number) where number.isInfinite: "a number that is too large or too long to read"
    case .number(let number): "the number " + (Int64(exactly: number).map(String.init) ?? "\(number)")
    case .text(let text): Shown.quoted(text)
    case .list, .group: kind
    }
  }

  /// The type of the value alone, for values that must not be shown.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .group: "a group { … }"
    }
  }
}

extension JSONValue {
  /// Reads one value with surrounding white space and comments; nil for anything else.
  public init?(json5 bytes: [UInt8]) {
    var scanner = JSON5Scanner(bytes)
    guard let value = try? scanner.scan(root: "") else { return nil }
    self = value
  }
}
