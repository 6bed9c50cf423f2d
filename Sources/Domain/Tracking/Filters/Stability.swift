import Quantities

/// Decides if a fix is reliable enough to start a trip, end a visit or cross a zone. After an outage the first fixes
/// are the worst.
struct Stability: Equatable, Sendable {
  /// Length of a gap after which fixes must prove reliable again.
  static let outage = Duration.seconds(30)
  /// Number of consecutive fixes within ``spread`` of the first that prove stability.
  static let fixes = 3
  /// Radius in metres for fixes without accuracy.
  static let spread = 30.0

  private var first: Observation?
  private var last: Observation?
  private var count = 0
  private var isProven = false

  /// Processes a fix. Returns true if it is reliable.
  mutating func isStable(_ observation: Observation) -> Bool {
    defer { last = observation }
    if let last, let pause = observation.elapsed(since: last), pause > Self.outage || pause <= .zero {
      self = Stability()
    }
    if isProven || observation.isVague { return isProven }
    if observation.radius <= HorizontalAccuracy.good {
      isProven = true
      return true
    }
    let reach = first.map {
      Self.spread + observation.uncertainty(with: $0) + ($0.speed ?? 0) * Double(count) * 2
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
