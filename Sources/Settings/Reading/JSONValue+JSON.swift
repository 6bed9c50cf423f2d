extension JSONValue {
  /// The value as JSON on one line (RFC 8259); the keys of groups sorted, numbers that JSON does not know as null.
  var json: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let number):
      Int64(exactly: number).map(String.init) ?? (number.isFinite ? "\(number)" : "null")
    case .text(let text): Self.quoted(text)
    case .list(let elements): "[\(elements.map(\.json).joined(separator: ", "))]"
    case .group(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0)): \($1.json)" }.joined(separator: ", "))}"
    }
  }

  /// The value as `--set KEY=VALUE` takes it: texts bare, all else as JSON.
  var assigned: String {
    if case .text(let text) = self { text } else { json }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
