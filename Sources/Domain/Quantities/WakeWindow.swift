/// The time window of a task's next wake-up: not before ``earliest``, not after ``latest``, and at ``due`` unless
/// something else wakes the host in the window.
///
/// Windows let several tasks share a wake-up.
public struct WakeWindow: Hashable, Sendable {
  public let earliest: Moment
  /// The preferred time: the task wakes the host then, unless another wake-up in the window has served it.
  public let due: Moment
  public let latest: Moment

  /// Creates a window without tolerance.
  public init(at moment: Moment) { (earliest, due, latest) = (moment, moment, moment) }

  /// Creates the window of a task that must not run early, such as a retry, but may be delayed by `room` to share a
  /// wake-up.
  public init(from due: Moment, orLater room: Duration) {
    (earliest, self.due, latest) = (due, due, due + max(room, .zero))
  }

  /// Creates the window of a retry after a pause, with a delay of up to a quarter of the pause.
  public init(after pause: Duration, now: Moment) { self.init(from: now + pause, orLater: pause / 4) }

  /// Creates the window of a task with a deadline, such as a commit, that may run earlier by `room` to share a wake-up.
  public init(by deadline: Moment, orEarlier room: Duration) {
    (earliest, due, latest) = (deadline - max(room, .zero), deadline, deadline)
  }

  private init(earliest: Moment, due: Moment, latest: Moment) {
    (self.earliest, self.due, self.latest) = (earliest, due, latest)
  }

  /// Returns one window for both: no task is late, and both are due at the same time if possible. The tasks check at
  /// the wake-up if they are due.
  public static func joined(_ a: WakeWindow?, _ b: WakeWindow?) -> WakeWindow? {
    guard let a, let b else { return a ?? b }
    let (first, second) = a.latest <= b.latest ? (a, b) : (b, a)
    let due = second.earliest <= first.latest ? min(max(first.due, second.due), first.latest) : first.due
    return WakeWindow(earliest: min(a.earliest, b.earliest), due: due, latest: first.latest)
  }
}
