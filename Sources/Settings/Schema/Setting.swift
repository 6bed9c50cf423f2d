/// The one declaration of a setting: reading, checking, help and listing all come from it.
///
/// `Root` is what the setting belongs to: the ``Configuration``, or one destination.
struct Setting<Root, Value: Equatable & Sendable>: SettingDeclaration {
  let path: String
  let field: WritableKeyPath<Root, Value> & Sendable
  let kind: SettingKind<Value>
  /// The value where nobody gives one. The properties behind `field` begin with it.
  let fallback: Value
  let defaultText: String
  /// What becomes of a lower source's value (first) when a higher one gives its own (second).
  let laidOver: @Sendable (Value, Value) -> Value
  let stands: Stands
  let isRequired: Bool
  let applies: Applies
  let effect: Effect<Root>
  let fromServer: FromServer
  let alsoCalled: [String]
  let sentence: String

  /// `defaultText` speaks where the caller chooses the default.
  init(
    _ path: String, _ field: WritableKeyPath<Root, Value> & Sendable, _ kind: SettingKind<Value>,
    default fallback: Value, defaultText: String? = nil,
    laidOver: @escaping @Sendable (Value, Value) -> Value = { $1 },
    stands: Stands = .anywhere, isRequired: Bool = false, applies: Applies,
    effect: Effect<Root>,
    fromServer: FromServer = .never, alsoCalled: [String] = [], _ sentence: String
  ) {
    self.path = path
    self.field = field
    self.kind = kind
    self.fallback = fallback
    self.defaultText = defaultText ?? (isRequired ? "none, required" : kind.text(fallback))
    self.laidOver = laidOver
    self.stands = stands
    self.isRequired = isRequired
    self.applies = applies
    self.effect = effect
    self.fromServer = fromServer
    self.alsoCalled = alsoCalled
    self.sentence = sentence
  }

  var expected: String { kind.expected }
  var isLiteral: Bool { kind.isLiteral }
  var isCompound: Bool { kind.isCompound }
  var memberKeys: [String] { kind.memberKeys }

  func accept(_ value: JSONValue, at path: String, into root: inout Root, _ findings: inout Findings) -> Bool
  {
    guard let read = kind.read(value, path, &findings) else { return false }
    root[keyPath: field] = laidOver(root[keyPath: field], read)
    return true
  }

  func text(in root: Root) -> String { kind.text(root[keyPath: field]) }
  func written(in root: Root, revealing: Bool) -> JSONValue { kind.written(root[keyPath: field], revealing) }
  func isDefault(in root: Root) -> Bool { root[keyPath: field] == fallback }
  func isOverridden(_ lower: Root, by root: Root) -> Bool {
    laidOver(root[keyPath: field], lower[keyPath: field]) != root[keyPath: field]
  }
  func differs(_ a: Root, _ b: Root) -> Bool { a[keyPath: field] != b[keyPath: field] }

  var hasCondition: Bool { effect.obstacle != nil }

  func obstacle(in root: Root, of configuration: Configuration, on machine: MachineFacts) -> String? {
    guard let obstacle = effect.obstacle, effect.countsWhenOff || !isOff(in: root) else { return nil }
    return obstacle(root, configuration, machine)
  }

  /// The value asks for nothing.
  private func isOff(in root: Root) -> Bool {
    switch kind.written(root[keyPath: field], false) {
    case .null, .boolean(false), .text("off"), .list([]): true
    case .boolean, .number, .text, .list, .group: false
    }
  }
}

/// In which files a setting may stand.
enum Stands: Sendable {
  case anywhere
  case onlyInBoardFile
  /// The board cannot be chosen by the board.
  case neverInBoardFile
}

/// A ``Setting`` whose type of value does not matter.
protocol SettingDeclaration<Root>: Sendable {
  associatedtype Root

  /// Dotted, from the outermost group of `Root`.
  var path: String { get }
  /// What the value must be, to stand after "expected".
  var expected: String { get }
  var defaultText: String { get }
  var stands: Stands { get }
  var isRequired: Bool { get }
  var applies: Applies { get }
  var fromServer: FromServer { get }
  /// Words that other programs have for the last component of the path: who writes one of them is told this path.
  var alsoCalled: [String] { get }
  var sentence: String { get }
  /// `--set` takes the text after `=` as it stands, without JSON5 quotes.
  var isLiteral: Bool { get }
  var isCompound: Bool { get }
  /// The keys that the members of a list have, as they follow the path: `[].token`.
  var memberKeys: [String] { get }

  /// Stores the value and answers true, or notes what is wrong with it. `path` is the whole path, for messages.
  func accept(_ value: JSONValue, at path: String, into root: inout Root, _ findings: inout Findings) -> Bool
  /// The value for people; secrets hidden.
  func text(in root: Root) -> String
  /// The value in the words of a file; secrets hidden unless `revealing`.
  func written(in root: Root, revealing: Bool) -> JSONValue
  func isDefault(in root: Root) -> Bool
  /// Whether any part of the value in `lower` has no effect in `root`, where a higher source gave a value.
  func isOverridden(_ lower: Root, by root: Root) -> Bool
  func differs(_ a: Root, _ b: Root) -> Bool

  /// Whether some configurations give the setting no effect.
  var hasCondition: Bool { get }
  /// Why the value in `root` has no effect in `configuration`; nil if it has one.
  func obstacle(in root: Root, of configuration: Configuration, on machine: MachineFacts) -> String?
}
