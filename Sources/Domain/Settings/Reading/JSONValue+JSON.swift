extension JSONValue {
  /// The value as JSON on one line (RFC 8259). The keys of groups are sorted; numbers that JSON cannot express are null.
  public var json: String { written(beyondJSON: { _ in "null" }) }

  private func written(beyondJSON infinite: (Double) -> String) -> String {
    switch self {
    case .null: return "null"
    case .boolean(let flag): return flag ? "true" : "false"
    case .number(let number):
      if number.isInfinite { return infinite(number) }
      return Int64(exactly: number).map(String.init) ?? (number.isFinite ? "\(number)" : "null")
    case .text(let text): return Self.quoted(text)
    case .list(let elements):
      return "[\(elements.map { $0.written(beyondJSON: infinite) }.joined(separator: ", "))]"
    case .group(let members):
      let rows = members.sorted { $0.key < $1.key }.map { key, value in
        "\(Self.quoted(key)): \(value.written(beyondJSON: infinite))"
      }
      return "{\(rows.joined(separator: ", "))}"
    }
  }

  /// The value as `--set KEY=VALUE` takes it: texts unquoted, everything else as JSON5.
  var assigned: String {
    if case .text(let text) = self { text } else { written(beyondJSON: { "\($0 > 0 ? "" : "-")Infinity" }) }
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

extension JSONValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let elements): try container.encode(elements)
    case .group(let members): try container.encode(members)
    }
  }
}
