/// When a part wants to be called next: not before ``earliest``, by ``latest``, and at ``due`` where nothing else wakes
/// the box.
///
/// Parts that say how much room they have share the wake-ups of a box.
public struct WakeWindow: Hashable, Sendable {
  public let earliest: Moment
  /// From here on any wake-up is good, and without another one this is its moment.
  public let due: Moment
  public let latest: Moment

  /// Then, neither earlier nor later.
  public init(at moment: Moment) { (earliest, due, latest) = (moment, moment, moment) }

  /// For work that must not come before its time, as a retry, and may come so much after it to join another wake-up.
  public init(from due: Moment, orLater room: Duration) {
    (earliest, self.due, latest) = (due, due, due + max(room, .zero))
  }

  /// For another try after a pause: up to a quarter of it later.
  public init(after pause: Duration, now: Moment) { self.init(from: now + pause, orLater: pause / 4) }

  /// For work with a last moment, as a commit, that may come so much before it to join another wake-up.
  public init(by deadline: Moment, orEarlier room: Duration) {
    (earliest, due, latest) = (deadline - max(room, .zero), deadline, deadline)
  }

  private init(earliest: Moment, due: Moment, latest: Moment) {
    (self.earliest, self.due, self.latest) = (earliest, due, latest)
  }

  /// One call for both, at which none is late and as much as possible is due. Who is called looks what of it is.
  public static func joined(_ a: WakeWindow?, _ b: WakeWindow?) -> WakeWindow? {
    guard let a, let b else { return a ?? b }
    let (first, second) = a.latest <= b.latest ? (a, b) : (b, a)
    let due = second.earliest <= first.latest ? min(max(first.due, second.due), first.latest) : first.due
    return WakeWindow(earliest: min(a.earliest, b.earliest), due: due, latest: first.latest)
  }
}
