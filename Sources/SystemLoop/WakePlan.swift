import Quantities

/// Merges what all parts of a box need next, so that it wakes once for many of them: decided without a clock.
///
/// A wake-up happens before the first window ends, as soon as all that it can serve is due. In it, or in one that came
/// from outside, everything is done that is due, and what would otherwise cost a wake-up of its own; the rest waits, so
/// that what recurs does so as seldom as it may.
public struct WakePlan: Equatable, Sendable {
  public let now: Moment
  /// The first wake-up that happens whatever is done now; nil where nothing is planned but what may be done now.
  public let nextCertain: Moment?

  public init(_ windows: some Sequence<WakeWindow>, now: Moment) {
    self.now = now
    nextCertain = Self.next(windows, after: now)
  }

  /// True when this is to be done now.
  ///
  /// While nothing else is planned there is no wake-up to be saved, and what is not due yet waits.
  public func takes(_ window: WakeWindow) -> Bool {
    if window.due <= now { return true }
    guard window.earliest <= now, let nextCertain else { return false }
    return window.latest < nextCertain
  }

  /// When to wake next; nil where nothing is planned.
  public static func next(_ windows: some Sequence<WakeWindow>) -> Moment? { next(windows, after: nil) }

  /// `excluded`: windows that are open then do not count.
  private static func next(_ windows: some Sequence<WakeWindow>, after excluded: Moment?) -> Moment? {
    func counts(_ window: WakeWindow) -> Bool { excluded.map { window.earliest > $0 } ?? true }
    var firstEnd: Moment?
    for window in windows where counts(window) {
      if firstEnd.map({ window.latest < $0 }) ?? true { firstEnd = window.latest }
    }
    guard let firstEnd else { return nil }
    // All that is open when the first window ends is served by one wake-up, and it need not wait longer than the last of
    // them does.
    var wake = Moment(nanoseconds: .min)
    for window in windows where counts(window) && window.earliest <= firstEnd { wake = max(wake, window.due) }
    return min(wake, firstEnd)
  }
}
