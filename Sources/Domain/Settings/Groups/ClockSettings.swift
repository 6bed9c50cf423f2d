/// The settings of the system clock (`clock`).
public struct ClockSettings: Equatable, Sendable {
  /// Path of the socket of chrony's reference clock; nil if off.
  public var chrony: String? = Schema.chrony.fallback

  public init() {}

  /// The path for `clock.chrony: true`. Debian's AppArmor profile of chronyd permits `/run/chrony.*.sock`.
  public static let socketOfChrony = "/run/chrony.outrider.sock"
  /// Longest path of a Unix socket in bytes (`sun_path` in unix(7), without its NUL).
  static let longestSocketPath = 107
}

extension Schema {
  static let chrony = Of<String?>(
    "clock.chrony", \.clock.chrony, .chrony, default: nil, applies: .afterRestart,
    effect: .requires(.serialPort),
    "Passes the receiver's time to chrony as a reference clock, through the Unix socket that "
      + "refclock SOCK in chrony.conf names. true stands for \(ClockSettings.socketOfChrony). The "
      + "group outrider requires write access to the socket. chrony alone sets the system clock.")
}

extension ClockSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.chrony
  ]
}

extension SettingKind where Value == String? {
  /// The socket of chrony's reference clock: `true` for the usual path, or an absolute path.
  fileprivate static var chrony: Self {
    SettingKind(
      "\"off\", true, or the absolute path of a Unix socket of at most \(ClockSettings.longestSocketPath) bytes",
      text: { $0 ?? "off" }
    ) { value in
      switch value {
      case .boolean(false), .text("off"), .text("false"): return .value(nil)
      case .boolean(true), .text("true"): return .value(ClockSettings.socketOfChrony)
      case .text(let text):
        let isPath = text.hasPrefix("/") && text.isOneLine
        return isPath && text.utf8.count <= ClockSettings.longestSocketPath ? .value(text) : .badValue
      case .null, .number, .list, .group: return .wrongType
      }
    }
  }
}
