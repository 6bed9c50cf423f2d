import Quantities

/// The settings of the page of the local API (`page`).
public struct PageSettings: Equatable, Sendable {
  public var isEnabled: Bool = Schema.pageEnabled.fallback
  /// The time for which a request keeps the host awake.
  public var awake: Duration = Schema.pageAwake.fallback

  public init() {}
}

extension Schema {
  static let pageEnabled = Of<Bool>(
    "page.enabled", \.page.isEnabled, .boolean, default: true, applies: .atOnce,
    effect: .requires(.api),
    "Switch of the web page, which the local API serves at its address.")
  static let pageAwake = Of<Duration>(
    "page.awake", \.page.awake, .duration(.seconds(10) ... .days(1)), default: .seconds(300),
    applies: .atOnce, effect: .requires(.hostSleep),
    "Time for which the host stays awake after a request of the page or the command line. A page that "
      + "is only open does not keep it awake.")
}

extension PageSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [Schema.pageEnabled, Schema.pageAwake]
}
