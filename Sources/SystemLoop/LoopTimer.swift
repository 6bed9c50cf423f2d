import Quantities

/// A named deadline of the loop: armed, it calls its handler once, within the window that it was given.
///
/// Which wake-up that is, ``WakePlan`` decides.
public final class LoopTimer {
  public let name: StaticString
  let handler: (Moment) -> Void
  private(set) var window: WakeWindow?

  init(name: StaticString, handler: @escaping (Moment) -> Void) {
    self.name = name
    self.handler = handler
  }

  /// Arms, or with nil disarms.
  public func arm(within window: WakeWindow?) { self.window = window }

  /// Arms for a moment, or disarms. `slack` is how much earlier the work may be done, zero for what must not be early.
  public func arm(at deadline: Moment?, slack: Duration = .zero) {
    window = deadline.map { WakeWindow(by: $0, orEarlier: slack) }
  }

  public var isArmed: Bool { window != nil }
}
