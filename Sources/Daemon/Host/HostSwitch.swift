import Devices
import Quantities
import Settings
import SystemLoop
import Tracking

/// Suspends or halts the host with a program, and wakes it with the alarm of a clock chip.
final class HostSwitch {
  private let loop: EventLoop
  private let clock: (any WakeClock)?
  private let depth: HostDepth
  private let program: String?
  private var isAlarmSet = false
  private var run: (program: ChildProgram, registration: EventLoop.Registration)?

  init(_ depth: HostDepth, program: String?, clock: (any WakeClock)?, loop: EventLoop) {
    self.depth = depth
    self.program = program
    self.clock = clock
    self.loop = loop
  }

  /// The time of the clock chip in s; nil without one, or if it does not respond.
  var seconds: Int64? { try? clock?.seconds() }

  private static let remedy = "; permit this user to suspend or power off in polkit, or set host.down"

  /// The configured program, else systemctl(1).
  private var command: (path: String, words: [String]) {
    if let program { return (program, []) }
    return ("/usr/bin/systemctl", [depth == .suspend ? "suspend" : "poweroff"])
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
      let (path, words) = command
      let environment = [
        "OUTRIDER_SLEEP": depth.rawValue, "OUTRIDER_WAKE_IN": "\(time.components.seconds)",
        "OUTRIDER_WAKE_AT": wake?.iso8601() ?? "",
      ]
      let program = try ChildProgram(path, words, input: [], environment: environment)
      let registration = try loop.watch(program.descriptor, for: .readable) { [unowned self] _ in
        guard let run, run.program === program else { return }
        self.run = nil
        loop.remove(run.registration)
        done((program.ending?.failure).map { "\(path): \($0)\(self.program == nil ? Self.remedy : "")" })
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
