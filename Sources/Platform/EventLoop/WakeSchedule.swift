import Quantities

/// Coalesces the next deadlines of all components, so that one wake-up serves several of them. Decides
/// without reading a clock.
///
/// A wake-up occurs before the first window ends, as soon as everything that it can serve is due. In it, or
/// in a wake-up from another cause, everything is done that is due or would otherwise cost a separate
/// wake-up. The remainder waits, so that recurring work is done as rarely as permitted.
public struct WakeSchedule: Equatable, Sendable {
  public let now: Moment
  /// The first wake-up that occurs even if all permitted work is done now; nil if there is none.
  public let nextCertain: Moment?

  public init(_ windows: some Sequence<WakeWindow>, now: Moment) {
    self.now = now
    nextCertain = Self.next(windows, after: now)
  }

  /// Returns true if the work of a window is to be done now.
  ///
  /// If nothing else is scheduled, no wake-up can be saved, and work that is not due yet waits.
  public func takes(_ window: WakeWindow) -> Bool {
    if window.due <= now { return true }
    guard window.earliest <= now, let nextCertain else { return false }
    return window.latest < nextCertain
  }

  /// The time of the next wake-up; nil if nothing is scheduled.
  public static func next(_ windows: some Sequence<WakeWindow>) -> Moment? { next(windows, after: nil) }

  /// The next wake-up, without the windows that are open at `excluded`.
  private static func next(_ windows: some Sequence<WakeWindow>, after excluded: Moment?) -> Moment? {
    func counts(_ window: WakeWindow) -> Bool { excluded.map { window.earliest > $0 } ?? true }
    var firstEnd: Moment?
    for window in windows where counts(window) {
      if firstEnd.map({ window.latest < $0 }) ?? true { firstEnd = window.latest }
    }
    guard let firstEnd else { return nil }
    // One wake-up serves all windows that are open when the first one ends, and it need not be later than the
    // earliest time of the last of them.
    var wake = Moment(nanoseconds: .min)
    for window in windows where counts(window) && window.earliest <= firstEnd { wake = max(wake, window.due) }
    return min(wake, firstEnd)
  }
}
