import Quantities

/// The board or circuit that cuts the supply of the host between two tasks.
public struct PowerManagerSettings: Equatable, Sendable {
  /// The part that cuts.
  public enum Part: Equatable, Sendable {
    /// A chip with a driver in this program, and the path of its I²C bus, as in `/dev/i2c-1`.
    case chip(String, bus: String)
    /// A latch that the kernel releases at the end of the shutdown (overlay gpio-poweroff) and that the alarm of the clock
    /// chip sets again.
    case latch
  }

  /// The name of a latch, which has no chip.
  public static let latch = "latch"

  var chip: String? = Field.chip.fallback
  var bus: String? = Field.bus.fallback
  /// The 7-bit address, right-aligned; nil for the usual address of the chip.
  public var address: UInt8? = Field.address.fallback
  /// Time from the command for the shutdown to the cut.
  public var cutAfter: Duration = Field.cutAfter.fallback
  /// Time after which the dead-man timer starts the host; nil for none.
  public var deadMan: Duration? = Field.deadMan.fallback
  /// Voltage below which the board does not start the host, in V; nil leaves the board's own limit.
  public var lowVolts: Double? = Field.low.fallback
  /// Voltage above which it starts the host again, in V; nil leaves the board's own limit.
  public var recoveryVolts: Double? = Field.recovery.fallback

  /// The part that cuts; nil for an incomplete group, which no source can give.
  public var part: Part? {
    guard let chip else { return nil }
    if chip == Self.latch { return .latch }
    return bus.map { .chip(chip, bus: $0) }
  }

  /// The boards that store limits of the voltage.
  private static let boardsWithLimits = ["witty-pi-4"]

  /// The boards without a dead-man timer.
  private static let boardsWithoutDeadMan = ["pisugar-3"]

  /// True if a chip with a driver arranges the wake-up, so that no clock chip is needed.
  var wakes: Bool { if case .chip? = part { true } else { false } }

  init() {}

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<PowerManagerSettings, Value>

    static let chip = Of<String?>(
      "chip", \.chip, .optional(.chip(.powerManager)), default: nil, applies: .afterRestart, effect: .always,
      "Name of the board, as outrider doctor i2c shows it. latch is a circuit that the alarm of rtc "
        + "switches on, and the overlay gpio-poweroff off.")
    static let bus = Of<String?>(
      "bus", \.bus, .optional(.path), default: nil, applies: .afterRestart, effect: .always,
      "Device of the I²C bus, as in /dev/i2c-1. A latch has none.")
    static let address = Of<UInt8?>(
      "address", \.address, .optional(.address), default: nil, defaultText: "the usual address of the board",
      applies: .afterRestart, effect: .always, "I²C address of the board, 7 bits.")
    static let cutAfter = Of<Duration>(
      "cut_after", \.cutAfter, .duration(.seconds(15) ... .seconds(240)), default: .seconds(30),
      applies: .afterRestart, effect: .always,
      "Time from the command for the shutdown to the cut of the supply, whether the host is down by then "
        + "or not. At least host.stopping and 10 s more. A latch is released at the end of the "
        + "shutdown instead.")
    static let deadMan = Of<Duration?>(
      "dead_man", \.deadMan, .offOr(.duration(.seconds(3600) ... .days(30))), default: .seconds(6 * 3600),
      applies: .afterRestart, effect: .always,
      "Time after which a second timer of the board starts the host although no alarm came. A board without "
        + "one requires off; the host then sleeps for at most an hour, until ten alarms in a row have "
        + "started it.")

    static let low = Of<Double?>(
      "low_V", \.lowVolts, .optional(.number(2...25, "V")), default: nil, defaultText: "that of the board",
      applies: .afterRestart, effect: .always,
      "Voltage of the battery input, in V, below which a Witty Pi refuses to start the host. It does not cut "
        + "the supply of a running one: set power.critical_V for that.")
    static let recovery = Of<Double?>(
      "recover_V", \.recoveryVolts, .optional(.number(2...25, "V")), default: nil,
      defaultText: "that of the board", applies: .afterRestart, effect: .always,
      "Voltage, in V, above which a Witty Pi starts the host again after it saw a voltage below low_V. In any "
        + "case the dead-man timer does. A Witty Pi 4 L3V7 starts when USB power appears instead.")

