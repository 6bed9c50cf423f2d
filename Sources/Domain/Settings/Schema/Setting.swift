/// The declaration of a setting, from which reading, checking, help and listing are derived.
///
/// `Root` is the type that the setting belongs to: the ``Configuration``, or the member of a list.
struct Setting<Root, Value: Equatable & Sendable>: SettingDeclaration {
  let path: String
  let field: WritableKeyPath<Root, Value> & Sendable
  let kind: SettingKind<Value>
  /// The default value. The properties behind `field` are initialized with it.
  let fallback: Value
  let defaultText: String
  /// Combines the value of a lower layer (first) with that of a higher one (second).
  let mergeLayers: @Sendable (Value, Value) -> Value
  let allowedFiles: AllowedFiles
  let isRequired: Bool
  let applies: Applies
  let effect: Effect<Root>
  let fromServer: FromServer
  let alsoCalled: [String]
  let sentence: String

  /// Creates a declaration. `defaultText` describes a default that the caller chooses.
  init(
    _ path: String, _ field: WritableKeyPath<Root, Value> & Sendable, _ kind: SettingKind<Value>,
    default fallback: Value, defaultText: String? = nil,
    mergeLayers: @escaping @Sendable (Value, Value) -> Value = { $1 },
    allowedFiles: AllowedFiles = .anywhere, isRequired: Bool = false, applies: Applies,
    effect: Effect<Root>,
    fromServer: FromServer = .never, alsoCalled: [String] = [], _ sentence: String
  ) {
    self.path = path
    self.field = field
    self.kind = kind
    self.fallback = fallback
    self.defaultText = defaultText ?? (isRequired ? "none, required" : kind.text(fallback))
    self.mergeLayers = mergeLayers
    self.allowedFiles = allowedFiles
    self.isRequired = isRequired
    self.applies = applies
    self.effect = effect
    self.fromServer = fromServer
    self.alsoCalled = alsoCalled
    self.sentence = sentence
  }

  var expected: String { kind.expected }
  var shape: SettingShape { kind.shape }
  var fallbackValue: JSONValue {
    isRequired || defaultText != kind.text(fallback) ? .null : kind.written(fallback, false)
  }
  var isLiteral: Bool { kind.isLiteral }
  var isCompound: Bool { kind.isCompound }
  var memberKeys: [String] { kind.memberKeys }
  var members: [SettingDescription] { kind.members }

  func accept(_ value: JSONValue, at path: String, into root: inout Root, _ findings: inout Findings) -> Bool
  {
    guard let read = kind.read(value, path, &findings) else { return false }
    root[keyPath: field] = mergeLayers(root[keyPath: field], read)
    return true
  }

  var property: AnyKeyPath { field }
  func copy(from source: Root, to target: inout Root) { target[keyPath: field] = source[keyPath: field] }
  func text(in root: Root) -> String { kind.text(root[keyPath: field]) }
  func written(in root: Root, revealing: Bool) -> JSONValue { kind.written(root[keyPath: field], revealing) }
  func isDefault(in root: Root) -> Bool { root[keyPath: field] == fallback }
  func isOverridden(_ lower: Root, by root: Root) -> Bool {
    mergeLayers(root[keyPath: field], lower[keyPath: field]) != root[keyPath: field]
  }
  func differs(_ a: Root, _ b: Root) -> Bool { a[keyPath: field] != b[keyPath: field] }

  var hasCondition: Bool { effect.obstacle != nil }

  func obstacle(in root: Root, of configuration: Configuration, on machine: MachineFacts) -> String? {
    guard let obstacle = effect.obstacle, effect.countsWhenOff || !isOff(in: root) else { return nil }
    return obstacle(root, configuration, machine)
  }

  /// True if the value switches something off or is empty.
  private func isOff(in root: Root) -> Bool {
    switch kind.written(root[keyPath: field], false) {
    case .null, .boolean(false), .text("off"), .list([]): true
    case .boolean, .number, .text, .list, .group: false
    }
  }
}

/// The files in which a setting is allowed.
enum AllowedFiles: Sendable {
  case anywhere
  case onlyInBoardFile
  /// In no board file, because the setting selects the board file.
  case neverInBoardFile
}

/// A ``Setting`` without its value type.
protocol SettingDeclaration<Root>: Sendable {
  associatedtype Root

  /// The dotted path from the outermost group of `Root`.
  var path: String { get }
  /// The text after "expected": type, unit, range or words.
  var expected: String { get }
  /// The form of the value, for programs.
  var shape: SettingShape { get }
  /// The default value as in a file; null if there is none, or if ``defaultText`` describes it.
  var fallbackValue: JSONValue { get }
  var defaultText: String { get }
  var allowedFiles: AllowedFiles { get }
  var isRequired: Bool { get }
  var applies: Applies { get }
  var fromServer: FromServer { get }
  /// Names that other programs use for the last component of the path. If one of them is used, the error suggests this
  /// path.
  var alsoCalled: [String] { get }
  var sentence: String { get }
  /// True if `--set` takes the text after `=` literally, without JSON5 quotes.
  var isLiteral: Bool { get }
  var isCompound: Bool { get }
  /// The keys of the members of a list, as appended to the path: `[].token`.
  var memberKeys: [String] { get }
  /// The settings in the value of a list or group, with paths as appended to the path: `.chip`, `[].token`.
  var members: [SettingDescription] { get }

  /// Stores the value and returns true, or adds an error to the findings. `path` is the whole path, for messages.
  func accept(_ value: JSONValue, at path: String, into root: inout Root, _ findings: inout Findings) -> Bool
  /// The property that holds the value.
  var property: AnyKeyPath { get }
  func copy(from source: Root, to target: inout Root)
  /// The value as text for people; secrets are hidden.
  func text(in root: Root) -> String
  /// The value as in a file; secrets are hidden unless `revealing`.
  func written(in root: Root, revealing: Bool) -> JSONValue
  func isDefault(in root: Root) -> Bool
  /// True if any part of the value in `lower` has no effect in `root` because a higher layer gave a value.
  func isOverridden(_ lower: Root, by root: Root) -> Bool
  func differs(_ a: Root, _ b: Root) -> Bool

  /// True if the setting has no effect in some configurations.
  var hasCondition: Bool { get }
  /// The reason why the value in `root` has no effect in `configuration`; nil if it has one.
  func obstacle(in root: Root, of configuration: Configuration, on machine: MachineFacts) -> String?
}
