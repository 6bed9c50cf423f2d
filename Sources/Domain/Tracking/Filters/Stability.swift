import Quantities

/// Decides if a fix is reliable enough to start a trip, end a visit or cross a zone. After an outage the first fixes
/// are the worst.
struct Stability: Equatable, Sendable {
  /// Length of a gap after which fixes must prove reliable again. A receiver with sparser fixes may pause for twice its
  /// last interval, up to ``longestInterval``.
  static let outage = Duration.seconds(30)
  static let longestInterval = Duration.seconds(150)
  /// Number of consecutive fixes within ``spread`` of the first that prove stability.
  static let fixes = 3
  /// Radius in metres for fixes without accuracy.
  static let spread = 30.0

  private var first: Observation?
  private var last: Observation?
  /// Time between the last two fixes.
  private var interval = Duration.zero
  private var count = 0
  private var isProven = false

  /// Processes a fix. Returns true if it is reliable.
  mutating func isStable(_ observation: Observation) -> Bool {
    defer { last = observation }
    if let last, let pause = observation.elapsed(since: last) {
      let outage = max(Self.outage, min(interval * 2, Self.longestInterval))
      if pause > outage || pause <= .zero { self = Stability() }
      interval = pause
    }
    if isProven || observation.isVague { return isProven }
    if observation.radius <= HorizontalAccuracy.good {
      isProven = true
      return true
    }
    let reach = first.map {
      let seconds = max(observation.elapsed(since: $0)?.inSeconds ?? 0, Double(count))
      return Self.spread + observation.uncertainty(with: $0) + ($0.speed ?? 0) * seconds * 2
    }
    if let first, let reach, observation.distance(to: first) <= reach {
      count += 1
    } else {
      first = observation
      count = 1
    }
    isProven = count >= Self.fixes
    return isProven
  }
}
