import Quantities

/// Writes values as JSON with sorted keys into one array of bytes: the text of Foundation's `JSONEncoder` with
/// `.sortedKeys` and `.withoutEscapingSlashes`, without an object for every value.
///
/// For types whose `encode(to:)` is synthesized, and for others that finish a nested container before they go on with the
/// one around it.
public enum SortedJSON {
  /// Why a value has no JSON.
  public enum Fault: Error, Equatable {
    /// A number that is infinite or no number.
    case notFinite(Double)
    /// The value was written to a container after the one around it went on.
    case closedContainer
  }

  /// Returns the JSON of a value. Throws ``Fault``, and what the value's `encode(to:)` throws.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let output = JSONOutput()
    try output.write(value)
    if let fault = output.text.fault { throw fault }
    return output.text.bytes
  }
}

/// The text so far, and the objects and arrays that are open.
private struct JSONText {
  private struct Container {
    var number: Int
    /// The place of its opening bracket.
    var start: Int
    /// The place of its first member in `members`; nil for an array.
    var firstMember: Int?
    var isEmpty = true
  }

  private struct Member {
    var key: String
    /// The place of its first byte, after the comma.
    var start: Int
  }

  var bytes: [UInt8] = []
  /// The first fault; the text is not JSON then.
  private(set) var fault: SortedJSON.Fault?
  private var open: [Container] = []
  /// The members of the open objects, one object after the other.
  private var members: [Member] = []
  private var lastNumber = 0

  /// The number of open containers.
  var depth: Int { open.count }

  init() {
    bytes.reserveCapacity(4096)
    open.reserveCapacity(8)
    members.reserveCapacity(64)
  }

  mutating func append(_ number: Double, _ text: String) {
    guard number.isFinite else {
      fault = fault ?? .notFinite(number)
      return
    }
    bytes.append(contentsOf: text.utf8)
    if text.hasSuffix(".0") { bytes.removeLast(2) }
  }

  /// Opens an object or an array inside those that are open up to `depth`. Returns its number.
  mutating func begin(isObject: Bool, at depth: Int) -> Int {
    close(downTo: depth)
    lastNumber += 1
    open.append(
      Container(number: lastNumber, start: bytes.count, firstMember: isObject ? members.count : nil))
    bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    return lastNumber
  }

