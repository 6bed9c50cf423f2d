import Quantities

/// The host's sleep between two tasks.
public struct HostSettings: Equatable, Sendable {
  /// The sleep state; nil if off.
  public var sleep: HostDepth? = Schema.hostSleep.fallback
  /// The absolute path of a program, or a unit; nil if off.
  public var down: String? = Schema.hostDown.fallback
  /// Time that the host needs to start; nil for the default of the sleep state.
  public var starting: Duration? = Schema.hostStarting.fallback
  public var stopping: Duration? = Schema.hostStopping.fallback
  public var least: Duration = Schema.hostLeast.fallback
  public var afterStart: Duration = Schema.hostAfterStart.fallback
  public var wakesOnMotion: Bool = Schema.hostWakesOnMotion.fallback
  public var whileFed: Bool = Schema.hostWhileFed.fallback

  public init() {}
}

extension Schema {
  static let hostSleep = Of<HostDepth?>(
    "host.sleep", \.host.sleep, .offOr(.word), default: nil, applies: .afterRestart,
    effect: .requires(.hostMaySleep),
    "Sleep state of the host while the device is stationary and nothing is due. suspend keeps memory "
      + "and program; halt powers the clock chip alone and costs a boot. The host is woken for position "
      + "checks, sends and check-ins, at least once a day. Nobody can reach it over the network "
      + "meanwhile. It requires rtc, power_manager, or a program in host.down that arranges the wake-up.")
  static let hostDown = Of<String?>(
    "host.down", \.host.down, .offOr(.program), default: nil, applies: .afterRestart,
    effect: .requires(.hostProgram),
    "Program or unit that puts the host to sleep instead of systemctl. OUTRIDER_WAKE_AT holds the wake-up "
      + "time (UTC, empty if unknown) and OUTRIDER_WAKE_IN the seconds until then, for an external "
      + "timer. OUTRIDER_SLEEP holds the sleep state.")
  static let hostStarting = Of<Duration?>(
    "host.starting", \.host.starting, .optional(.duration(.zero ... .seconds(600))), default: nil,
    defaultText: "3s after suspend, 20s after halt", applies: .afterRestart, effect: .requires(.hostSleep),
    "Time from the wake-up alarm until the logger runs. The alarm is set earlier by this time. If "
      + "the time is too short, tasks start late.")
  static let hostStopping = Of<Duration?>(
    "host.stopping", \.host.stopping, .optional(.duration(.zero ... .seconds(600))), default: nil,
    defaultText: "1s before suspend, 4s before halt", applies: .afterRestart, effect: .requires(.hostSleep),
    "Time from the command until the host is asleep. With host.starting and the currents of the "
      + "board, it determines the shortest sleep that saves charge.")
  static let hostLeast = Of<Duration>(
    "host.least", \.host.least, .duration(.seconds(10) ... .days(1)), default: .seconds(300),
    applies: .afterRestart, effect: .requires(.hostSleep),
    "Shortest sleep of the host, even if a shorter one would save charge. Shorter sleeps mean more "
      + "boots, which wear the host and its storage medium.")
  static let hostAfterStart = Of<Duration>(
    "host.after_start", \.host.afterStart, .duration(.zero ... .days(1)), default: .seconds(300),
    applies: .afterRestart, effect: .requires(.hostSleep),
    "Time that the host stays awake after a start or wake-up without its alarm, so that an operator "
      + "can log in. Without a clock chip or power_manager it applies to every start. A start that "
      + "power_manager attributes to its dead-man timer or, with host.wakes_on_motion, to its switch "
      + "input counts as one by alarm.")
  static let hostWakesOnMotion = Of<Bool>(
    "host.wakes_on_motion", \.host.wakesOnMotion, .boolean, default: false, applies: .afterRestart,
    effect: .requires(.hostSleep),
    "Declares that motion wakes the host by wiring, such as the accelerometer's interrupt or the "
      + "ignition at a power latch. Without it, a host whose recording starts by accelerometer or "
      + "ignition line stays awake. If this is true without such wiring, every departure is lost "
      + "until the next position check.")
  static let hostWhileFed = Of<Bool>(
    "host.while_fed", \.host.whileFed, .boolean, default: false, applies: .afterRestart,
    effect: .requires(.hostSleep),
    "Lets the host sleep also on mains or while a charger supplies it. Without it the host is awake "
      + "more of the time.")
}

extension HostSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.hostSleep, Schema.hostDown, Schema.hostStarting, Schema.hostStopping, Schema.hostLeast,
    Schema.hostAfterStart, Schema.hostWakesOnMotion, Schema.hostWhileFed,
  ]
}

extension Configuration {
  /// The error for a host that nothing would wake.
  var hostWithoutWakeSource: SettingsError? {
    guard host.sleep != nil, clockChip == nil, host.down == nil, powerManager?.wakes != true else {
      return nil
    }
    return .missing(
      SettingLocation(file: "", path: Schema.hostDown.path),
      remedy:
        "nothing would wake the host; give rtc, power_manager, or a program that arranges the wake-up"
    )
  }
}
