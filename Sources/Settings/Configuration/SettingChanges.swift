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
}
