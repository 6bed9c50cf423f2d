/// The limits of changes by servers (`remote`).
public struct RemoteSettings: Equatable, Sendable {
  public var maxSilence: Duration = Schema.maxSilence.fallback
  /// The settings and groups of settings that servers cannot change.
  public var locked: [String] = Schema.locked.fallback

  public init() {}

  /// True if the setting at a dotted path, or a group that contains it, is locked.
  public func locks(_ path: String) -> Bool {
    locked.contains { $0 == path || path.hasPrefix($0 + ".") }
  }
}

extension Schema {
  static let maxSilence = Of<Duration>(
    "remote.max_silence", \.remote.maxSilence, .duration(.seconds(1) ... .days(30)), default: .days(1),
    applies: .atOnce, effect: .requires(.settingServer),
    "Longest time without proof that the device still reaches a server that has changed its "
      + "settings. After half of it, a check-in sends a fresh location, which costs a fix and a radio "
      + "session. After the whole of it, a change that is not proven is rolled back.")
  static let locked = Of<[String]>(
    "remote.locked", \.remote.locked, .settingNames, default: [], applies: .atOnce,
    effect: .requires(.settingServer),
    "Settings, or groups of settings such as main, that servers cannot change. Values that a server "
      + "has set there are forgotten.")
}

extension RemoteSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.maxSilence, Schema.locked,
  ]
}
