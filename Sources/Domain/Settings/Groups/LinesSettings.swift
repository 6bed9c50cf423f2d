/// The lines of the board by purpose.
public struct LinesSettings: Equatable, Sendable {
  /// The ignition line, active while the ignition is on; nil if not wired.
  public var ignition: LineSettings? = Schema.ignition.fallback

  public init() {}
}

extension Schema {
  static let ignition = Of<LineSettings?>(
    "lines.ignition", \.lines.ignition, .optionalComponent(.line), default: nil, applies: .afterRestart,
    effect: .always,
    "GPIO line that is active while the ignition is on. It wakes the receiver, and switching the "
      + "ignition off ends a trip.")
}

extension LinesSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.ignition
  ]
}
