import GNSSProtocol

/// The layout of a binary message's payload.
struct BinaryLayout: Sendable {
  /// The protocol of the message.
  enum Family: Sendable { case ubx, casic }

  /// The repeated content after the fields.
  enum Tail: Sendable {
    case nothing
    /// Blocks of `size` bytes to the end of the payload, as an array of objects.
    case blocks(StaticString, size: Int, [BinaryField])
    /// Texts of `size` bytes to the end of the payload.
    case texts(StaticString, size: Int)
    /// Configuration keys (UBX), each with its value if byte 0 of the payload is at least
    /// `valuesFromVersion`.
    case configuration(valuesFromVersion: UInt8)
  }

  /// Name in the interface description ("NAV-PVT").
  let name: StaticString
  let messageClass: UInt8
  let id: UInt8
  /// Number of bytes before the tail.
  let length: Int
  let fields: [BinaryField]
  let tail: Tail

  init(
    _ messageClass: UInt8, _ id: UInt8, _ name: StaticString, length: Int, _ fields: [BinaryField],
    tail: Tail = .nothing
  ) {
    self.name = name
    self.messageClass = messageClass
    self.id = id
    self.length = length
    self.fields = fields
    self.tail = tail
  }

  /// Number of payload bytes that are shown for an unknown message.
  static let longestPayload = 256

  /// Appends the object of a message without its closing brace.
  static func list(
    _ family: Family, class messageClass: UInt8, id: UInt8, _ slice: Slice<UnsafeRawBufferPointer>,
    into text: inout [UInt8]
  ) {
    let payload = UnsafeRawBufferPointer(rebasing: slice)
    let known: [BinaryLayout]
    switch family {
    case .ubx:
      text.write(#"{"class":"UBX""#)
      known = ubx
    case .casic:
      text.write(#"{"class":"CASIC""#)
      known = casic
    }
    let layouts = known.lazy.filter { $0.messageClass == messageClass && $0.id == id }
    if let layout = layouts.first(where: { $0.length == payload.count }) ?? layouts.first {
      layout.list(payload, into: &text)
    } else {
      text.write(key: "class_id")
      text.write(bits: UInt64(messageClass), bytes: 1)
      text.write(key: "id")
      text.write(bits: UInt64(id), bytes: 1)
      text.write(key: "length", payload.count)
      text.write(key: "payload")
      text.write(hexadecimal: payload, limit: longestPayload)
    }
  }

  private func list(_ payload: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    text.write(key: "message")
    text.append(UInt8(ascii: "\""))
    text.write(name)
    text.append(UInt8(ascii: "\""))
    for field in fields { text.write(field, of: payload) }
    var end = length
    if payload.count > length { end = listTail(of: payload, into: &text) }
    guard end != payload.count else { return }
    text.write(key: "length", payload.count)
    guard end < payload.count else { return }
    text.write(key: "payload")
    text.write(hexadecimal: payload, limit: Self.longestPayload)
  }

  /// Appends the tail and returns the offset of its end.
  private func listTail(of payload: UnsafeRawBufferPointer, into text: inout [UInt8]) -> Int {
    switch tail {
    case .nothing: return length
    case .configuration(let version):
      return text.writeConfiguration(of: payload, from: length, hasValues: payload[0] >= version)
    case .blocks(let key, let size, let members):
      return text.writeBlocks(key, of: payload, from: length, size: size) { text, block in
        text.append(UInt8(ascii: "{"))
        for member in members { text.write(member, of: block) }
        text.append(UInt8(ascii: "}"))
      }
    case .texts(let key, let size):
      return text.writeBlocks(key, of: payload, from: length, size: size) { text, block in
        text.write(string: block.prefix { $0 != 0 })
      }
    }
  }
}

extension [UInt8] {
  /// Appends the blocks, or nothing if they have another size: the ZED-F9R (HPS 1.30) sends MON-RF with blocks of 20
  /// bytes and other offsets.
  fileprivate mutating func writeBlocks(
    _ key: StaticString, of payload: UnsafeRawBufferPointer, from start: Int, size: Int,
    _ body: (inout [UInt8], UnsafeRawBufferPointer) -> Void
  ) -> Int {
    guard (payload.count - start) % size == 0 else { return start }
    write(key: key)
    append(UInt8(ascii: "["))
    for offset in stride(from: start, to: payload.count, by: size) {
      separate()
      body(&self, UnsafeRawBufferPointer(rebasing: payload[offset..<offset + size]))
    }
    append(UInt8(ascii: "]"))
    return payload.count
  }

  /// Appends keys and values. Bits 28 to 30 of a key are the size of its value, which is written unsigned;
  /// eight bytes are written as text.
  fileprivate mutating func writeConfiguration(
    of payload: UnsafeRawBufferPointer, from start: Int, hasValues: Bool
  ) -> Int {
    let fields = LittleEndian(bytes: payload)
    write(key: hasValues ? "cfgData" : "keys")
    append(UInt8(ascii: "["))
    var offset = start
    while offset + 4 <= payload.count {
      let key = fields.u4(offset)
      let size = hasValues ? Self.valueSize(of: key) : 0
      guard let size, offset + 4 + size <= payload.count else { break }
      separate()
      if hasValues { write(#"{"key":"#) }
      write(bits: UInt64(key), bytes: 4)
      if hasValues {
        write(key: "value")
        let value = fields.unsigned(offset + 4, bytes: size)
        if size == 8 { write(bits: value, bytes: 8) } else { write(number: Int64(clamping: value)) }
        append(UInt8(ascii: "}"))
      }
      offset += 4 + size
    }
    append(UInt8(ascii: "]"))
    return offset
  }

  private static func valueSize(of key: UInt32) -> Int? {
    switch key >> 28 & 7 {
    case 1, 2: 1
    case 3: 2
    case 4: 4
    case 5: 8
    case _: nil
    }
  }
}
