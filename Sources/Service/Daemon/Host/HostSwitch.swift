import Devices
import EventLoop
import Quantities
import Settings
import System

/// Suspends or halts the host with a program or unit, and wakes it with the alarm of a clock chip.
final class HostSwitch {
  private let loop: EventLoop
  private let clock: (any WakeClock)?
  private let depth: HostDepth
  private let program: String?
  private let host: HookCommand.Host
  private var isAlarmSet = false
  private var run: (program: ChildProgram, registration: EventLoop.Registration)?

  init(
    _ depth: HostDepth, program: String?, clock: (any WakeClock)?, loop: EventLoop,
    host: HookCommand.Host = .current
  ) {
    self.depth = depth
    self.program = program
    self.clock = clock
    self.loop = loop
    self.host = host
  }

  /// The time of the clock chip in s; nil without one, or if it does not respond.
  var seconds: Int64? { try? clock?.seconds() }

  private static let remedy = "; permit this user to suspend or power off in polkit, or set host.down"

  /// The configured program or unit, else systemctl(1).
  private func command(_ environment: [String: String]) -> HookCommand {
    if let program { return HookCommand(program, environment: environment, host: host) }
    return HookCommand(
      host.systemctl, arguments: [depth == .suspend ? "suspend" : "poweroff"], environment: environment,
      host: host)
  }

  /// Sets the alarm and runs the program. Calls `done` once, now or later, with the reason of a failure or nil; not after
  /// ``abandon()``.
  func goDown(for time: Duration, until wake: Timestamp?, _ done: @escaping (String?) -> Void) {
    abandon()
    do throws(SystemError) {
      if let clock {
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

  /// Kills a running program.
  func abandon() {
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
    run.program.kill()
  }

  /// Lets a running program finish, without waiting for it.
  func leave() {
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
  }
}
