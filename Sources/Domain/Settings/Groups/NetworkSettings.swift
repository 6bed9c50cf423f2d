import Quantities

/// The programs, the kernel switch or the line that switch the radio, and their times.
public struct NetworkSettings: Equatable, Sendable {
  /// The absolute path of the program that switches the radio on, or its unit; nil if off. The next one switches it off.
  public var up: String? = Schema.networkUp.fallback
  public var down: String? = Schema.networkDown.fallback
  /// The radio type that the kernel switches; nil if off.
  public var radio: RadioKind? = Schema.networkRadio.fallback
  /// The line that switches the radio; nil if not wired.
  public var line: LineSettings? = Schema.networkLine.fallback
  public var settling: Duration = Schema.networkSettling.fallback
  public var timeout: Duration = Schema.networkTimeout.fallback
  public var longest: Duration = Schema.networkLongest.fallback

  public init() {}
}

extension Schema {
  static let networkUp = Of<String?>(
    "network.up", \.network.up, .offOr(.program), default: nil, applies: .afterRestart,
    effect: .requires(.networkProgram(.up)),
    "Program or unit that starts the network when a destination has something due. It must exit with status "
      + "0 when the network is usable. While nothing is due, the device cannot be reached over the "
      + "network, except in the first five minutes. Due sends share a radio session. Notifications to "
      + "a URL do not start the network.")
  static let networkDown = Of<String?>(
    "network.down", \.network.down, .offOr(.program), default: nil, applies: .afterRestart,
    effect: .requires(.networkProgram(.down)),
    "Program or unit that stops the network when all destinations are served.")
  static let networkRadio = Of<RadioKind?>(
    "network.rfkill", \.network.radio, .offOr(.word), default: nil, applies: .afterRestart,
    effect: .requires(.kernelRadio),
    "Radio that the kernel blocks while nothing is sent, if neither network.up nor network.down is "
      + "given. It requires permission to write to /dev/rfkill.")
  static let networkLine = Of<LineSettings?>(
    "network.line", \.network.line, .optionalComponent(.line), default: nil, applies: .afterRestart,
    effect: .requires(.networkLine),
    "GPIO line that powers the modem while something is sent, if network.up, network.down and "
      + "network.rfkill are not given.")
  static let networkSettling = Of<Duration>(
    "network.settling", \.network.settling, .duration(.zero ... .seconds(300)), default: .zero,
    applies: .afterRestart, effect: .requires(.switchedNetwork),
    "Time from switching the network on until it is usable. A wireless network needs about 8 s, a "
      + "modem up to 40 s. 0s is enough if the program in network.up waits until the network is "
      + "usable.")
  static let networkTimeout = Of<Duration>(
    "network.patience", \.network.timeout, .duration(.seconds(1) ... .seconds(600)), default: .seconds(60),
    applies: .afterRestart, effect: .requires(.switchedNetwork),
    "Longest time that switching the network may take. The program is then ended, and sending is "
      + "attempted anyway.")
  static let networkLongest = Of<Duration>(
    "network.longest", \.network.longest, .duration(.seconds(30) ... .days(1)), default: .seconds(900),
    applies: .afterRestart, effect: .requires(.switchedNetwork),
    "Longest radio session. Records that are not sent by then stay queued for the next one.")
}

extension NetworkSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.networkUp, Schema.networkDown, Schema.networkRadio, Schema.networkLine, Schema.networkSettling,
    Schema.networkTimeout, Schema.networkLongest,
  ]
}

/// Radio types of the kernel (rfkill).
public enum RadioKind: String, Sendable, CaseIterable { case wlan, wwan, bluetooth, all }

extension SettingKind where Value == String {
  /// A program to run, or a unit to start.
  static var program: Self {
    SettingKind("the absolute path of a program, or \(HookUnit.form)", text: { $0 }) { value in
      guard case .text(let text) = value else { return .wrongType }
      return text.hasPrefix("/") && text.isOneLine || HookUnit(text) != nil ? .value(text) : .badValue
    }
  }
}
