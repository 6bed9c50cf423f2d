import Quantities

/// Ignores an accelerometer for a while after repeated false wake-ups, because a device on a swaying mast must not
/// drain its battery. Owned by ``ReceiverPlan``.
struct VainWakes: Equatable, Sendable {
  static let most = 6
  static let window = Duration.seconds(3600)
  static let shortestDeafness = Duration.seconds(900)
  static let longestDeafness = Duration.seconds(3600)

  private var recent: [Moment] = []
  private var deafness = VainWakes.shortestDeafness
  /// Time before which motion does not wake the receiver. A position check happens then.
  private(set) var deafUntil: Moment?

  func isDeaf(now: Moment) -> Bool { deafUntil.map { now < $0 } ?? false }

  /// Counts a false wake-up.
  mutating func inVain(now: Moment) {
    recent = recent.filter { now - $0 < Self.window } + [now]
    guard recent.count >= Self.most else { return }
    recent = []
    deafUntil = now + deafness
    deafness = min(deafness + deafness, Self.longestDeafness)
  }

  /// Registers that the motion was real.
  mutating func confirmed() { self = VainWakes() }
}
