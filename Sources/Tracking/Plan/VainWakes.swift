import Quantities

/// Stops listening to an accelerometer that keeps waking the receiver while nothing moves: a flag on a mast must not
/// run the battery down.
struct VainWakes: Equatable, Sendable {
  static let most = 6
  static let window = Duration.seconds(3600)
  static let shortestDeafness = Duration.seconds(900)
  static let longestDeafness = Duration.seconds(3600)

  private var recent: [Moment] = []
  private var deafness = VainWakes.shortestDeafness
  /// Motion does not wake the receiver before; a check does then.
  private(set) var deafUntil: Moment?

  func isDeaf(now: Moment) -> Bool { deafUntil.map { now < $0 } ?? false }

  /// The receiver was woken, and nothing had moved.
  mutating func inVain(now: Moment) {
    recent = recent.filter { now - $0 < Self.window } + [now]
    guard recent.count >= Self.most else { return }
    recent = []
    deafUntil = now + deafness
    deafness = min(deafness + deafness, Self.longestDeafness)
  }

  /// It did move.
  mutating func confirmed() { self = VainWakes() }
}
