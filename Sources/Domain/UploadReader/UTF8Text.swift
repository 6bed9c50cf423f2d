/// Functions on the bytes of strings in JSON.
enum UTF8Text {
  /// The offset of the first byte that is not part of a scalar in UTF-8 (RFC 3629 section 4); nil if there is
  /// none.
  static func firstFault(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
      let lead = bytes[index]
      if lead < 0x80 {
        index += 1
        continue
      }
      let count: Int
      var second: ClosedRange<UInt8> = 0x80...0xBF
      switch lead {
      case 0xC2...0xDF: count = 2
      case 0xE0: (count, second) = (3, 0xA0...0xBF)
      case 0xED: (count, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: count = 3
      case 0xF0: (count, second) = (4, 0x90...0xBF)
      case 0xF4: (count, second) = (4, 0x80...0x8F)
      case 0xF1...0xF3: count = 4
      default: return index
      }
      guard range.upperBound - index >= count, second.contains(bytes[index + 1]) else { return index }
      for offset in 2..<max(count, 2) where bytes[index + offset] & 0xC0 != 0x80 { return index }
      index += count
    }
    return nil
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// The text of a validated string without its escapes, in UTF-8.
  static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        plain.append(text[index])
        index += 1
        continue
      }
      let letter = text[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "b"): plain.append(0x08)
      case UInt8(ascii: "f"): plain.append(0x0C)
      case UInt8(ascii: "n"): plain.append(0x0A)
      case UInt8(ascii: "r"): plain.append(0x0D)
      case UInt8(ascii: "t"): plain.append(0x09)
      case UInt8(ascii: "u"):
        var unit = hexUnit(text, at: index)
        index += 4
        if unit & 0xFC00 == 0xD800 {
          unit = 0x1_0000 + (unit & 0x3FF) << 10 + hexUnit(text, at: index + 2) & 0x3FF
          index += 6
        }
        if let scalar = Unicode.Scalar(unit) { plain += Array(String(Character(scalar)).utf8) }
      default: plain.append(letter)
      }
    }
    return plain
  }

  private static func hexUnit(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
    guard start >= 0, start + 4 <= text.count else { return 0 }
    return text[start..<start + 4].reduce(UInt32(0)) { $0 << 4 | UInt32(hexDigit($1) ?? 0) }
  }
}
