import Quantities

/// How often a connection is read from. A client that only publishes is sent a few short packets for each message and
/// each sign of life; a broker that sends without end would take all of a small machine.
struct ReadBudget: Equatable, Sendable {
  /// Reads in a row without a message of our own, and the most that are saved up.
  static let most = 500
  /// Reads that each second allows.
  static let perSecond = 50
  /// Reads that each published message allows: an acknowledgement may come in pieces.
  static let perMessage = 8

  private var left = most
  private var refilled: Moment

  init(now: Moment) { refilled = now }

  mutating func earn() { left = min(left + Self.perMessage, Self.most) }

  /// False when nothing is left.
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
