import Quantities

/// One trouble's presence, held against flapping: it begins when it was there for a while and ends when it was
/// gone for a while, longer each time it comes back.
struct Symptom: Equatable, Sendable {
  enum Change: Equatable {
    case began
    case ended(lasted: Duration)
  }

  /// A trouble that comes back within this must be gone twice as long before it counts as ended.
  static let relapse = Duration.seconds(3600)
  static let longestProof = Duration.seconds(3600)

  /// How long it must be there.
  let patience: Duration
  /// How long it must be gone, for the first time.
  let shortestProof: Duration
  private var proof: Duration
  private(set) var began: Moment?
  private var ended: Moment?
  /// Since when the opposite of what was last said has been seen.
  private var contraryFrom: Moment?

  init(patience: Duration, proof: Duration) {
    self.patience = patience
    shortestProof = proof
    self.proof = proof
  }

  var isReported: Bool { began != nil }

  /// Neither there nor seen.
  var isCalm: Bool { began == nil && contraryFrom == nil }

  /// Reported and not seen to be gone: worth a remedy.
  var isPressing: Bool { isReported && contraryFrom == nil }

  mutating func see(_ present: Bool, now: Moment) {
    if present == isReported {
      contraryFrom = nil
    } else if contraryFrom == nil {
      contraryFrom = now
    }
  }

  /// What was seen before counts no more, what was said stays.
  mutating func lookAway() { contraryFrom = nil }

  var nextTimeout: Moment? { contraryFrom.map { $0 + (isReported ? proof : patience) } }

  mutating func settle(now: Moment) -> Change? {
    guard let nextTimeout, now >= nextTimeout else { return nil }
    contraryFrom = nil
    if let began {
      self.began = nil
      ended = now
      return .ended(lasted: now - began)
    }
    let cameBack = ended.map { now - $0 < Self.relapse } ?? false
    proof = cameBack ? min(proof + proof, Self.longestProof) : shortestProof
    began = now
    return .began
  }
}
