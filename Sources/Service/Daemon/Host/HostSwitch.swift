import Devices
import EventLoop
import Quantities
import Scheduling
import Settings
import System

/// Suspends or halts the host with a program or unit, and wakes it with the alarm of a clock chip, or of a power manager that
/// also cuts the supply.
final class HostSwitch {
  private let loop: EventLoop
  private let clock: (any WakeClock)?
  private let cut: SupplyCut?
  /// Returns the reason why a latch would not be released; nil if it will be, or without one.
  private let latchFault: () -> String?
  private let depth: HostDepth
  private let program: String?
  private let host: HookCommand.Host
  private var isAlarmSet = false
  /// True from the start of the program for the shutdown until it fails.
  private var isCommanded = false
  private var run: (program: ChildProgram, registration: EventLoop.Registration)?

  init(
    _ depth: HostDepth, program: String?, clock: (any WakeClock)?, cut: SupplyCut? = nil,
    latchFault: @escaping () -> String? = { nil }, loop: EventLoop, host: HookCommand.Host = .current
  ) {
    self.depth = depth
    self.program = program
    self.clock = clock
    self.cut = cut
    self.latchFault = latchFault
    self.loop = loop
    self.host = host
  }

  /// The time of the clock chip or power manager in s; nil without one, or if it does not respond.
  var seconds: Int64? { clock.map { try? $0.seconds() } ?? cut?.seconds }

  private static let remedy = "; permit this user to suspend or power off in polkit, or set host.down"

  /// The configured program or unit, else systemctl(1).
  private func command(_ environment: [String: String]) -> HookCommand {
    if let program { return HookCommand(program, environment: environment, host: host) }
    return HookCommand(
      host.systemctl, arguments: [depth == .suspend ? "suspend" : "poweroff"], environment: environment,
      host: host)
  }

  /// Sets the alarm, has a power manager cut the supply after the shutdown, and runs the program. Calls `done` once, now or
  /// later, with the reason of a failure or nil; not after ``abandon()``. With `isCritical`, a nearly empty battery, the
  /// dead-man timer of the power manager is enough.
  func goDown(
    for time: Duration, until wake: Timestamp?, isCritical: Bool = false, alarms: AlarmRecord = AlarmRecord(),
    _ done: @escaping (String?) -> Void
  ) {
    abandon()
    if let fault = latchFault() { return done(fault) }
    guard let cut else { return shutDown(for: time, until: wake, done) }
    cut.begin(for: time, isCritical: isCritical, alarms: alarms) { [unowned self] failure in
      if let failure { done(failure) } else { shutDown(for: time, until: wake, done) }
    }
  }

  private func shutDown(for time: Duration, until wake: Timestamp?, _ done: @escaping (String?) -> Void) {
    do throws(SystemError) {
      if let clock, cut == nil {
        try clock.wake(in: time)
        isAlarmSet = true
      }
      let command = command([
        "OUTRIDER_SLEEP": depth.rawValue, "OUTRIDER_WAKE_IN": "\(time.components.seconds)",
        "OUTRIDER_WAKE_AT": wake?.iso8601() ?? "",
      ])
      let program = try command.start()
      let registration = try loop.watch(program.descriptor, for: .readable) { [unowned self] _ in
        guard let run, run.program === program else { return }
        self.run = nil
        loop.remove(run.registration)
        done(command.failure(program.ending).map { self.program == nil ? "\($0)\(Self.remedy)" : $0 })
      }
      run = (program, registration)
      isCommanded = true
    } catch {
      done("\(error)")
    }
  }

  /// Cancels the alarm after a wake-up. `evenIfUnknown` includes an alarm of an earlier run. Returns the error of a failure.
  @discardableResult
  func cancelAlarm(evenIfUnknown: Bool = false) -> SystemError? {
    guard isAlarmSet || evenIfUnknown else { return nil }
    isAlarmSet = false
    do throws(SystemError) { try clock?.cancel() } catch { return error }
    return nil
  }

  /// Calls off a cut of the supply, and kills a running program.
  func abandon() {
    isCommanded = false
    cut?.callOff()
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
    run.program.kill()
  }

  /// Ends its work. A cut of the supply is called off, unless the shutdown was commanded.
  func stop() {
    cut?.stop(keepsCut: isCommanded)
    leave()
  }

  /// Lets a running program finish, without waiting for it.
  func leave() {
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
  }
}
