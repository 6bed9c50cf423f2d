/// The kind of value that a setting takes, with its conversion from JSON5 and to text.
struct SettingKind<Value: Equatable & Sendable>: Sendable {
  /// The text after "expected": type, unit, range or words.
  let expected: String
  /// True if `--set` takes the text after `=` literally.
  let isLiteral: Bool
  /// True if the value is a list or a group, which `--set` takes as JSON5.
  let isCompound: Bool
  /// True if a message may repeat the given value.
  let isShown: Bool
  /// The longest text in bytes.
  let longest: Int
  /// The keys of the members of a list, as appended to its path: `[].token`.
  let memberKeys: [String]
  /// Describes the settings in the value. The logger has no use for their texts, so they are not kept.
  private let describeMembers: @Sendable () -> [SettingDescription]
  /// Returns the value, or nil with the reason in the findings.
  let read: @Sendable (JSONValue, _ path: String, inout Findings) -> Value?
  /// The form of the value, for programs.
  private(set) var shape: SettingShape
  /// The value as text for people; secrets are hidden.
  let text: @Sendable (Value) -> String
  /// The value as in a file. The flag reveals secrets.
  let written: @Sendable (Value, Bool) -> JSONValue

  /// Creates a kind. Without `written`, a file contains the text.
  init(
    expected: String, isLiteral: Bool, isCompound: Bool, isShown: Bool = true,
    longest: Int = SettingLimits.text, memberKeys: [String] = [],
    members: @escaping @autoclosure @Sendable () -> [SettingDescription] = [],
    text: @escaping @Sendable (Value) -> String,
    written: (@Sendable (Value, Bool) -> JSONValue)? = nil,
    read: @escaping @Sendable (JSONValue, String, inout Findings) -> Value?
  ) {
    self.expected = expected
    self.isLiteral = isLiteral
    self.isCompound = isCompound
    self.isShown = isShown
    self.longest = longest
    self.memberKeys = memberKeys
    describeMembers = members
    shape = SettingShape(isCompound ? .object : .text)
    self.text = text
    self.written = written ?? { value, _ in .text(text(value)) }
    self.read = { value, path, findings in
      guard let bytes = value.excess(over: longest) else { return read(value, path, &findings) }
      let bound = "at most \(longest) bytes"
      let bounded = expected.hasSuffix(bound) ? expected : "\(expected), of \(bound)"
      findings.add(.value, path) { .badValue($0, expected: bounded, got: "a text of \(bytes) bytes") }
      return nil
    }
  }

  /// The settings in the value, with paths as appended to its own: `.chip`, `[].token`.
  var members: [SettingDescription] { describeMembers() }

  /// The same kind with this form.
  func shaped(_ shape: SettingShape) -> Self {
    var kind = self
    kind.shape = shape
    return kind
  }

  /// The result of reading a single value.
  enum Outcome {
    case value(Value)
    case wrongType
    case badValue
    /// A part of the value is wrong; the texts contain no secret.
    case badPart(expected: String, got: String)
  }

  /// Creates the kind of a single value. `isShown` is false if a message must not repeat the given value.
  init(
    _ expected: String, isLiteral: Bool = true, isShown: Bool = true, longest: Int = SettingLimits.text,
    text: @escaping @Sendable (Value) -> String,
    written: (@Sendable (Value, Bool) -> JSONValue)? = nil,
    _ outcome: @escaping @Sendable (JSONValue) -> Outcome
  ) {
    self.init(
      expected: expected, isLiteral: isLiteral, isCompound: false, isShown: isShown, longest: longest,
      text: text, written: written
    ) { value, path, findings in
      switch outcome(value) {
      case .value(let value):
        return value
      case .wrongType:
        findings.add(.value, path) {
          .wrongType($0, expected: expected, got: isShown ? value.described : value.kind)
        }
      case .badValue:
        findings.add(.value, path) {
          .badValue($0, expected: expected, got: isShown ? value.described : "an invalid value")
        }
      case .badPart(let expected, let got):
        findings.add(.value, path) { .badValue($0, expected: expected, got: got) }
      }
      return nil
    }
  }

  /// A setting that can be without a value. A file leaves out the key; it has no word for it.
  static func optional<Wrapped>(_ kind: SettingKind<Wrapped>) -> Self where Value == Wrapped? {
    SettingKind(
      expected: kind.expected, isLiteral: kind.isLiteral, isCompound: kind.isCompound,
      isShown: kind.isShown, longest: kind.longest, members: kind.members,
      text: { $0.map(kind.text) ?? "not set" },
      written: { value, reveals in value.map { kind.written($0, reveals) } ?? .null }
    ) { value, path, findings in kind.read(value, path, &findings).map(Optional.some) }.shaped(kind.shape)
  }

  /// A value, or the word `off`, which reads as nil.
  static func offOr<Wrapped>(_ kind: SettingKind<Wrapped>) -> Self where Value == Wrapped? {
    let expected = "\"off\" or \(kind.expected)"
    return SettingKind(
      expected, isLiteral: kind.isLiteral, isShown: kind.isShown, longest: kind.longest,
      text: { $0.map(kind.text) ?? "off" },
      written: { value, reveals in value.map { kind.written($0, reveals) } ?? .text("off") }
    ) { value in
      if value == .text("off") { return .value(nil) }
      // Separate findings, because the text of this kind names both choices.
      var unused = Findings(file: "", origin: .default, text: nil)
      if let read = kind.read(value, "", &unused) { return .value(read) }
      // The fault of a part names no choice.
      if case .badValue(_, let part, let got)? = unused.errors.first, part != kind.expected {
        return .badPart(expected: part, got: got)
      }
      if case .text = value { return .badValue }
      return .wrongType
    }.shaped(kind.shape.orOff)
  }
}
