import Quantities

/// After an outage the next fixes are the worst: whether a fix may start a trip, end a visit or cross a zone.
struct Stability: Equatable, Sendable {
  /// A pause between fixes from which they have to prove themselves again.
  static let outage = Duration.seconds(30)
  /// Fixes within ``spread`` of the first of them.
  static let fixes = 3
  /// Metres for fixes that say nothing of their accuracy.
  static let spread = 30.0
  /// Metres; a fix this good is stable by itself.
  static let goodAccuracy = 10.0

  private var first: Sample?
  private var last: Sample?
  private var count = 0
  private var isProven = false

  /// Takes the fix and answers whether it is stable.
  mutating func isStable(_ sample: Sample) -> Bool {
    defer { last = sample }
    if let last, let pause = sample.elapsed(since: last), pause > Self.outage || pause <= .zero {
      self = Stability()
    }
    if isProven { return true }
    if let accuracy = sample.accuracy, accuracy <= Self.goodAccuracy {
      isProven = true
      return true
    }
    let reach = first.map { Self.spread + sample.uncertainty(with: $0) + ($0.speed ?? 0) * Double(count) * 2 }
    if let first, let reach, sample.distance(to: first) <= reach {
      count += 1
    } else {
      first = sample
      count = 1
    }
    isProven = count >= Self.fixes
    return isProven
  }
}
