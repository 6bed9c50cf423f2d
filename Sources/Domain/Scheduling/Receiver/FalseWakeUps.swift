import Quantities

/// Ignores an accelerometer for a while after repeated false wake-ups, because a device on a swaying mast must not
/// drain its battery. Owned by ``ReceiverSchedule``.
struct FalseWakeUps: Equatable, Sendable {
  static let most = 6
  static let window = Duration.seconds(3600)
  static let shortestIgnorePeriod = Duration.seconds(900)
  static let longestIgnorePeriod = Duration.seconds(3600)

  private var recent: [Moment] = []
  private var ignorePeriod = FalseWakeUps.shortestIgnorePeriod
  /// Time before which motion does not wake the receiver. A position check happens then.
  private(set) var ignoredUntil: Moment?

  func isIgnoringMotion(now: Moment) -> Bool { ignoredUntil.map { now < $0 } ?? false }

  /// Counts a false wake-up.
  mutating func record(now: Moment) {
    recent = recent.filter { now - $0 < Self.window } + [now]
    guard recent.count >= Self.most else { return }
    recent = []
    ignoredUntil = now + ignorePeriod
    ignorePeriod = min(ignorePeriod + ignorePeriod, Self.longestIgnorePeriod)
  }

  /// Registers that the motion was real.
  mutating func confirmed() { self = FalseWakeUps() }
}
