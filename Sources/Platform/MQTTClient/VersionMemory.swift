import Quantities

/// Decides which MQTT version a connection tries: 5, or 3.1.1 for brokers that know no other.
///
/// A broker that says so is believed for a day. A reset, an end or silence is no proof, because a broker that restarts
/// behaves alike: MQTT 5 is tried again after 10 minutes, later after up to a day. A broker that has accepted MQTT 5 before
/// needs three such failures in a row.
public struct VersionMemory: Equatable, Sendable {
  /// The evidence that a broker does not know MQTT 5.
  public enum Evidence: Equatable, Sendable {
    /// The broker said so.
    case stated
    /// The broker closed the connection, or did not answer.
    case suspected
  }

  /// The time after which MQTT 5 is tried again: at first, and at most.
  static let firstReview = Duration.seconds(600)
  static let lastReview = Duration.seconds(86_400)
  /// The number of failures in a row from which a broker that accepted MQTT 5 is suspected.
  static let enough = 3

  /// MQTT 3.1.1 is used until then.
  private var olderUntil: Moment?
  private var review = VersionMemory.firstReview
  private var hasAcceptedFive = false
  /// The number of failures of MQTT 5 since it was accepted.
  private var suspicions = 0
  /// True if the next connection tries MQTT 3.1.1 only, because the last one got no answer.
  private var triesOlder = false

  public init() {}

  /// The version to try first.
  public func first(now: Moment) -> MQTTVersion {
    if triesOlder { return .threeOneOne }
    guard let olderUntil, now < olderUntil else { return .five }
    return .threeOneOne
  }

  /// Notes that MQTT 5 failed; returns true if MQTT 3.1.1 is to be tried at once.
  mutating func fiveFailed(_ evidence: Evidence) -> Bool {
    suspicions = min(suspicions + 1, Self.enough)
    return evidence == .stated || !hasAcceptedFive || suspicions >= Self.enough
  }

  /// Notes that the owner gave up a connection to which the broker did not answer.
  mutating func gaveUp(_ version: MQTTVersion) {
    triesOlder = false
    switch version {
    case .five: triesOlder = fiveFailed(.suspected)
    case .threeOneOne: olderUntil = nil
    }
  }

  /// Notes an accepted connection. `evidence` is the reason for MQTT 3.1.1 if MQTT 5 failed just before.
  mutating func accepted(_ version: MQTTVersion, because evidence: Evidence?, now: Moment) {
    switch version {
    case .five: (self, hasAcceptedFive) = (VersionMemory(), true)
    case .threeOneOne:
      guard evidence != nil || triesOlder else { return }
      triesOlder = false
      olderUntil = now + (evidence == .stated ? Self.lastReview : review)
      review = min(review * 2, Self.lastReview)
    }
  }

  /// Notes that the connection failed with MQTT 3.1.1: the next one begins with MQTT 5.
  mutating func olderFailed() { (olderUntil, triesOlder) = (nil, false) }
}
