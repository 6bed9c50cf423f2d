import Quantities
import System

/// A named timer of the loop: once armed, it calls its handler once, within the given window.
///
/// ``WakeSchedule`` decides in which wake-up.
public final class LoopTimer {
  public let name: StaticString
  let clock: any LoopClock
  let handler: (Moment) -> Void
  private(set) var window: WakeWindow?

  init(name: StaticString, clock: any LoopClock, handler: @escaping (Moment) -> Void) {
    self.name = name
    self.clock = clock
    self.handler = handler
  }

  /// Arms the timer to call its handler after a time, or disarms it with nil.
  public func arm(after delay: Duration?, slack: Duration = .zero) {
    arm(at: delay.map { clock.moment() + $0 }, slack: slack)
  }

  /// Arms the timer, or disarms it with nil.
  public func arm(within window: WakeWindow?) { self.window = window }

  /// Arms the timer, or disarms it with nil. `slack` is the time by which the handler may be called earlier; zero if it
  /// must not be early.
  public func arm(at deadline: Moment?, slack: Duration = .zero) {
    window = deadline.map { WakeWindow(by: $0, orEarlier: slack) }
  }

  public var isArmed: Bool { window != nil }
}
