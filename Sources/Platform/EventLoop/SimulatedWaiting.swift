import CLinux
import Glibc
import Quantities
import System

/// Kinds of work that is done for a loop outside of it.
public enum Outside {
  /// A thread that always finishes its jobs.
  case thread
  /// A network or a process, which may never answer.
  case peer

  /// The real time without an event after which a simulation no longer waits for a peer.
  public static let peerTimeout = Duration.milliseconds(100)
}

/// The waiting of a loop whose clock is simulated.
final class SimulatedWaiting {
  /// Timers whose deadlines are moments of the kernel's clock.
  var systemTimers: [LoopTimer] = []
  var outside: [(Outside, isBusy: () -> Bool)] = []
  /// The time beyond which the clock does not advance; nil for no limit.
  var limit: Moment?
  /// True if the clock has reached ``limit`` and nothing is left to do.
  var isAtLimit = false
  private let clock: SimulatedClock
  private let kernel = SystemClock()
  private var lastEvent: Moment

  init(_ clock: SimulatedClock) {
    self.clock = clock
    lastEvent = kernel.moment()
  }

  /// Calls the handlers of the timers that are due by the kernel's clock; false if none is.
  func runSystemTimers() -> Bool {
    let now = kernel.moment()
    var ran = false
    for timer in systemTimers {
      guard let window = timer.window, window.due <= now else { continue }
      timer.arm(within: nil)
      timer.handler(now)
      ran = true
    }
    return ran
  }

  /// Waits for events as epoll_wait(2) does, and advances the clock to `wake` if there is nothing to wait for. Returns
  /// zero after that.
  func wait(
    _ poller: borrowing Descriptor, _ watched: some Sequence<Int32>, _ events: inout [epoll_event],
    until wake: Moment?, isIdle: Bool
  ) -> Int32 {
    isAtLimit = false
    settle(watched)
    let ready = epoll_wait(poller.raw, &events, Int32(events.count), 0)
    guard ready == 0 else {
      lastEvent = kernel.moment()
      return ready
    }
    guard isIdle else { return 0 }
    let busy = outside.filter { $0.isBusy() }
    let now = kernel.moment()
    let isAwaited = busy.contains {
      switch $0.0 {
      case .thread: true
      case .peer: now - lastEvent < Outside.peerTimeout
      }
    }
    if isAwaited { return epoll_wait(poller.raw, &events, Int32(events.count), 1) }
    lastEvent = now
    if let limit, wake.map({ $0 > limit }) ?? true {
      clock.advance(to: limit)
      isAtLimit = true
      return 0
    }
    guard let wake else {
      // Only descriptors and the timers of libraries can end this wait.
      let deadline = systemTimers.compactMap { $0.window?.due }.min()
      let milliseconds = deadline.map { Int32(clamping: max(($0 - now).wholeMilliseconds, 0) + 1) } ?? -1
      return epoll_wait(poller.raw, &events, Int32(events.count), milliseconds)
    }
    clock.advance(to: wake)
    return 0
  }

  /// Completes writes to pseudo-terminals. The kernel passes their bytes on in a separate thread, which poll(2) waits
  /// for and epoll_wait(2) does not.
  private func settle(_ watched: some Sequence<Int32>) {
    var descriptors = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&descriptors, nfds_t(descriptors.count), 0)
  }
}
