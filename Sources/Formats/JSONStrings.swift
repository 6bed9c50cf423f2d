/// Looks at the strings of a JSON text before a decoder does.
///
/// FoundationEssentials of Swift 6.0 ends the program when a key of an object cannot be read (a control character, an
/// unknown escape, half a surrogate pair), so what comes from outside is looked at first.
public enum JSONStrings {
  /// True when the text is UTF-8 and each string in it is closed and holds no control character and no escape that
  /// RFC 8259 section 7 does not know. Says nothing about the rest of the text.
  public static func areSound(_ text: some Sequence<UInt8>) -> Bool {
    let bytes = Array(text)
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\"") else {
        index += 1
        continue
      }
      guard let end = endOfString(bytes, from: index + 1) else { return false }
      index = end
    }
    return true
  }

  /// The index behind the closing quote; nil when the string is not sound.
  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"):
        guard let end = endOfEscape(bytes, from: index + 1) else { return nil }
        index = end
      case 0x00..<0x20: return nil
      default: index += 1
      }
    }
    return nil
  }

  private static func endOfEscape(_ bytes: [UInt8], from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 1
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(bytes, at: start + 1) else { return nil }
      guard UTF16.isSurrogate(unit) else { return start + 5 }
      let second = start + 5
      guard UTF16.isLeadSurrogate(unit), second + 1 < bytes.count, bytes[second] == UInt8(ascii: "\\"),
        bytes[second + 1] == UInt8(ascii: "u"), let trail = codeUnit(bytes, at: second + 2),
        UTF16.isTrailSurrogate(trail)
      else { return nil }
      return second + 6
    default: return nil
    }
  }

  private static func codeUnit(_ bytes: [UInt8], at start: Int) -> UInt16? {
    guard start + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[start..<start + 4] {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
