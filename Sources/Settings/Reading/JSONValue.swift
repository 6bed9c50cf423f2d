/// Any JSON5 value, before anyone knows what it should be.
enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case group([String: JSONValue])

  /// What stands there, for the end of a message: text and numbers as written, of the rest only the sort.
  var described: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let number) where number.isInfinite: "a number that is too large or too long to read"
    case .number(let number): "the number " + (Int64(exactly: number).map(String.init) ?? "\(number)")
    case .text(let text): Shown.quoted(text)
    case .list, .group: sort
    }
  }

  /// The sort of value alone, for what must not be shown.
  var sort: String {
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
  /// Reads one value and what may stand around it; nil for anything else.
  init?(json5 bytes: [UInt8]) {
    var scanner = JSON5Scanner(bytes)
    guard let value = try? scanner.scan(root: "") else { return nil }
    self = value
  }
}
