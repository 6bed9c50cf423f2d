import Quantities

/// The receiver sleeps. Nothing is polled; without an end to its sleep there is no deadline at all.
struct Asleep: Equatable, Sendable {
  enum Outcome: Equatable, Sendable {
    case sleeping
    /// It speaks when it should.
    case woke
    /// Something woke it before its time; it is left to talk until the next try.
    case wokeUnasked
  }

  let byLine: Bool
  let losesSettings: Bool
  let since: Moment
  /// When it is to be awake again.
  var until: Moment?
  /// How much earlier or later its own clock may wake it.
  private(set) var tolerance: Duration
  /// When it is put to sleep again, after it woke unasked.
  var sleepsAgainAt: Moment?
  private var frames = 0

  init(byLine: Bool, losesSettings: Bool, until: Moment?, now: Moment) {
    self.byLine = byLine
    self.losesSettings = losesSettings
    since = now
    self.until = until.map { max($0, now.after(.zero)) }
    tolerance = Self.tolerance(until: until, now: now)
  }

  mutating func change(until: Moment?, now: Moment) {
    self.until = until.map { max($0, now.after(.zero)) }
    tolerance = Self.tolerance(until: until, now: now)
  }

  /// A receiver without power cannot wake by itself: its time is up to the moment.
  var wakesAt: Moment? { until.map { byLine ? $0 : $0 + tolerance } }

  var deadline: Moment? {
    guard let sleepsAgainAt else { return wakesAt }
    return wakesAt.map { min($0, sleepsAgainAt) } ?? sleepsAgainAt
  }

  mutating func heard(frames count: Int, now: Moment) -> Outcome {
    guard count > 0, sleepsAgainAt == nil else { return .sleeping }
    frames = Finding.sum(frames, count)
    if let until, now >= until - tolerance { return .woke }
    // One sentence may have been on its way.
    return frames >= Finding.enoughFrames ? .wokeUnasked : .sleeping
  }

  /// A start takes its time, and sleep clocks without a crystal are off by some tenths of a percent.
  private static func tolerance(until: Moment?, now: Moment) -> Duration {
    guard let until else { return .zero }
    return min(max((until - now) / 200, .seconds(2)), .seconds(20))
  }
}
