import Quantities

// How the host sleeps between two tasks.

extension Schema {
  static let hostSleep = Of<HostDepth?>(
    "host.sleep", \.host.sleep, .offOr(.word), default: nil, applies: .afterRestart,
    effect: .requires(.hostMaySleep),
    "How far the host goes down while nothing moves and nothing is due: suspend keeps memory and program, halt leaves the "
      + "clock chip alone alive and costs a boot. It is woken for the receiver's next look, a send or a check-in, once a "
      + "day at least; nobody reaches it from afar meanwhile. Wants rtc, or a program in host.down that has it woken."
  )
  static let hostDown = Of<String?>(
    "host.down", \.host.down, .offOr(.program), default: nil, applies: .afterRestart,
    effect: .requires(.hostProgram),
    "Program that brings the host down instead of systemctl; it finds the wake time in OUTRIDER_WAKE_AT (UTC; empty while "
      + "unknown) and OUTRIDER_WAKE_IN (seconds), for an external timer, and the depth in OUTRIDER_SLEEP.")
  static let hostStarting = Of<Duration?>(
    "host.starting", \.host.starting, .optional(.duration(.zero ... .seconds(600))), default: nil,
    defaultText: "3s after suspend, 20s after halt", applies: .afterRestart, effect: .requires(.hostSleep),
    "From the alarm until the logger runs: the host is woken so much earlier. Shorter is late for what it is woken for."
  )
  static let hostStopping = Of<Duration?>(
    "host.stopping", \.host.stopping, .optional(.duration(.zero ... .seconds(600))), default: nil,
    defaultText: "1s before suspend, 4s before halt", applies: .afterRestart, effect: .requires(.hostSleep),
    "From the command until the host is down; with host.starting and the currents of the board it says from when on that "
      + "is worth it.")
  static let hostLeast = Of<Duration>(
    "host.least", \.host.least, .duration(.seconds(10) ... .days(1)), default: .seconds(300),
    applies: .afterRestart, effect: .requires(.hostSleep),
    "The host never goes down for less, however soon it would pay; shorter wears a host that boots and its card."
  )
  static let hostAfterStart = Of<Duration>(
    "host.after_start", \.host.afterStart, .duration(.zero ... .days(1)), default: .seconds(300),
    applies: .afterRestart, effect: .requires(.hostSleep),
    "After a start or waking that the alarm did not make the host stays up so long, for an operator to come in; where no "
      + "clock chip tells them apart, after each start.")
  static let hostWakesOnMotion = Of<Bool>(
    "host.wakes_on_motion", \.host.wakesOnMotion, .boolean, default: false, applies: .afterRestart,
    effect: .requires(.hostSleep),
    "Whether motion wakes the host, as the accelerometer's interrupt or the ignition at a power latch does. Without it a "
      + "box whose accelerometer or ignition line begins its records stays up; true without such wiring loses the "
      + "beginning of each departure up to the next look.")
  static let hostWhileFed = Of<Bool>(
    "host.while_fed", \.host.whileFed, .boolean, default: false, applies: .afterRestart,
    effect: .requires(.hostSleep),
    "Whether the host goes down on mains or while a charger feeds it; it is up more of the time without it.")
}

/// How the host sleeps between two tasks.
public struct HostSettings: Equatable, Sendable {
  /// Nil: off.
  public var sleep: HostDepth? = Schema.hostSleep.fallback
  /// A program by its absolute path; nil: off.
  public var down: String? = Schema.hostDown.fallback
  /// Nil: as the depth has it.
  public var starting: Duration? = Schema.hostStarting.fallback
  public var stopping: Duration? = Schema.hostStopping.fallback
  public var least: Duration = Schema.hostLeast.fallback
  public var afterStart: Duration = Schema.hostAfterStart.fallback
  public var wakesOnMotion: Bool = Schema.hostWakesOnMotion.fallback
  public var whileFed: Bool = Schema.hostWhileFed.fallback

  public init() {}
}

/// How far a host goes down.
public enum HostDepth: String, Sendable, CaseIterable {
  /// Memory stays supplied, and the logger goes on where it was.
  case suspend
  /// Off, until its clock chip or something outside starts it.
  case halt
}

extension Configuration {
  /// A host that nothing would wake.
  var hostNobodyWakes: SettingsError? {
    guard host.sleep != nil, clockChip == nil, host.down == nil else { return nil }
    return .missing(
      SettingsPlace(file: "", path: Schema.hostDown.path),
      remedy:
        "nothing would wake the host: give rtc, whose alarm does, or a program that has it woken from outside"
    )
  }
}
