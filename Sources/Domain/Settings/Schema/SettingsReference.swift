/// The reference of settings, generated from their declarations.
public enum SettingsReference {
  /// All settings. Those of list elements follow their list, and the keys of a group that is set as a whole follow the
  /// group.
  public static var all: [SettingDescription] {
    Configuration.settings.flatMap { setting in
      [setting] + elements(of: setting.path).map { $0.inside(setting.path) }
        + members(of: setting.path).map { $0.of(setting.path) }
    }
  }

  private static func members(of path: String) -> [SettingDescription] {
    switch path {
    case Schema.gauge.path: descriptions(GaugeGroup.Field.table)
    case Schema.accelerometer.path:
      descriptions(AccelerometerSettings.Field.table)
        + lines.map { $0.of(AccelerometerSettings.Field.interrupt.path) }
    case Schema.ignition.path, Schema.statusLED.path, Schema.enable.path, Schema.networkLine.path: lines
    case Schema.energy.path:
      descriptions(EnergySettings.table)
        + Consumer.allCases.flatMap { consumer in
          descriptions(CurrentFigure.Field.table).map { $0.of(consumer.rawValue) }
        }
    default: []
    }
  }

  private static var lines: [SettingDescription] { descriptions(LineSettings.Field.table) }

  /// The time at which a change takes effect, and the permission of servers to set it.
  public static func circumstances(of setting: SettingDescription) -> String {
    var words = [setting.applies == .atOnce ? "takes effect immediately" : "takes effect after a restart"]
    switch setting.fromServer {
    case .never: break
    case .device: words.append("a server may set it")
    case .destination: words.append("a server may set it for its own destination")
    }
    return words.joined(separator: "; ")
  }

  /// The reference page: a section per group in the order of the schema, beginning with the settings outside of groups.
  public static var markdown: String {
    var page = """
      # Settings

      Every setting has one value, from the highest layer that gives one. The layers, lowest first: default, board, usage
      profile, file, server, operator (`outrider set`), `--set`. Durations and distances have a unit: `"90s"`, `"25m"`.

      """
    let all = all
    var sections: [Substring] = []
    for setting in all where !sections.contains(section(of: setting.path)) {
      sections.append(section(of: setting.path))
    }
    for name in sections {
      page += "\n## \(name.isEmpty ? "General" : String(name))\n"
      for setting in all where section(of: setting.path) == name {
        page += """

          ### \(setting.path)

          \(setting.sentence)

          - values: \(setting.expected)
          - default: \(setting.defaultText)
          - \(circumstances(of: setting))

          """
      }
    }
    return page
  }

  private static func section(of path: String) -> Substring {
    if let bracket = path.firstIndex(of: "[") { return path[..<bracket] }
    return path.firstIndex(of: ".").map { path[..<$0] } ?? ""
  }

  private static func elements(of path: String) -> [SettingDescription] {
    switch path {
    case Schema.destinations.path: descriptions(DestinationSettings.Field.table)
    case Schema.profiles.path:
      descriptions(ProfileSettings.Field.table)
        + descriptions(BeaconingSettings.Field.table).map { $0.of(ProfileSettings.Field.beaconing.path) }
    case Schema.zones.path: descriptions(ZoneSettings.Field.table)
    case Schema.privacyZones.path: descriptions(ZoneSettings.Field.shapeTable)
    case Schema.wifiZones.path: descriptions(WifiZoneSettings.Field.table)
    default: []
    }
  }

  private static func descriptions<Root>(_ table: SettingTable<Root>) -> [SettingDescription] {
    table.settings.map { SettingDescription($0) }
  }
}
