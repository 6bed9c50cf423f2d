import Quantities

/// Detects that the receiver has not set the clock for long, so that the boot clock alone keeps the time.
///
/// It has no deadline: no wake-up is necessary to learn that nothing was dated meanwhile.
struct ClockWatch: Equatable, Sendable {
  /// Time after which the clock counts as lost. An oscillator that is wrong by 50 ppm deviates by 4 s in that time.
  static let timeout = Duration.seconds(86_400)

  private var lastDate: Moment?
  private(set) var isLost = false

  /// Processes a credible date of the receiver. Returns true if the clock had been lost.
  mutating func dated(now: Moment) -> Bool {
    defer { isLost = false }
    lastDate = now
    return isLost
  }

  /// Checks the clock before something is dated. Returns the time without a date, once per loss.
  mutating func lapse(now: Moment) -> Duration? {
    guard !isLost, let lastDate, now - lastDate >= Self.timeout else { return nil }
    isLost = true
    return now - lastDate
  }
}
