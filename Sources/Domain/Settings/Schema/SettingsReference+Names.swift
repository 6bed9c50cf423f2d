extension SettingsReference {
  /// The settings with a name that a person types: the setting of that path, or all of that group; empty if there is none.
  ///
  /// A setting of the members of a list is found as `destinations[].token`, as `destinations.token`, and by the name of a
  /// member as in a listing, `destinations.home.token`. A value that a server sets for its own destination is found as
  /// `destinations.home.main.batch_size`.
  public static func settings(named name: String) -> [SettingDescription] {
    let all = all
    func found(_ path: String) -> [SettingDescription] {
      all.filter { $0.path == path || $0.path.hasPrefix("\(path).") }
    }
    let plain = found(name)
    guard plain.isEmpty else { return plain }
    let components = name.split(separator: ".")
    guard let list = components.first?.prefix(while: { $0 != "[" }) else { return [] }
    for start in components.indices.dropFirst() {
      let remainder = components[start...].joined(separator: ".")
      let member = found("\(list)[].\(remainder)")
      guard member.isEmpty else { return member }
      if list == Schema.destinations.path, Schema.table[remainder]?.fromServer == .destination {
        return found(remainder)
      }
    }
    return []
  }

  /// The names to suggest for an unknown one: `a`, `a or b`; nil if none is similar.
  public static func names(meantBy name: String) -> String? {
    NearestKey.choice(Schema.table.meant(by: name))
  }

  /// The names to suggest for an unknown one among the settings with a value, without groups and members of lists.
  public static func settings(meantBy name: String) -> String? {
    NearestKey.choice(
      NearestKey.meant(by: name, among: Schema.table.settings.map { NearestKey.Candidate($0) }))
  }
}
