import Quantities

// How the radio is switched.

extension Schema {
  static let networkUp = Of<String?>(
    "network.up", \.network.up, .offOr(.program), default: nil, applies: .afterRestart,
    effect: .requires(.networkProgram(.up)),
    "Program that brings the network up when a destination has something due, and leaves with status 0 once it can be "
      + "used; the radio is off otherwise, and nobody reaches the box from afar then but in the first five minutes. "
      + "Due sends share a session. Notifications to a URL do not raise it.")
  static let networkDown = Of<String?>(
    "network.down", \.network.down, .offOr(.program), default: nil, applies: .afterRestart,
    effect: .requires(.networkProgram(.down)),
    "Program that switches the network off when all are served.")
  static let networkRadio = Of<RadioSort?>(
    "network.rfkill", \.network.radio, .offOr(.word), default: nil, applies: .afterRestart,
    effect: .requires(.kernelRadio),
    "Radio that the kernel blocks while nothing is sent, where neither network.up nor network.down is given; needs the "
      + "right to write to /dev/rfkill.")
  static let networkLine = Of<LineSettings?>(
    "network.line", \.network.line, .fitted(.line), default: nil, applies: .afterRestart,
    effect: .requires(.networkLine),
    "Line that supplies the modem while something is sent, where none of the others is given.")
  static let networkSettling = Of<Duration>(
    "network.settling", \.network.settling, .duration(.zero ... .seconds(300)), default: .zero,
    applies: .afterRestart, effect: .requires(.switchedNetwork),
    "From switching on until the network can be used; a wireless network needs about eight seconds, a modem up to forty. "
      + "A program can wait itself.")
  static let networkPatience = Of<Duration>(
    "network.patience", \.network.patience, .duration(.seconds(1) ... .seconds(600)), default: .seconds(60),
    applies: .afterRestart, effect: .requires(.switchedNetwork),
    "Longest time that switching may take; after it the program is ended, and what waits is tried all the same."
  )
  static let networkLongest = Of<Duration>(
    "network.longest", \.network.longest, .duration(.seconds(30) ... .days(1)), default: .seconds(900),
    applies: .afterRestart, effect: .requires(.switchedNetwork),
    "Longest session of the radio; what is not sent by then waits for the next one.")
}

/// How the radio is switched.
public struct NetworkSettings: Equatable, Sendable {
  /// Programs by their absolute paths; nil: off.
  public var up: String? = Schema.networkUp.fallback
  public var down: String? = Schema.networkDown.fallback
  /// Nil: off.
  public var radio: RadioSort? = Schema.networkRadio.fallback
  /// Nil: not wired.
  public var line: LineSettings? = Schema.networkLine.fallback
  public var settling: Duration = Schema.networkSettling.fallback
  public var patience: Duration = Schema.networkPatience.fallback
  public var longest: Duration = Schema.networkLongest.fallback

  public init() {}
}

/// Radios as the kernel sorts them.
public enum RadioSort: String, Sendable, CaseIterable { case wlan, wwan, bluetooth, all }

extension SettingKind where Value == String {
  /// A program that is run.
  static var program: Self {
    SettingKind("the absolute path of a program", text: { $0 }) { value in
      guard case .text(let text) = value else { return .wrongType }
      return text.hasPrefix("/") && text.isOneLine ? .value(text) : .badValue
    }
  }
}
