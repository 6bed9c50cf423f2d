import JSON

/// Reads texts and unquoted keys of JSON5 (https://spec.json5.org/#strings), in UTF-8.
///
/// Stricter: a backslash is allowed only before the characters in the table of escapes, and no escape produces NUL. A
/// continued line keeps its line end.
enum JSON5Text {
  /// The text between the quotes at both ends; nil for an invalid escape.
  static func read(_ quoted: ArraySlice<UInt8>) -> String? {
    var remainder = quoted.dropFirst().dropLast()
    var text: [UInt8] = []
    while let byte = remainder.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let scalar = escaped(&remainder) else { return nil }
      text += Array(String(scalar).utf8)
    }
    return String(validating: text, as: UTF8.self)
  }

  /// True for a letter, `_` or `$`, followed by any of these, digits and marks (ECMAScript 5.1 section 7.6).
  static func isBareKey(_ key: ArraySlice<UInt8>) -> Bool {
    guard let key = String(validating: key, as: UTF8.self), let first = key.unicodeScalars.first else {
      return false
    }
    return isLetter(first) && key.unicodeScalars.allSatisfy { isLetter($0) || isFurther($0) }
  }

  /// Removes the escape after a backslash and returns its character.
  private static func escaped(_ remainder: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let byte = remainder.popFirst() else { return nil }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"), 0x0A, 0x0D:
      return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "x"):
      let number = UnicodeEscape.number(remainder.prefix(2), digits: 2)
      remainder = remainder.dropFirst(2)
      return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    case UInt8(ascii: "u"):
      guard let (scalar, length) = UnicodeEscape.scalar(remainder), scalar != "\0" else { return nil }
      remainder = remainder.dropFirst(length)
      return scalar
    default: return nil
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
      true
    default: scalar == "_" || scalar == "$"
    }
  }

  private static func isFurther(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
    default: scalar == "\u{200C}" || scalar == "\u{200D}"
    }
  }
}
