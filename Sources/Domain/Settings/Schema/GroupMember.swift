/// A setting of a component with its value, for descriptions of the component.
public struct GroupMember: Equatable, Sendable {
  /// The key, as in a file.
  public let key: String
  /// The value, as in a file; null if none is given.
  public var value: JSONValue
  /// True if the value is the default of the setting.
  public var isDefault: Bool

  public init(key: String, value: JSONValue, isDefault: Bool) {
    (self.key, self.value, self.isDefault) = (key, value, isDefault)
  }
}

extension SettingTable {
  /// All settings of `root` in the order of the table, those at their default, too.
  func members(of root: Root) -> [GroupMember] {
    settings.map { setting in
      GroupMember(
        key: setting.path, value: setting.written(in: root, revealing: false),
        isDefault: setting.isDefault(in: root))
    }
  }
}

extension GaugeSettings {
  /// All settings that apply to the source, in the order of the reference.
  public var members: [GroupMember] {
    let all = Field.table.members(of: self)
    guard case .powerSupply? = source else { return all }
    return all.filter { Field.ofPowerSupply.contains($0.key) }
  }
}

extension AccelerometerSettings {
  /// All settings in the order of the reference.
  public var members: [GroupMember] { Field.table.members(of: self) }
}
