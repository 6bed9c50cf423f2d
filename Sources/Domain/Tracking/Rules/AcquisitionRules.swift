import Quantities
import Records

/// The recording rules: select the fixes to store. One rule that applies is enough. All are measured from the last
/// record; nil disables a rule.
///
/// Noise does not satisfy a rule. A distance counts only beyond the uncertainty of both fixes, and a change of speed
/// beyond both speed uncertainties. A turn counts only if the course is known much better than the threshold.
public struct AcquisitionRules: Equatable, Sendable {
  /// Recording interval. Zero records every fix. One second records the first fix of each UTC second, so that a
  /// receiver with times of 10.77 and 11.76 does not lose every other fix.
  public var minPeriod: Duration?
  /// Straight-line distance in metres.
  public var minDistance: Double?
  /// A turn since the last record.
  public var angle: AngleRule?
  /// Speed in m/s below which the course is not reliable.
  public var angleMinSpeed = 10 / 3.6
  /// Change of speed in m/s.
  public var minSpeedDelta: Double?
  /// Longest time without a record; the interval of the heartbeat.
  public var maxPeriod: Duration?
  /// An interval that follows the speed.
  public var beaconing: SmartBeaconing?
  /// Shortest interval between records made by rules; it does not delay transitions and events. One second means the
  /// UTC second, too.
  public var minInterval: Duration?
  /// True if a change of profile, stop, motion or trip makes a record.
  public var reactsToTransitions = true
  /// True if an event of ignition, charger, zones, parking or driving makes a record of the next fix.
  public var reactsToEvents = false

  public init(minPeriod: Duration? = nil, minDistance: Double? = nil) {
    self.minPeriod = minPeriod
    self.minDistance = minDistance
  }

  /// Creates the rules for Overland's `min_time` and `min_distance`, both of which a fix has to satisfy. With a
  /// distance the time is the shortest interval, otherwise the recording interval.
  public init(minTime: Duration, minDistance: Double?) {
    self.init()
    guard let minDistance else {
      minPeriod = minTime
      return
    }
    minInterval = minTime
    self.minDistance = minDistance
  }

  /// The decision for a fix.
  public enum Verdict: Equatable, Sendable {
    case keep(KeepReasons)
    /// The fix is not recorded. The case has the reason and the value that was too small.
    case drop(Rejection, RejectedValue)
  }

  /// Applies all rules. `reference` is the last record; without one, or without a measurable interval, the fix is
  /// recorded. `asked` are reasons from outside: an event or a transition.
  public func verdict(on observation: Observation, reference: Observation?, asked: KeepReasons = [])
    -> Verdict
  {
    guard let reference, let elapsed = observation.elapsed(since: reference) else {
      return .keep(asked.union(.transition))
    }
    var reasons = asked
    let isTooSoon = minInterval.map { !hasPassed($0, from: reference, to: observation, elapsed) } ?? false
    if !isTooSoon {
      reasons.formUnion(satisfiedRules(by: observation, reference: reference, elapsed: elapsed))
    }
    guard reasons.isEmpty else { return .keep(reasons) }
    return isTooSoon ? .drop(.minTime, .pause(elapsed)) : drop(observation, reference, elapsed)
  }

  /// The time of the next heartbeat; nil if no rule requires one.
  func heartbeatDue(from last: Moment?) -> Moment? {
    guard let maxPeriod, maxPeriod > .zero, let last else { return nil }
    return last + maxPeriod
  }

  /// The reason for a fix that no rule selects.
  private func drop(_ observation: Observation, _ reference: Observation, _ elapsed: Duration) -> Verdict {
    let isTimed = minPeriod != nil
    let hasOthers = angle != nil || minSpeedDelta != nil || beaconing != nil || maxPeriod != nil
    if hasOthers || isTimed == (minDistance != nil) { return .drop(.noRule, .pause(elapsed)) }
    if isTimed { return .drop(.minTime, .pause(elapsed)) }
    return .drop(.minDistance, .distance(observation.distance(to: reference)))
  }

  private func satisfiedRules(by observation: Observation, reference: Observation, elapsed: Duration)
    -> KeepReasons
  {
    var reasons: KeepReasons = []
    // Computed only if a rule requires it, because of the trigonometry.
    let leg = minDistance == nil && angle == nil ? 0 : observation.distance(to: reference)
    let speed = observation.speed ?? 0
    if let minPeriod, hasPassed(minPeriod, from: reference, to: observation, elapsed) {
      reasons.insert(.period)
    }
    if let beaconing, elapsed >= beaconing.rate(at: speed) { reasons.insert(.period) }
    if let minDistance, leg >= minDistance, leg >= observation.uncertainty(with: reference) {
      reasons.insert(.distance)
    }
    if let angle, speed > angleMinSpeed, turned(angle.threshold(leg: leg), reference, observation) {
      reasons.insert(.angle)
    }
    if let beaconing, elapsed >= beaconing.turnTime, let corner = beaconing.corner(at: speed),
      turned(corner, reference, observation)
    {
      reasons.insert(.angle)
    }
    if let minSpeedDelta, let now = observation.speed, let before = reference.speed {
      let uncertainty = [observation.speedRadius, reference.speedRadius].map { $0 * $0 }.reduce(0, +)
      let change = abs(now - before)
      if change >= minSpeedDelta, change > uncertainty.squareRoot() { reasons.insert(.speed) }
    }
    if let maxPeriod, elapsed >= maxPeriod { reasons.insert(.ceiling) }
    return reasons
  }

  private func turned(_ threshold: Double, _ reference: Observation, _ observation: Observation) -> Bool {
    guard let turn = observation.turn(from: reference), turn >= threshold else { return false }
    let doubts = [observation.courseRadius, reference.courseRadius]
    return doubts.map { $0 * $0 }.reduce(0, +).squareRoot() <= threshold / 2
  }

  private func hasPassed(_ pause: Duration, from: Observation, to: Observation, _ elapsed: Duration) -> Bool {
    if elapsed >= pause { return true }
    guard pause == .seconds(1), let earlier = from.timestamp, let later = to.timestamp else { return false }
    return later.wholeSeconds > earlier.wholeSeconds
  }
}
