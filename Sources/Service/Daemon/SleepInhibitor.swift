import EventLoop
import System

/// A sleep inhibitor of logind, held by a running systemd-inhibit(1).
///
/// A failure is reported once and has no other effect.
final class SleepInhibitor {
  /// Called with the reason of a failure, once until a lock is released as requested.
  var onFailure: (String) -> Void = { _ in }

  private let loop: EventLoop
  private let path: String
  private var program: ChildProgram?
  private var registration: EventLoop.Registration?
  private var hasReportedFailure = false

  init(loop: EventLoop, path: String = "/usr/bin/systemd-inhibit") {
    self.loop = loop
    self.path = path
  }

  /// True while the lock is held.
  var isActive: Bool { program != nil }

  /// The arguments of systemd-inhibit. Its child ends with this process, so a kill releases the lock, too.
  private static var arguments: [String] {
    [
      "--what=sleep:idle", "--mode=block", "--who=outrider", "--why=recording a trip",
      "tail", "-f", "-s", "60", "--pid=\(ProcessEnvironment.processID)", "/dev/null",
    ]
  }

  /// Takes or releases the lock.
  func setActive(_ isRequired: Bool) {
    guard isRequired else {
      if isActive { hasReportedFailure = false }
      return release()
    }
    guard !isActive else { return }
    do throws(SystemError) {
      let started = try ChildProgram(path, Self.arguments, input: [])
      registration = try loop.watch(started.descriptor, for: .readable) { [unowned self, started] _ in
        ended(started.ending)
      }
      program = started
    } catch {
      fail("\(error)")
    }
  }

  private func release() {
    program?.kill()
    program = nil
    if let registration { loop.remove(registration) }
    registration = nil
  }

  private func ended(_ ending: ChildProgram.Ending?) {
    release()
    guard let ending else { return }
    // The lock is lost with the program, even after exit status 0.
    fail("\(path): \(ending.failure ?? "exited")")
  }

  private func fail(_ reason: String) {
    guard !hasReportedFailure else { return }
    hasReportedFailure = true
    onFailure(reason)
  }
}
