import Quantities

/// The requested power state of the receiver, and how well the receiver follows it.
struct PowerRequest: Sendable {
  private enum State: Equatable {
    case awake
    /// Asleep until a time; without `until`, until `awake` is requested.
    case asleep(until: Moment?)
  }

  /// Duration of a sleep that resets the back-off of unrequested wake-ups.
  private static let backOffResetTime = Duration.seconds(3600)
  private static let mostSilences = 8

  private var state = State.awake
  /// True if the requested sleep cuts the supply.
  private var cutsSupply = false
  /// True if the receiver cannot be put to sleep; it keeps running until the next request.
  private var isKeptAwake = false
  /// Number of silences since the last request; each one lengthens the tolerated silence.
  private var silences = 0
  /// Back-off between attempts to put a receiver to sleep that wakes by itself.
  private var backOff = Backoff.search

  var isAwake: Bool { state == .awake }

  /// True if sleep is requested and the receiver can be put to sleep.
  var isSleepDue: Bool { !isAwake && !isKeptAwake }

  /// The requested time to wake up; nil without a sleep or a time.
  var until: Moment? { if case .asleep(let until) = state { until } else { nil } }

  /// Factor of the tolerated silence.
  var toleranceOfSilence: Int { 1 << min(silences, Self.mostSilences) }

  mutating func requestSleep(until: Moment?, cutsSupply: Bool) {
    state = .asleep(until: until)
    self.cutsSupply = cutsSupply
    isKeptAwake = false
    silences = 0
  }

  /// True if sleep was requested before.
  mutating func requestWake() -> Bool {
    let wasAsleep = !isAwake
    state = .awake
    isKeptAwake = false
    backOff.reset()
    if wasAsleep { silences = 0 }
    return wasAsleep
  }

  /// The requested sleep is over.
  mutating func endSleep() { state = .awake }

  /// Ends a sleep whose time has passed meanwhile.
  mutating func endSleepIfOver(now: Moment) {
    if let until, now >= until { endSleep() }
  }

  /// The receiver cannot be put to sleep.
  mutating func keepAwake() { isKeptAwake = true }

  mutating func fellSilent() { silences = min(silences + 1, Self.mostSilences) }

  /// The time to put a receiver to sleep again that woke by itself.
  mutating func nextAttempt(after asleep: Asleep, now: Moment) -> Moment {
    if now - asleep.since > Self.backOffResetTime { backOff.reset() }
    return now.after(backOff.next())
  }

  /// The means of sleep. A command that the line can revoke comes first unless a cut is requested, then the
  /// enable line, then a lighter sleep. A deep sleep without a way to wake the receiver is used only for a
  /// duration.
  func meansOfSleep(
    until: Moment?, dialect: (any Dialect)?, hasEnableLine: Bool, now: Moment
  ) -> FallingAsleep.Means? {
    if cutsSupply, hasEnableLine { return .enableLine }
    let sequence = dialect?.sleep(for: until.map { max($0 - now, .milliseconds(1)) })
    if let sequence, !sequence.needsPin { return .sequence(sequence) }
    if hasEnableLine { return .enableLine }
    if let doze = dialect?.doze() { return .sequence(doze) }
    guard let sequence, until != nil else { return nil }
    return .sequence(sequence)
  }
}
