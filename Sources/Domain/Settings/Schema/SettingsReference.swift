/// The reference of settings, generated from their declarations.
public enum SettingsReference {
  /// All settings. Those of list elements follow their list, and the keys of a group that is set as a whole follow the
  /// group.
  public static var all: [SettingDescription] {
    Configuration.listed.flatMap { setting in
      [SettingDescription(setting)] + setting.members.map { $0.inside(setting.path) }
    }
  }

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

  /// The group of a setting; empty for a setting outside of groups.
  static func section(of path: String) -> Substring {
    if let bracket = path.firstIndex(of: "[") { return path[..<bracket] }
    return path.firstIndex(of: ".").map { path[..<$0] } ?? ""
  }
}
