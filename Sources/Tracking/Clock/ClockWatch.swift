import Quantities

/// Whether the clock still goes by the receiver, or has been left to the machine alone for long.
///
/// It has no deadline of its own: nobody needs to be woken to learn that nothing was dated meanwhile.
struct ClockWatch: Equatable, Sendable {
  /// A machine whose oscillator is 50 ppm wrong is 4 s off after so long.
  static let patience = Duration.seconds(86_400)

  private var lastDate: Moment?
  private(set) var isLost = false

  /// The receiver gave a date that was believed; true where the clock had been lost before.
  mutating func dated(now: Moment) -> Bool {
    defer { isLost = false }
    lastDate = now
    return isLost
  }

  /// Something happens that is dated by the clock. Answers for how long no date came, once.
  mutating func lapse(now: Moment) -> Duration? {
    guard !isLost, let lastDate, now - lastDate >= Self.patience else { return nil }
    isLost = true
    return now - lastDate
  }
}