  /// Begins a member of the container with this number, which becomes the innermost one. `key` is nil in an array.
  mutating func beginMember(_ key: String?, of number: Int, at depth: Int) {
    guard depth < open.count, open[depth].number == number else {
      fault = fault ?? .closedContainer
      return
    }
    close(downTo: depth + 1)
    if !open[depth].isEmpty { bytes.append(UInt8(ascii: ",")) }
    open[depth].isEmpty = false
    guard let key else { return }
    members.append(Member(key: key, start: bytes.count))
    bytes.appendJSONString(key)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func close(downTo depth: Int) {
    while open.count > depth, let container = open.popLast() {
      guard let first = container.firstMember else {
        bytes.append(UInt8(ascii: "]"))
        continue
      }
      sort(first, after: container.start)
      members.removeLast(members.count - first)
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Sorts the members from `first` on, whose text follows the bracket at `start`.
  private mutating func sort(_ first: Int, after start: Int) {
    let own = first..<members.count
    guard own.dropFirst().contains(where: { members[$0].key < members[$0 - 1].key }) else { return }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(bytes.count - start)
    for index in own.sorted(by: { members[$0].key < members[$1].key }) {
      let end = index + 1 < members.count ? members[index + 1].start - 1 : bytes.count
      if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
      sorted.append(contentsOf: bytes[members[index].start..<end])
    }
    bytes.replaceSubrange((start + 1)..., with: sorted)
  }
}

/// The text that the encoders of all values share.
private final class JSONOutput {
  var text = JSONText()

  func write<Value: Encodable>(_ value: Value) throws {
    // A comparison of types is cheaper than a cast that fails.
    if Value.self == String.self, let value = value as? String {
      text.bytes.appendJSONString(value)
    } else if Value.self == Bool.self, let value = value as? Bool {
      text.bytes.append(value ? "true" : "false")
    } else if Value.self == Double.self, let value = value as? Double {
      text.append(value, value.description)
    } else if Value.self == Float.self, let value = value as? Float {
      text.append(Double(value), value.description)
    } else if !writeInteger(value) {
      try writeParts(of: value)
    }
  }

  /// Returns false if the value is no integer of the standard library.
  private func writeInteger<Value>(_ value: Value) -> Bool {
    if Value.self == Int.self, let value = value as? Int {
      write(Int64(value))
    } else if Value.self == Int64.self, let value = value as? Int64 {
      write(value)
    } else if Value.self == Int32.self, let value = value as? Int32 {
      write(Int64(value))
    } else if Value.self == Int16.self, let value = value as? Int16 {
      write(Int64(value))
    } else if Value.self == Int8.self, let value = value as? Int8 {
      write(Int64(value))
    } else if Value.self == UInt32.self, let value = value as? UInt32 {
      write(Int64(value))
    } else if Value.self == UInt16.self, let value = value as? UInt16 {
      write(Int64(value))
    } else if Value.self == UInt8.self, let value = value as? UInt8 {
      write(Int64(value))
    } else if Value.self == UInt64.self, let value = value as? UInt64 {
      text.bytes.append(contentsOf: value.description.utf8)
    } else if Value.self == UInt.self, let value = value as? UInt {
      text.bytes.append(contentsOf: value.description.utf8)
    } else {
      return false
    }
    return true
  }

  private func write(_ value: Int64) { text.bytes.appendDecimal(value, decimals: 0) }

  private func writeParts(of value: some Encodable) throws {
    let (depth, start) = (text.depth, text.bytes.count)
    try value.encode(to: ValueEncoder(output: self, depth: depth))
    text.close(downTo: depth)
    if text.bytes.count == start { text.bytes.append("{}") }
  }
}

/// The encoder of one value.
private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
  let output: JSONOutput
  /// The number of containers around the value.
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      ObjectMembers(output: output, depth: depth, number: output.text.begin(isObject: true, at: depth)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ArrayElements(output: output, depth: depth, number: output.text.begin(isObject: false, at: depth))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { output.text.bytes.append("null") }
  func encode<Value: Encodable>(_ value: Value) throws { try output.write(value) }
}

private struct ObjectMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: JSONOutput
  let depth: Int
  let number: Int
  var codingPath: [any CodingKey] { [] }

  private func begin(_ key: String) { output.text.beginMember(key, of: number, at: depth) }

  func encodeNil(forKey key: Key) {
    begin(key.stringValue)
    output.text.bytes.append("null")
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    begin(key.stringValue)
    try output.write(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nested(key.stringValue).container(keyedBy: keyedBy)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested("super") }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }

  /// The encoder of a member.
  private func nested(_ key: String) -> ValueEncoder {
    begin(key)
    return ValueEncoder(output: output, depth: depth + 1)
  }
}

private struct ArrayElements: UnkeyedEncodingContainer {
  let output: JSONOutput
  let depth: Int
  let number: Int
  private(set) var count = 0
  var codingPath: [any CodingKey] { [] }

  init(output: JSONOutput, depth: Int, number: Int) {
    (self.output, self.depth, self.number) = (output, depth, number)
  }

  private mutating func begin() {
    output.text.beginMember(nil, of: number, at: depth)
    count += 1
  }

  mutating func encodeNil() {
    begin()
    output.text.bytes.append("null")
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    begin()
    try output.write(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: keyedBy)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { nested() }

  private mutating func nested() -> ValueEncoder {
    begin()
    return ValueEncoder(output: output, depth: depth + 1)
  }
}
