import SystemLoop

/// A lock of the host's logind against sleep (systemd-inhibit(1)): it is held for as long as that program runs.
///
/// Where it cannot be had, that is told once, and everything else goes on.
final class SleepLock {
  /// Called with the reason, once until a lock is held to its end.
  var onFailure: (String) -> Void = { _ in }

  private let loop: EventLoop
  private let path: String
  private var program: ChildProgram?
  private var registration: EventLoop.Registration?
  private var isToldOf = false

  init(loop: EventLoop, path: String = "/usr/bin/systemd-inhibit") {
    self.loop = loop
    self.path = path
  }

  var isHeld: Bool { program != nil }

  /// What the lock is held for lives as long as this process: should it be killed, the lock is given back by itself.
  private static var arguments: [String] {
    [
      "--what=sleep:idle", "--mode=block", "--who=outrider", "--why=a trip is recorded",
      "tail", "-f", "-s", "60", "--pid=\(ProcessSurroundings.processID)", "/dev/null",
    ]
  }

  /// Takes the lock or gives it back.
  func hold(_ isWanted: Bool) {
    guard isWanted else {
      if isHeld { isToldOf = false }
      return release()
    }
    guard !isHeld else { return }
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
    // The lock is lost with the program, however well that ended.
    fail("\(path): \(ending.failure ?? "left")")
  }

  private func fail(_ reason: String) {
    guard !isToldOf else { return }
    isToldOf = true
    onFailure(reason)
  }
}
