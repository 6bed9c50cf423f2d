/// What there is to know about a setting apart from its value.
public struct SettingDescription: Equatable, Sendable {
  /// Dotted key path.
  public private(set) var path: String
  /// What the value must be: sort, unit, range or words.
  public let expected: String
  /// The value where nobody gives one, for people.
  public let defaultText: String
  public let sentence: String
  public let applies: Applies
  public let fromServer: FromServer

  init<Root>(_ setting: any SettingDeclaration<Root>) {
    path = setting.path
    expected = setting.expected
    defaultText = setting.defaultText
    sentence = setting.sentence
    applies = setting.applies
    fromServer = setting.fromServer
  }

  /// The same as a setting of a group.
  func of(_ group: String) -> SettingDescription {
    var member = self
    member.path = "\(group).\(path)"
    return member
  }

  /// The same as a setting of each element of a list.
  func inside(_ list: String) -> SettingDescription {
    var element = self
    element.path = "\(list)[].\(path)"
    return element
  }
}

/// One line of the listing of settings.
public struct SettingRow: Equatable, Sendable {
  public let setting: SettingDescription
  /// The effective value for people; secrets hidden.
  public let value: String
  /// The effective value in the words of a file, as JSON; secrets hidden.
  public let json: String
  public let origin: Origin
}

extension Configuration {
  /// Every setting that operator, server or board may give, for help and reference.
  public static var settings: [SettingDescription] { listed.map { SettingDescription($0) } }

  /// Every setting with its effective value and where it comes from.
  public var rows: [SettingRow] {
    Self.listed.map { setting in
      SettingRow(
        setting: SettingDescription(setting), value: setting.text(in: self),
        json: setting.written(in: self, revealing: false).json,
        origin: origins[setting.path] ?? .default)
    }
  }

  /// Title and notes describe a board and set nothing.
  static var listed: [any SettingDeclaration<Configuration>] {
    Schema.table.settings.filter { $0.stands != .onlyInBoardFile }
  }
}
