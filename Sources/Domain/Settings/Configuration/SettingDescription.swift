/// The description of a setting, without its value.
public struct SettingDescription: Equatable, Sendable {
  /// Dotted key path.
  public private(set) var path: String
  /// The accepted values: type, unit, range or words.
  public let expected: String
  /// The default value as text for people.
  public let defaultText: String
  /// The form of the value, for programs.
  public let shape: SettingShape
  /// The default value as in a file; null if there is none.
  let fallback: JSONValue
  public let sentence: String
  public let applies: Applies
  public let fromServer: FromServer

  init<Root>(_ setting: any SettingDeclaration<Root>) {
    path = setting.path
    expected = setting.expected
    defaultText = setting.defaultText
    shape = setting.shape
    fallback = setting.fallbackValue
    sentence = setting.sentence
    applies = setting.applies
    fromServer = setting.fromServer
  }

  /// The same description with `prefix` before its path.
  func inside(_ prefix: String) -> SettingDescription {
    var member = self
    member.path = prefix + path
    return member
  }
}

extension SettingTable {
  /// The descriptions of all settings, and then of those in the values of lists and groups.
  var descriptions: [SettingDescription] {
    settings.map { SettingDescription($0) }
      + settings.flatMap { setting in setting.members.map { $0.inside(setting.path) } }
  }
}

/// One line of the listing of settings.
public struct SettingRow: Equatable, Sendable {
  public let setting: SettingDescription
  /// The effective value as text for people; secrets are hidden.
  public let value: String
  /// The effective value as in a file, as JSON; secrets are hidden.
  public let json: String
  public let origin: Origin
}

extension Configuration {
  /// The descriptions of all settings except those of board files alone, for help and reference.
  public static var settings: [SettingDescription] { listed.map { SettingDescription($0) } }

  /// Every setting with its effective value and origin.
  public var rows: [SettingRow] {
    Self.listed.map { setting in
      SettingRow(
        setting: SettingDescription(setting), value: setting.text(in: self),
        json: setting.written(in: self, revealing: false).json,
        origin: origins[setting.path] ?? .default)
    }
  }

  /// All settings except those of board files alone, which describe a board.
  static var listed: [any SettingDeclaration<Configuration>] {
    Schema.table.settings.filter { $0.allowedFiles != .onlyInBoardFile }
  }
}
