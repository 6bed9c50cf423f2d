/// What sort of value a setting takes: how it is read from JSON5 and written for people.
struct SettingKind<Value: Equatable & Sendable>: Sendable {
  /// To stand after "expected": sort, unit, range or words.
  let expected: String
  /// `--set` takes the text after `=` as it stands.
  let isLiteral: Bool
  /// The value is a list or a group, which `--set` takes as JSON5.
  let isCompound: Bool
  /// False where a message must not repeat what was given.
  let isShown: Bool
  /// The keys that the members of a list have, as they follow its own path: `[].token`.
  let memberKeys: [String]
  /// The value, or nil with the reason in the findings.
  let read: @Sendable (JSONValue, _ path: String, inout Findings) -> Value?
  /// For people; secrets hidden.
  let text: @Sendable (Value) -> String
  /// In the words of a file. The flag says whether secrets are revealed.
  let written: @Sendable (Value, Bool) -> JSONValue

  /// Without `written` the text is what stands in a file.
  init(
    expected: String, isLiteral: Bool, isCompound: Bool, isShown: Bool = true, memberKeys: [String] = [],
    text: @escaping @Sendable (Value) -> String,
    written: (@Sendable (Value, Bool) -> JSONValue)? = nil,
    read: @escaping @Sendable (JSONValue, String, inout Findings) -> Value?
  ) {
    self.expected = expected
    self.isLiteral = isLiteral
    self.isCompound = isCompound
    self.isShown = isShown
    self.memberKeys = memberKeys
    self.text = text
    self.written = written ?? { value, _ in .text(text(value)) }
    self.read = read
  }

  /// What came of reading one value that is no list.
  enum Outcome {
    case value(Value)
    case wrongType
    case badValue
  }

  /// A single value. `isShown` is false where a message must not repeat what was given.
  init(
    _ expected: String, isLiteral: Bool = true, isShown: Bool = true,
    text: @escaping @Sendable (Value) -> String,
    written: (@Sendable (Value, Bool) -> JSONValue)? = nil,
    _ outcome: @escaping @Sendable (JSONValue) -> Outcome
  ) {
    self.init(
      expected: expected, isLiteral: isLiteral, isCompound: false, isShown: isShown, text: text,
      written: written
    ) { value, path, findings in
      switch outcome(value) {
      case .value(let value):
        return value
      case .wrongType:
        findings.add(.value, path) {
          .wrongType($0, expected: expected, got: isShown ? value.described : value.sort)
        }
      case .badValue:
        findings.add(.value, path) {
          .badValue($0, expected: expected, got: isShown ? value.described : "something else")
        }
      }
      return nil
    }
  }

  /// A setting that may stay without a value; there is no word for that in a file, the key is left out.
  static func optional<Wrapped>(_ kind: SettingKind<Wrapped>) -> Self where Value == Wrapped? {
    SettingKind(
      expected: kind.expected, isLiteral: kind.isLiteral, isCompound: kind.isCompound,
      isShown: kind.isShown,
      text: { $0.map(kind.text) ?? "not set" },
      written: { value, reveals in value.map { kind.written($0, reveals) } ?? .null }
    ) { value, path, findings in kind.read(value, path, &findings).map(Optional.some) }
  }

  /// A value, or the word `off`, which reads as nil.
  static func offOr<Wrapped>(_ kind: SettingKind<Wrapped>) -> Self where Value == Wrapped? {
    let expected = "\"off\" or \(kind.expected)"
    return SettingKind(
      expected, isLiteral: kind.isLiteral, isShown: kind.isShown, text: { $0.map(kind.text) ?? "off" },
      written: { value, reveals in value.map { kind.written($0, reveals) } ?? .text("off") }
    ) { value in
      if value == .text("off") { return .value(nil) }
      // A fresh set of findings: this kind's own words name both choices.
      var unused = Findings(file: "", origin: .default, text: nil)
      if let read = kind.read(value, "", &unused) { return .value(read) }
      if case .text = value { return .badValue }
      return .wrongType
    }
  }
}
