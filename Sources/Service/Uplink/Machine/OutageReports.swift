import Quantities

/// Decides which failures and successes of a destination are reported.
///
/// An outage is reported at its first failure and ends with the first success. If the destination fails again within
/// ``relapse`` of a reported recovery, that outage ends only with a success that no failure preceded for a time of proof,
/// which doubles with every relapse. A destination that fails every second request has at most five reports in an hour.
struct OutageReports: Equatable, Sendable {
  /// Time after a recovery within which a failure is a relapse.
  static let relapse = Duration.seconds(3600)
  /// The shortest time without a failure after a relapse. A multiple of the longest send interval in common use, 5 min.
  static let shortestProof = Duration.seconds(1200)
  static let longestProof = Duration.seconds(3600)

  private static let proofs = Backoff(from: shortestProof, upTo: longestProof)

  /// The number of failed attempts in the reported outage; 0 while there is none.
  private var failures = 0
  private var lastFailure = Moment.zero
  /// The time of the last reported recovery; nil before the first.
  private var recovered: Moment?
  /// Time without a failure after which the outage is over.
  private var proof = Duration.zero
  private var proofs = Self.proofs
  private var hasReportedUnrouted = false

  /// Notes a failure; returns true if it is to be reported. A missing subscriber is a different condition from an
  /// unreachable broker, and reported once more.
  mutating func fail(isUnrouted: Bool, now: Moment) -> Bool {
    lastFailure = now
    failures = min(failures, Int.max - 1) + 1
    let isFirst = failures == 1
    if isFirst { begin(now: now) }
    guard isUnrouted, !hasReportedUnrouted else { return isFirst }
    hasReportedUnrouted = true
    return true
  }

  /// Notes a success; returns the number of failed attempts if it is the end of the outage, nil if there is nothing to
  /// report.
  mutating func succeed(now: Moment) -> Int? {
    guard failures > 0, now - lastFailure >= proof else { return nil }
    defer { failures = 0 }
    recovered = now
    hasReportedUnrouted = false
    return failures
  }

  private mutating func begin(now: Moment) {
    guard let recovered, now - recovered < Self.relapse else {
      proofs.reset()
      return proof = .zero
    }
    proof = proofs.next()
  }
}
