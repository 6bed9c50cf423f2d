import Quantities

/// The recorded track of the device: decides which fixes become records while moving, and when the next fix is due.
///
/// What is learned about the curvature of the tracks outlives a leg. Owned by ``ReceiverSchedule``.
struct TrackRecording: Equatable, Sendable {
  /// Shortest time between two records at level H; an epoch may be slightly early.
  private static let shortestPeriod = Duration.milliseconds(900)
  /// Longest interval at level S between records of a receiver that remains awake.
  private static let longestLeg = Duration.seconds(8)

  /// The last fix, recorded or not.
  private(set) var lastFix: ScheduleFix?
  /// The last recorded position.
  private(set) var lastKept: ScheduleFix?
  /// The sampling of the present leg; nil at other levels than S.
  private var sampling: TrackSampling?
  /// The typical curvature of this device's tracks, learned.
  private var curvature = TrackCurvature()
  /// The recent speed in m/s; 0 after a long stop.
  private var recentSpeed = 0.0

  /// Processes a fix, recorded or not.
  mutating func take(_ fix: ScheduleFix) { lastFix = fix }

  /// Processes a recorded position.
  mutating func keep(_ fix: ScheduleFix) { lastKept = fix }

  /// The distance in metres from the last record, beyond the uncertainty of both; infinite without a record.
  func certainDistance(to fix: ScheduleFix) -> Double { lastKept?.certainDistance(to: fix) ?? .infinity }

  /// The earliest time of the next record at an interval of `shortest`; nil before the first.
  func nextRecord(after shortest: Duration) -> Moment? { lastKept.map { $0.moment + shortest } }

  // MARK: While moving

  /// The decision on a fix while moving.
  struct Decision: Equatable, Sendable {
    /// What the receiver does next.
    enum Next: Equatable, Sendable {
      /// It continues as it is.
      case unchanged
      /// No locations are required.
      case endLeg
      /// Level H: it tracks with a fix every second.
      case everySecond
      /// Level S: a leg starts with this fix.
      case beginLeg
      /// Level S: the next fix is due after this time.
      case fix(after: Duration)
      /// Sparse: it sleeps for this time.
      case sleep(Duration)
    }

    /// The reason to record the fix; nil if it is not recorded.
    var reason: KeepReason?
    var next: Next
  }

  /// Decides on a fix while moving. A fix that must not be recorded changes nothing in the track. `isFollowing` is true
  /// if the receiver tracks without sleep, `isRequested` if a position is requested.
  mutating func decide(
    _ fix: ScheduleFix, _ service: TrackingPolicy.MovingService, isFollowing: Bool, isRequested: Bool,
    now: Moment
  ) -> Decision {
    let sinceLast = lastKept.map { now - $0.moment }
    switch service {
    case .none: return Decision(reason: nil, next: .endLeg)
    case .everySecond:
      // Epochs that the receiver stored have their own times; their moments are derived.
      let isDue = lastKept.map { fix.timeSince($0, now: now) >= Self.shortestPeriod } ?? true
      return Decision(reason: isDue ? .period : nil, next: .everySecond)
    case .within(let metres):
      guard var sampling else { return Decision(reason: .track, next: .beginLeg) }
      guard fix.mayBeKept else {
        return Decision(
          reason: nil, next: isFollowing ? .unchanged : .fix(after: .seconds(sampling.interval)))
      }
      if isFollowing, let sinceLast, sinceLast < Self.longestLeg, sampling.drift(of: fix) < metres / 3 {
        return Decision(reason: nil, next: .unchanged)
      }
      sampling.advance(fix)
      self.sampling = sampling
      curvature = sampling.curvature
      recentSpeed = sampling.recentSpeed
      return Decision(reason: .track, next: .fix(after: .seconds(sampling.interval)))
    case .sparse(let metres, let shortest, let check):
      let moved = lastKept?.coordinate.distance(to: fix.coordinate) ?? .infinity
      let reason: KeepReason? = moved >= metres ? .change : isRequested ? .requested : nil
      let left = reason != nil && fix.mayBeKept ? metres : max(metres - moved, 0)
      let wait = Duration.seconds(left / max(fix.speed, 1))
      return Decision(reason: reason, next: .sleep(min(max(wait, shortest), check)))
    }
  }

  /// Starts a leg at level S with this fix. Returns the time to the next record.
  mutating func beginLeg(within metres: Double, _ fix: ScheduleFix) -> Duration {
    var sampling = TrackSampling(bound: metres, curvature: curvature, recentSpeed: recentSpeed)
    sampling.begin(fix)
    self.sampling = sampling
    return .seconds(sampling.interval)
  }

  /// Starts a leg at level S at the last record, where the device was until now. Returns the time to the next record;
  /// nil without a record.
  mutating func resumeLeg(within metres: Double, now: Moment) -> Duration? {
    guard var position = lastKept else { return nil }
    position.moment = now
    position.velocity = GroundVector(north: 0, east: 0)
    lastKept = position
    return beginLeg(within: metres, position)
  }

  /// Ends the leg.
  mutating func endLeg() { sampling = nil }

  /// Forgets the speed of the last leg.
  mutating func forgetSpeed() { recentSpeed = 0 }
}
