/// Reads members at the beginning of a JSON text that is too long to be parsed as a whole.
public enum JSONBeginning {
  /// The string value of a member of the outermost object.
  ///
  /// Nil if there is no such member, if it is not a string or contains an escape, or if the text is invalid or ends
  /// before it. The text after the member is not read, so the beginning of a text is enough.
  public static func member(_ name: String, atTopOf text: [UInt8]) -> String? {
    var index = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard next(text, &index) == UInt8(ascii: "{") else { return nil }
    var depth = 1
    var isKey = true
    while let byte = next(text, &index) {
      switch byte {
      case UInt8(ascii: "\""):
        let start = index
        guard let end = endOfString(text, from: start) else { return nil }
        index = end
        guard depth == 1, isKey, text[start..<end - 1].elementsEqual(name.utf8) else { continue }
        guard next(text, &index) == UInt8(ascii: ":"), next(text, &index) == UInt8(ascii: "\""),
          let last = endOfString(text, from: index)
        else { return nil }
        let value = text[index..<last - 1]
        return value.contains(UInt8(ascii: "\\")) ? nil : String(validating: value, as: UTF8.self)
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return nil }
      case UInt8(ascii: ":"): if depth == 1 { isKey = false }
      case UInt8(ascii: ","): if depth == 1 { isKey = true }
      default: break
      }
    }
    return nil
  }

  /// The next byte that is not white space; advances `index` past it.
  private static func next(_ text: [UInt8], _ index: inout Int) -> UInt8? {
    while index < text.count {
      defer { index += 1 }
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      default: return text[index]
      }
    }
    return nil
  }

  /// The index after the closing quote; nil if the string is invalid.
  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"):
        guard let length = lengthOfEscape(bytes[(index + 1)...]) else { return nil }
        index += 1 + length
      case 0x00..<0x20: return nil
      default: index += 1
      }
    }
    return nil
  }

  /// The length of an escape after its backslash, in bytes; nil for an invalid escape or half a surrogate pair.
  private static func lengthOfEscape(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let letter = bytes.first else { return nil }
    guard letter != UInt8(ascii: "u") else {
      return UnicodeEscape.scalar(bytes.dropFirst()).map { $0.length + 1 }
    }
    return "\"\\/bfnrt".utf8.contains(letter) ? 1 : nil
  }
}
