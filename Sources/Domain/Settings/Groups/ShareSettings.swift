/// The settings of what other programs get from the receiver (`share`).
public struct ShareSettings: Equatable, Sendable {
  /// The TCP address of gpsd's protocol, `ADDRESS:PORT`; nil for none.
  public var gpsd: String? = Schema.shareGPSD.fallback

  public init() {}
}

extension Schema {
  static let shareGPSD = Of<String?>(
    "share.gpsd", \.share.gpsd, .offOr(.sharedAddress), default: nil, applies: .atOnce, effect: .always,
    "TCP address on which clients of gpsd, such as cgps and gpspipe, read the receiver. They only read, and "
      + "there is no sign-in: at another address than 127.0.0.1 or [::1], everyone there reads the positions."
  )
}

extension ShareSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [Schema.shareGPSD]
}
