import Quantities

/// The phase of a receiver that is asleep. Nothing is polled; without an end of the sleep there is no deadline.
struct Asleep: Equatable, Sendable {
  /// The result of received data.
  enum Outcome: Equatable, Sendable {
    case sleeping
    /// The receiver sends at the expected time.
    case woke
    /// The receiver woke early; it keeps running until the next attempt to put it to sleep.
    case wokeUnasked
  }

  private let byLine: Bool
  let losesSettings: Bool
  let since: Moment
  /// The requested time to wake up.
  private(set) var until: Moment?
  /// Tolerance of the time at which the receiver's own clock may wake it.
  private var tolerance: Duration
  /// The time to put it to sleep again after it woke early.
  private var sleepsAgainAt: Moment?
  private var frames = 0

  private init(byLine: Bool, losesSettings: Bool, until: Moment?, now: Moment) {
    self.byLine = byLine
    self.losesSettings = losesSettings
    since = now
    self.until = until.map { max($0, now.after(.zero)) }
    tolerance = Self.tolerance(until: until, now: now)
  }

  /// The sleep that a phase has proven.
  init(after falling: FallingAsleep, now: Moment) {
    self.init(
      byLine: falling.isByLine, losesSettings: falling.losesSettings, until: falling.until, now: now)
  }

  /// The sleep of a receiver whose supply is cut.
  init(withoutSupplyUntil until: Moment?, now: Moment) {
    self.init(byLine: true, losesSettings: true, until: until, now: now)
  }

  mutating func change(until: Moment?, now: Moment) {
    self.until = until.map { max($0, now.after(.zero)) }
    tolerance = Self.tolerance(until: until, now: now)
  }

  /// Puts the receiver to sleep again at a time, after it woke early.
  mutating func sleepAgain(at moment: Moment) { sleepsAgainAt = moment }

  /// The time at which the host wakes it. A receiver without supply cannot wake by itself, so it gets no
  /// tolerance.
  var wakesAt: Moment? { until.map { byLine ? $0 : $0 + tolerance } }

  var deadline: Moment? {
    guard let sleepsAgainAt else { return wakesAt }
    return wakesAt.map { min($0, sleepsAgainAt) } ?? sleepsAgainAt
  }

  mutating func received(frames count: Int, now: Moment) -> Outcome {
    guard count > 0, sleepsAgainAt == nil else { return .sleeping }
    frames = Finding.sum(frames, count)
    if let until, now >= until - tolerance { return .woke }
    // One sentence may have been in transit.
    return frames >= Finding.enoughFrames ? .wokeUnasked : .sleeping
  }

  /// The tolerance for the start time of the receiver, and for sleep clocks without a crystal, which deviate
  /// by some tenths of a percent.
  private static func tolerance(until: Moment?, now: Moment) -> Duration {
    guard let until else { return .zero }
    return min(max((until - now) / 200, .seconds(2)), .seconds(20))
  }
}
