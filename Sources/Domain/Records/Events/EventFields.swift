import Quantities

/// One value of an event.
public enum EventValue: Equatable, Sendable {
  case integer(Int64)
  case decimal(Double)
  case flag(Bool)
  case text(String)
  case list([String])
  /// A count for every name.
  case counts([String: Int64])
  /// A text for every name.
  case texts([String: String])

  /// A duration in whole seconds.
  public static func seconds(_ duration: Duration) -> EventValue { .integer(duration.wholeSeconds) }

  /// The nearest whole number of thousandths; nil if there is none in 64 bits.
  public static func thousandths(_ value: Double) -> EventValue? {
    Int64(exactly: (value * 1000).rounded()).map { .integer($0) }
  }

  /// The nearest whole number; nil if there is none in 64 bits.
  public static func whole(_ value: Double) -> EventValue? {
    Int64(exactly: value.rounded()).map { .integer($0) }
  }
}

extension EventValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .flag(value) }
}

/// The named values of an event: its evidence, in the units that ``EventField`` names.
///
/// ``json`` is at most ``longest`` bytes. Longer texts and lists are shortened. The sentence of an event is worded
/// before that, so it contains them in full.
public struct EventFields: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// Limit of the JSON in bytes. With a sentence, a row of the log then fits in one database page.
  public static let longest = 400
  /// Limit of a shortened text in bytes of UTF-8.
  static let shortText = 80
  /// Limit of a shortened list in entries.
  static let shortList = 3

  public private(set) var values: [EventField: EventValue]

  public init(_ values: [EventField: EventValue] = [:]) { self.values = values }

  /// Creates fields from a literal. Fields without a value are omitted.
  public init(dictionaryLiteral elements: (EventField, EventValue?)...) {
    values = [:]
    for case (let field, let value?) in elements { values[field] = value }
  }

  public subscript(_ field: EventField) -> EventValue? {
    get { values[field] }
    set { values[field] = newValue }
  }

  public var isEmpty: Bool { values.isEmpty }

  /// Both sets of fields. `others` wins if both have a field.
  public func merging(_ others: EventFields) -> EventFields {
    EventFields(values.merging(others.values) { $1 })
  }

  /// The number of a field; nil if the field is absent or not an integer.
  public func number(_ field: EventField) -> Int64? {
    if case .integer(let number)? = values[field] { number } else { nil }
  }

  /// The text of a field; nil if the field is absent or not a text.
  public func text(_ field: EventField) -> String? {
    if case .text(let text)? = values[field] { text } else { nil }
  }

  /// The list of a field; empty if the field is absent or not a list.
  public func list(_ field: EventField) -> [String] {
    if case .list(let list)? = values[field] { list } else { [] }
  }

  /// True if the field is present and true.
  public func has(_ field: EventField) -> Bool { values[field] == .flag(true) }

  // MARK: JSON

  /// The fields as one JSON object, with keys in alphabetical order.
  public var json: String {
    var text: [UInt8] = [UInt8(ascii: "{")]
    for (field, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text.appendJSONString(field.rawValue)
      text.append(UInt8(ascii: ":"))
      value.append(to: &text)
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The same fields within ``longest`` bytes: texts and lists are shortened first, then the longest fields omitted.
  func shortened() -> EventFields {
    guard json.utf8.count > Self.longest else { return self }
    var short = EventFields(values.mapValues { $0.shortened })
    while short.json.utf8.count > Self.longest,
      let longest = short.values.max(by: {
        ($0.value.size, $0.key.rawValue) < ($1.value.size, $1.key.rawValue)
      })
    {
      short[longest.key] = nil
    }
    return short
  }
}

extension EventValue {
  fileprivate func append(to text: inout [UInt8]) {
    switch self {
    case .integer(let number): text += Array("\(number)".utf8)
    case .decimal(let number): text += Array((number.isFinite ? "\(number)" : "null").utf8)
    case .flag(let isSet): text += Array((isSet ? "true" : "false").utf8)
    case .text(let string): text.appendJSONString(string)
    case .list(let list):
      text.append(UInt8(ascii: "["))
      for (index, string) in list.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text.appendJSONString(string)
      }
      text.append(UInt8(ascii: "]"))
    case .counts(let counts): Self.append(counts.mapValues { .integer($0) }, to: &text)
    case .texts(let texts): Self.append(texts.mapValues { .text($0) }, to: &text)
    }
  }

  private static func append(_ members: [String: EventValue], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "{"))
    for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.appendJSONString(member.key)
      text.append(UInt8(ascii: ":"))
      member.value.append(to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  fileprivate var shortened: EventValue {
    func short(_ text: String) -> String { text.cut(toBytes: EventFields.shortText) }
    return switch self {
    case .integer, .decimal, .flag: self
    case .text(let text): .text(short(text))
    case .list(let list): .list(list.prefix(EventFields.shortList).map(short))
    case .counts(let counts): .counts(counts)
    case .texts(let texts): .texts(texts.mapValues(short))
    }
  }

  /// Size of the JSON in bytes.
  fileprivate var size: Int {
    var text: [UInt8] = []
    append(to: &text)
    return text.count
  }
}

extension EventValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .decimal(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([String].self) {
      self = .list(list)
    } else if let counts = try? container.decode([String: Int64].self) {
      self = .counts(counts)
    } else {
      self = .texts(try container.decode([String: String].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let number): try container.encode(number)
    case .decimal(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .counts(let counts): try container.encode(counts)
    case .texts(let texts): try container.encode(texts)
    }
  }
}

extension EventFields: Codable {
  /// Decodes a JSON object. Keys that this version does not know are ignored.
  public init(from decoder: any Decoder) throws {
    let named = try [String: EventValue](from: decoder)
    values = [:]
    for (name, value) in named { if let field = EventField(rawValue: name) { values[field] = value } }
  }

  public func encode(to encoder: any Encoder) throws {
    var named: [String: EventValue] = [:]
    for (field, value) in values { named[field.rawValue] = value }
    try named.encode(to: encoder)
  }
}
