/// Decodes Unicode escapes in strings (RFC 8259, section 7).
public enum UnicodeEscape {
  /// The scalar of an escape after its `\u`, and its length in bytes: 4, or 10 for a surrogate pair. Nil for an invalid
  /// escape, such as half a pair.
  public static func scalar(_ text: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, length: Int)? {
    guard let unit = number(text.prefix(4), digits: 4) else { return nil }
    if let scalar = Unicode.Scalar(unit) { return (scalar, 4) }
    let second = text.dropFirst(4)
    guard unit < 0xDC00, second.starts(with: Array("\\u".utf8)),
      let trail = number(second.dropFirst(2).prefix(4), digits: 4), (0xDC00..<0xE000).contains(trail),
      let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (trail - 0xDC00))
    else { return nil }
    return (scalar, 10)
  }

  /// The value of exactly `digits` hexadecimal digits; nil for other characters or another length.
  public static func number(_ text: ArraySlice<UInt8>, digits: Int) -> UInt32? {
    guard text.count == digits else { return nil }
    var number: UInt32 = 0
    for byte in text {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      number = number << 4 | UInt32(digit)
    }
    return number
  }
}
