import Quantities

/// Limits the number of reads from a connection.
///
/// A publishing client receives a few short packets per message and keep-alive. A broker that sends without end would
/// exhaust a small host.
struct ReadBudget: Equatable, Sendable {
  /// The maximum budget: the number of consecutive reads without a published message.
  static let most = 500
  /// The number of reads that every second adds.
  static let perSecond = 50
  /// The number of reads that every published message adds: an acknowledgement may arrive in pieces.
  static let perMessage = 8

  private var left = most
  private var refilled: Moment

  init(now: Moment) { refilled = now }

  /// Adds the budget of one published message.
  mutating func earn() { left = min(left + Self.perMessage, Self.most) }

  /// Spends one read; returns false if the budget is exhausted.
  mutating func spend(now: Moment) -> Bool {
    let seconds = (now - refilled).wholeSeconds
    if seconds > 0 {
      left = Int(min(Int64(Self.most), Int64(left) + min(seconds, 60) * Int64(Self.perSecond)))
      refilled = now
    }
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
