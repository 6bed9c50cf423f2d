/// One `--set KEY=VALUE`, split into key and value.
struct Override {
  /// The name in messages, in place of a file.
  static let file = "--set"

  let key: String
  let value: String

  init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  /// Splits a text; nil if it has no `=` or no key.
  init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
    key = String(text[..<equals])
    value = String(text[text.index(after: equals)...])
  }

  /// The start of a text that could be a key; the remainder can be a secret.
  static func keyPart(of text: String) -> String {
    String(text.prefix(64).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") })
  }
}
