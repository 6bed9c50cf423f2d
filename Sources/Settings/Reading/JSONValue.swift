import FoundationEssentials

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

extension JSONValue: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let flag = try? container.decode(Bool.self) {
      self = .boolean(flag)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else if container.decodeNil() {
      self = .null
    } else if CodingUserInfoKey.isLenient.map({ decoder.userInfo[$0] != nil }) ?? false {
      self = (try? container.decode([String: JSONValue].self)).map(JSONValue.group) ?? .null
    } else {
      self = .group(try container.decode([String: JSONValue].self))
    }
  }

  /// Reads one value without a byte order mark that the scanner has seen, its numbers written by ``JSON5Number``; nil
  /// where Foundation's decoder refuses it. Leniently, a piece that it cannot read is null.
  init?(json5 bytes: some Sequence<UInt8>, isLenient: Bool = false) {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    if isLenient, let key = CodingUserInfoKey.isLenient { decoder.userInfo[key] = true }
    // The decoder reads on behind a number that nothing follows, so no value ever stands alone.
    let wrapped = Data("[".utf8) + Data(bytes) + Data("\n]".utf8)
    guard let values = try? decoder.decode([JSONValue].self, from: wrapped), let value = values.first,
      values.count == 1
    else { return nil }
    self = value
  }
}

extension CodingUserInfoKey {
  fileprivate static var isLenient: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "outrider.lenient") }
}
