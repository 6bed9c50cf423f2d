/// One line of the tracker's state: fields separated by tabs, read in order. `-` means no value.
struct StateFields {
  private var fields: ArraySlice<Substring>

  init(_ line: Substring) { fields = line.split(separator: "\t", omittingEmptySubsequences: false)[...] }

  /// The next field as quoted text; nil at the end, or if it is not quoted.
  mutating func text() -> String? {
    guard let field = fields.popFirst(), field.first == "'" else { return nil }
    var text = ""
    var isEscaped = false
    for character in field.dropFirst() {
      if isEscaped {
        text.append(character == "t" ? "\t" : character == "n" ? "\n" : character == "r" ? "\r" : "\\")
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
    return text
  }

  mutating func word() -> String? { fields.popFirst().map(String.init) }

  /// Reads the next number; nil for no value, and for a number that does not fit.
  mutating func number<Number: FixedWidthInteger>() -> Number? { fields.popFirst().flatMap { Number($0) } }

  static func quoted(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": quoted += "\\\\"
      case "\t": quoted += "\\t"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted
  }

  static func text(_ number: (some FixedWidthInteger)?) -> String { number.map { "\($0)" } ?? "-" }
}
