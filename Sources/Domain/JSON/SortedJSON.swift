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
    let text = JSONOutput()
    try text.write(value)
    if let fault = text.fault { throw fault }
    return text.bytes
  }
}

/// The text so far, and the objects and arrays that are open.
private final class JSONOutput {
  private struct Container {
    var number: Int
    /// The place of its opening bracket.
    var start: Int
    /// The members of an object; nil for an array.
    var members: [Member]?
    var isEmpty = true
  }

  private struct Member {
    var key: String
    /// The place of its first byte, after the comma.
    var start: Int
  }

  private(set) var bytes: [UInt8] = []
  /// The first fault; the text is not JSON then.
  private(set) var fault: SortedJSON.Fault?
  private var open: [Container] = []
  private var lastNumber = 0

  init() { bytes.reserveCapacity(4096) }

  func write(_ value: Bool) { bytes.append(value ? "true" : "false") }
  func write(_ value: String) { bytes.appendJSONString(value) }
  func write(_ value: Int64) { bytes.appendDecimal(value, decimals: 0) }
  func write(_ value: Double) { append(value, value.description) }

  func write<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let value as Bool: write(value)
    case let value as String: write(value)
    case let value as Int: write(Int64(value))
    case let value as Int64: write(value)
    case let value as Double: write(value)
    case let value as Float: append(Double(value), value.description)
    case let value as UInt8: bytes.appendDecimal(Int64(value), decimals: 0)
    case let value as UInt16: bytes.appendDecimal(Int64(value), decimals: 0)
    case let value as UInt32: bytes.appendDecimal(Int64(value), decimals: 0)
    case let value as UInt64: bytes.append(contentsOf: value.description.utf8)
    case let value as UInt: bytes.append(contentsOf: value.description.utf8)
    case let value as Int8: bytes.appendDecimal(Int64(value), decimals: 0)
    case let value as Int16: bytes.appendDecimal(Int64(value), decimals: 0)
    case let value as Int32: bytes.appendDecimal(Int64(value), decimals: 0)
    default: try writeParts(of: value)
    }
  }

  func writeNull() { bytes.append("null") }

  private func writeParts(of value: some Encodable) throws {
    let (depth, start) = (open.count, bytes.count)
    try value.encode(to: ValueEncoder(output: self, depth: depth, start: start))
    close(downTo: depth)
    if bytes.count == start { bytes.append("{}") }
  }

  private func append(_ number: Double, _ text: String) {
    guard number.isFinite else {
      fault = fault ?? .notFinite(number)
      return
    }
    bytes.append(contentsOf: text.utf8)
    if text.hasSuffix(".0") { bytes.removeLast(2) }
  }

  /// Opens an object or an array inside those that are open up to `depth`. Returns its number.
  func begin(isObject: Bool, at depth: Int) -> Int {
    close(downTo: depth)
    lastNumber += 1
    open.append(Container(number: lastNumber, start: bytes.count, members: isObject ? [] : nil))
    bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    return lastNumber
  }

  /// Begins a member of the container with this number, which becomes the innermost one. `key` is nil in an array.
  func beginMember(_ key: String?, of number: Int, at depth: Int) {
    guard depth < open.count, open[depth].number == number else {
      fault = fault ?? .closedContainer
      return
    }
    close(downTo: depth + 1)
    if !open[depth].isEmpty { bytes.append(UInt8(ascii: ",")) }
    open[depth].isEmpty = false
    guard let key else { return }
    open[depth].members?.append(Member(key: key, start: bytes.count))
    bytes.appendJSONString(key)
    bytes.append(UInt8(ascii: ":"))
  }

  private func close(downTo depth: Int) {
    while open.count > depth, let container = open.popLast() {
      guard let members = container.members else {
        bytes.append(UInt8(ascii: "]"))
        continue
      }
      sort(members, after: container.start)
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private func sort(_ members: [Member], after start: Int) {
    let order = members.indices.sorted { members[$0].key < members[$1].key }
    guard !order.elementsEqual(members.indices) else { return }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(bytes.count - start)
    for index in order {
      let end = index + 1 < members.count ? members[index + 1].start - 1 : bytes.count
      if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
      sorted.append(contentsOf: bytes[members[index].start..<end])
    }
    bytes.replaceSubrange((start + 1)..., with: sorted)
  }
}

/// The encoder of one value.
private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
  let output: JSONOutput
  /// The number of containers around the value.
  let depth: Int
  /// The place of the value's first byte.
  let start: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      ObjectMembers(output: output, depth: depth, number: output.begin(isObject: true, at: depth)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ArrayElements(output: output, depth: depth, number: output.begin(isObject: false, at: depth))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { output.writeNull() }
  func encode<Value: Encodable>(_ value: Value) throws { try output.write(value) }
}

private struct ObjectMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: JSONOutput
  let depth: Int
  let number: Int
  var codingPath: [any CodingKey] { [] }

  private func begin(_ key: String) { output.beginMember(key, of: number, at: depth) }

  func encodeNil(forKey key: Key) {
    begin(key.stringValue)
    output.writeNull()
  }

  // The usual types have methods of their own, because a generic value is compared with each type.

  func encode(_ value: Bool, forKey key: Key) {
    begin(key.stringValue)
    output.write(value)
  }

  func encode(_ value: String, forKey key: Key) {
    begin(key.stringValue)
    output.write(value)
  }

  func encode(_ value: Int, forKey key: Key) {
    begin(key.stringValue)
    output.write(Int64(value))
  }

  func encode(_ value: Int64, forKey key: Key) {
    begin(key.stringValue)
    output.write(value)
  }

  func encode(_ value: Double, forKey key: Key) {
    begin(key.stringValue)
    output.write(value)
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
    return ValueEncoder(output: output, depth: depth + 1, start: output.bytes.count)
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
    output.beginMember(nil, of: number, at: depth)
    count += 1
  }

  mutating func encodeNil() {
    begin()
    output.writeNull()
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
    return ValueEncoder(output: output, depth: depth + 1, start: output.bytes.count)
  }
}
