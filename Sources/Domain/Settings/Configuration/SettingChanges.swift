/// The differences between two configurations, by dotted path in the order of the schema.
public struct SettingChanges: Equatable, Sendable {
  /// The settings that take effect immediately, in the running logger.
  public var atOnce: [String]
  /// The settings that take effect after a restart.
  public var afterRestart: [String]

  public var isEmpty: Bool { atOnce.isEmpty && afterRestart.isEmpty }
}

extension Configuration {
  /// Compares the values of two configurations. The same value from another origin is no change.
  public func changes(to next: Configuration) -> SettingChanges {
    let changed = Self.listed.filter { $0.differs(self, next) }
    return SettingChanges(
      atOnce: changed.filter { $0.applies == .atOnce }.map(\.path) + changesOfDestinations(to: next),
      afterRestart: changed.filter { $0.applies == .afterRestart }.map(\.path))
  }

  /// A changed setting for the log: its path and, if the value is a single word or number and not secret, the value and its
  /// origin. Lists and groups are omitted because they can be long and contain coordinates.
  public func logText(_ path: String) -> String {
    guard let value = Schema.table[path]?.written(in: self, revealing: false) else { return path }
    switch value {
    case .boolean, .number, .text: break
    case .null, .list, .group: return path
    }
    let text = value.assigned
    guard text.utf8.count <= 60 else { return path }
    return "\(path): \(text) (\((origins[path] ?? .default).word))"
  }
}
