// Given settings without effect in this configuration. Values of defaults, boards and usage profiles are not reported.

extension Configuration {
  /// The given settings without effect, with the reason: `KEY: has no effect because REASON`.
  func withoutEffect(on machine: MachineFacts) -> [String] {
    let settings = Schema.table.settings.compactMap { setting -> String? in
      guard isGiven(setting.path) else { return nil }
      return setting.obstacle(in: self, of: self, on: machine).map {
        "\(setting.path): has no effect because \($0)"
      }
    }
    return settings
      + membersWithoutEffect(
        Schema.destinations, DestinationSettings.Field.table, named: \.name, on: machine)
      + membersWithoutEffect(
        Schema.profiles, ProfileSettings.Field.table, named: \.when.rawValue, on: machine)
      + membersWithoutEffect(Schema.zones, ZoneSettings.Field.table, named: \.name, on: machine)
      + membersWithoutEffect(Schema.privacyZones, ZoneSettings.Field.shapeTable, named: \.name, on: machine)
      + membersWithoutEffect(Schema.wifiZones, WifiZoneSettings.Field.table, named: \.name, on: machine)
  }

  private func membersWithoutEffect<Element>(
    _ list: Setting<Configuration, [Element]>, _ table: SettingTable<Element>,
    named name: KeyPath<Element, String>, on machine: MachineFacts
  ) -> [String] {
    guard isGiven(list.path) else { return [] }
    return self[keyPath: list.field].enumerated().flatMap { index, element in
      let elementPath = "\(list.path)[\(index)]"
      return table.settings.compactMap { setting -> String? in
        guard givenMembers.contains(Shown.path(elementPath, setting.path)) else { return nil }
        return setting.obstacle(in: element, of: self, on: machine).map {
          "\(elementPath) (\(element[keyPath: name])): \(setting.path): has no effect because \($0)"
        }
      }
    }
  }

  /// True if a person or a server gave the setting its value.
  private func isGiven(_ path: String) -> Bool {
    switch origins[path] ?? .default {
    case .default, .board, .profile: false
    case .file, .server, .operator, .override: true
    }
  }
}
