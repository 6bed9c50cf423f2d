import EventLoop
import Quantities
import System

extension EventLoop {
  /// Runs until ``stop()``; false if that takes longer than `limit`.
  public func runUntilStopped(within limit: Duration = .seconds(20)) throws(SystemError) -> Bool {
    var isLate = false
    let timer = addTimer("test deadline") { [unowned self] _ in
      isLate = true
      stop()
    }
    timer.arm(at: now + limit)
    try run()
    removeTimer(timer)
    return !isLate
  }
}
