/// Formats external text for a message of one line.
public enum Shown {
  private static let longest = 60

  /// The text in quotes, truncated after 60 characters, with control characters escaped.
  static func quoted(_ text: String) -> String {
    var shown = "\""
    for scalar in text.unicodeScalars.prefix(longest) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: shown += scalar.escaped(asASCII: true)
      default: shown += scalar == "\"" ? "\\\"" : String(scalar)
      }
    }
    return shown + (text.unicodeScalars.count > longest ? "…\"" : "\"")
  }

  /// An argument as typed into a shell: unquoted if possible, otherwise in single quotes.
  public static func argument(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"), 0x80...:
        true
      default: false
      }
    }
    let text =
      isPlain && !word.isEmpty
      ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    return word.hasPrefix("-") ? "-- \(text)" : text
  }

  /// A key in a dotted path: unquoted if it is a plain word, otherwise in quotes.
  static func key(_ key: String) -> String {
    let isPlain = key.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isPlain && !key.isEmpty && key.utf8.count <= longest ? key : quoted(key)
  }

  /// The path with a quoted header name hidden.
  static func hidingHeaders(_ path: String) -> String {
    let group = "headers."
    guard let start = path.firstRange(of: group + "\"") else { return path }
    let isWhole = start.lowerBound == path.startIndex || path[..<start.lowerBound].last == "."
    return isWhole ? path[..<start.lowerBound] + group + "(hidden)" : path
  }

  /// The path of `key` inside the group at `path`; the outermost group has the empty path.
  static func path(_ path: String, _ key: String) -> String {
    path.isEmpty ? Self.key(key) : path + "." + Self.key(key)
  }
}
