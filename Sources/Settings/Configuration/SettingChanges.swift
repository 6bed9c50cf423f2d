/// What differs between two configurations, by dotted path in the order of the schema.
public struct SettingChanges: Equatable, Sendable {
  /// Can come into force in the running logger.
  public var atOnce: [String]
  /// Come into force with the next start.
  public var afterRestart: [String]

  public var isEmpty: Bool { atOnce.isEmpty && afterRestart.isEmpty }
}

extension Configuration {
  /// Compares values only: the same value from another origin is no change.
  public func changes(to next: Configuration) -> SettingChanges {
    let changed = Self.listed.filter { $0.differs(self, next) }
    return SettingChanges(
      atOnce: changed.filter { $0.applies == .atOnce }.map(\.path) + changesOfDestinations(to: next),
      afterRestart: changed.filter { $0.applies == .afterRestart }.map(\.path))
  }

  /// A setting as the log tells that it was changed: its path and, where the value is one word or number that is no
  /// secret, what it is now and who said so. Lists and groups are left out: they can be long, and hold places.
  public func told(_ path: String) -> String {
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
