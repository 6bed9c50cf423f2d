import Quantities

/// Overland's `min_time` and `min_distance`: what is kept, measured from the last record.
///
/// Both compare the fixes' own times and places, so that a recording gives the same records at any speed.
public struct Thinning: Equatable, Sendable {
  /// The last record: everything is compared with it, and dropped fixes do not move it.
  public struct Reference: Equatable, Sendable {
    public var timestamp: Timestamp?
    /// On the boot clock; the measure between fixes without a date. Nil for a record of an earlier boot.
    public var moment: Moment?
    public var coordinate: Coordinate

    public init(timestamp: Timestamp?, moment: Moment?, coordinate: Coordinate) {
      self.timestamp = timestamp
      self.moment = moment
      self.coordinate = coordinate
    }
  }

  /// Zero keeps every fix. One second keeps one in each UTC second. Any other keeps a fix when as much time has
  /// passed.
  public var minTime: Duration
  /// Metres; nil is off.
  public var minDistance: Double?

  public init(minTime: Duration = .seconds(1), minDistance: Double? = nil) {
    self.minTime = minTime
    self.minDistance = minDistance
  }

  /// A fix that is this much older than the last record is no straggler: the receiver's clock was set back, and
  /// a new stretch begins.
  static let stepBack = Duration.seconds(2)

  /// Nil when the fix becomes a record. Without a reference every fix does.
  public func rejection(of candidate: Reference, reference: Reference?) -> Rejection? {
    guard let reference, let elapsed = elapsed(from: reference, to: candidate) else { return nil }
    if elapsed <= .zero { return elapsed < .zero - Self.stepBack ? nil : .notNewer }
    if elapsed < minTime, !isFirstOfSecond(candidate, after: reference) { return .minTime }
    if let minDistance, reference.coordinate.distance(to: candidate.coordinate) < minDistance {
      return .minDistance
    }
    return nil
  }

  private func elapsed(from reference: Reference, to candidate: Reference) -> Duration? {
    if let earlier = reference.timestamp, let later = candidate.timestamp { return later - earlier }
    guard let earlier = reference.moment, let later = candidate.moment else { return nil }
    return later - earlier
  }

  /// With a second or less to wait, the UTC second decides: a receiver that prints 10.77 and then 11.76 is not
  /// to lose every other fix.
  private func isFirstOfSecond(_ candidate: Reference, after reference: Reference) -> Bool {
    guard minTime == .seconds(1), let earlier = reference.timestamp, let later = candidate.timestamp else {
      return false
    }
    return later.wholeSeconds > earlier.wholeSeconds
  }
}
