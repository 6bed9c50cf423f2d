extension [UInt8] {
  /// Appends a literal of the program.
  public mutating func append(_ literal: StaticString) {
    literal.withUTF8Buffer { append(contentsOf: $0) }
  }

  /// Appends `text` as a JSON string with its quotes (RFC 8259 section 7). Everything outside ASCII stays
  /// UTF-8.
  public mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      guard bytes.contains(where: Self.isEscapedInJSON) else { return append(contentsOf: bytes) }
      for byte in bytes { appendJSONCharacter(byte) }
    }
    append(UInt8(ascii: "\""))
  }

  private static func isEscapedInJSON(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
  }

  private mutating func appendJSONCharacter(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case 0x00...0x1F, 0x7F:
      append("\\u00")
      append(Self.hexDigit(byte >> 4))
      append(Self.hexDigit(byte & 0xF))
    default: append(byte)
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