    static let table = SettingTable<PowerManagerSettings>([
      chip, bus, address, cutAfter, deadMan, low, recovery,
    ])
  }

  /// Adds an error for a group without a board or bus, or for a latch with settings of a board.
  @Sendable fileprivate static func check(
    _ manager: PowerManagerSettings, _ path: String, _ findings: inout Findings
  ) {
    guard let chip = manager.chip else {
      return missing(Field.chip.path, "give the name of the board, or latch", path, &findings)
    }
    let limits = [(Field.low.path, manager.lowVolts), (Field.recovery.path, manager.recoveryVolts)]
    if !boardsWithLimits.contains(chip), let given = limits.first(where: { $0.1 != nil }) {
      findings.add(.key, Shown.path(path, given.0)) { .conflict($0, with: Shown.path(path, Field.chip.path)) }
    }
    if let low = manager.lowVolts, let recovery = manager.recoveryVolts, low >= recovery {
      // A board between the two would start and cut again and again.
      findings.add(.value, Shown.path(path, Field.recovery.path)) {
        .badValue($0, expected: "more than \(low) V, which is \(Field.low.path)", got: "\(recovery) V")
      }
    }
    if boardsWithoutDeadMan.contains(chip), manager.deadMan != nil {
      findings.add(.value, Shown.path(path, Field.deadMan.path)) {
        .badValue($0, expected: "off, because \(chip) has no dead-man timer", got: "a time")
      }
    }
    guard chip == latch else {
      if manager.bus == nil {
        return missing(Field.bus.path, "give the I²C bus of the board", path, &findings)
      }
      _ = findings.allows(manager.address, for: chip, in: path)
      return
    }
    let other: String? =
      manager.bus != nil ? Field.bus.path : manager.address != nil ? Field.address.path : nil
    if let other {
      findings.add(.key, Shown.path(path, other)) { .conflict($0, with: Shown.path(path, Field.chip.path)) }
    }
    if manager.deadMan != nil {
      findings.add(.value, Shown.path(path, Field.deadMan.path)) {
        .badValue($0, expected: "off, because a latch has no dead-man timer", got: "a time")
      }
    }
  }

  private static func missing(_ key: String, _ remedy: String, _ path: String, _ findings: inout Findings) {
    findings.add(.value, path) {
      var location = $0
      location.path = Shown.path(path, key)
      return .missing(location, remedy: remedy)
    }
  }
}

extension SettingKind where Value == PowerManagerSettings {
  /// A board on a bus, or a latch.
  static var powerManager: Self {
    .group(
      of: PowerManagerSettings.Field.table, empty: PowerManagerSettings(), check: PowerManagerSettings.check)
  }
}

extension Configuration {
  /// The errors of a power manager that contradicts the sleep of the host.
  var powerManagerErrors: [SettingsError] {
    guard let manager = powerManager else { return [] }
    var errors: [SettingsError] = []
    func location(_ path: String) -> SettingLocation { SettingLocation(file: "", path: path) }
    if host.sleep == .suspend {
      errors.append(
        .badValue(
          location(Schema.hostSleep.path), expected: "halt or off, because power_manager cuts the supply",
          got: "suspend"))
    }
    if manager.part == .latch, clockChip == nil {
      errors.append(
        .missing(location(Schema.clockChip.path), remedy: "the alarm of rtc switches the latch on"))
    }
    let least = (host.stopping ?? .seconds(4)) + .seconds(10)
    if manager.wakes, manager.cutAfter < least {
      errors.append(
        .badValue(
          location("power_manager.cut_after"),
          expected: "at least \(least.wholeSeconds) s, which is host.stopping and 10 s more",
          got: "\(manager.cutAfter.wholeSeconds) s"))
    }
    return errors
  }
}
