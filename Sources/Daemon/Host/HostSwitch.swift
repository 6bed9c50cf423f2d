import Devices
import Quantities
import Settings
import SystemLoop
import Tracking

/// What puts the host down, and has it woken: a program, and the alarm of a clock chip.
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

  /// What the clock chip shows; nil without one, or where it does not answer.
  var seconds: Int64? { try? clock?.seconds() }

  private static let remedy = " (polkit must let this user suspend or power off, or host.down name a program)"

  /// What systemctl(1) calls it.
  private var command: (path: String, words: [String]) {
    if let program { return (program, []) }
    return ("/usr/bin/systemctl", [depth == .suspend ? "suspend" : "poweroff"])
  }

  /// Sets the alarm and runs the program. `done` hears once, at once or later, why it was in vain, or nil; not after
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

  /// Takes the alarm back: for who is up again. `evenIfUnknown`: also one that an earlier run may have left. Answers why
  /// it could not be taken back.
  @discardableResult
  func cancelAlarm(evenIfUnknown: Bool = false) -> SystemError? {
    guard isAlarmSet || evenIfUnknown else { return nil }
    isAlarmSet = false
    do throws(SystemError) { try clock?.cancel() } catch { return error }
    return nil
  }

  /// Ends a program that runs.
  func abandon() {
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
    run.program.kill()
  }

  /// Lets a program that runs come to its own end; nobody waits for it any more.
  func leave() {
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
  }
}
