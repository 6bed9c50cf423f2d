/// One `--set KEY=VALUE`, cut in two.
struct Override {
  /// The name that stands for the file in messages.
  static let file = "--set"

  let key: String
  let value: String

  init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  /// Fails without `=` and without anything before it.
  init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
    key = String(text[..<equals])
    value = String(text[text.index(after: equals)...])
  }

  /// The beginning of a text as far as it could be a key; what follows may be a secret.
  static func keyPart(of text: String) -> String {
    String(text.prefix(64).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") })
  }
}
