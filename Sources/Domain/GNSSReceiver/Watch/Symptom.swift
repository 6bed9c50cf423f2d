import Quantities

/// Debounces one fault: it begins and ends only after its presence or absence has lasted. The time to end it
/// doubles with every relapse.
struct Symptom: Equatable, Sendable {
  /// A change of the reported state.
  enum Change: Equatable {
    case began
    case ended(lasted: Duration)
  }

  /// Time within which a fault that returns is a relapse, which must be absent twice as long before it ends.
  static let relapse = Duration.seconds(3600)
  static let longestProof = Duration.seconds(3600)

  /// Time that the fault must be present before it begins.
  let onsetTime: Duration
  /// Time that the fault must be absent before it ends, without a relapse.
  let shortestProof: Duration
  private var proof: Duration
  private(set) var began: Moment?
  private var ended: Moment?
  /// The start of the observations that contradict the reported state.
  private var contraryFrom: Moment?

  init(onsetTime: Duration, proof: Duration) {
    self.onsetTime = onsetTime
    shortestProof = proof
    self.proof = proof
  }

  var isReported: Bool { began != nil }

  /// True if the fault is neither reported nor observed.
  var isFaultFree: Bool { began == nil && contraryFrom == nil }

  /// True if the fault is reported and still observed: it deserves a recovery step.
  var needsRecovery: Bool { isReported && contraryFrom == nil }

  mutating func observe(_ present: Bool, now: Moment) {
    if present == isReported {
      contraryFrom = nil
    } else if contraryFrom == nil {
      contraryFrom = now
    }
  }

  /// Discards unfinished observations; the reported state stays.
  mutating func discardObservations() { contraryFrom = nil }

  var nextTimeout: Moment? { contraryFrom.map { $0 + (isReported ? proof : onsetTime) } }

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
