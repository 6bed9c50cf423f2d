import Quantities
import Records

/// When a fix becomes a record: any rule that holds makes one, measured from the last record. Nil disables a rule.
///
/// A rule is not satisfied by noise: a distance counts only beyond the uncertainty of both fixes, a turn only where the
/// course is known much better than the threshold, a change of speed only beyond both uncertainties.
public struct AcquisitionRules: Equatable, Sendable {
  /// Zero keeps every fix. With one second the first fix in each UTC second is kept: a receiver that prints 10.77 and
  /// then 11.76 is not to lose every other fix.
  public var minPeriod: Duration?
  /// Metres in a straight line.
  public var minDistance: Double?
  public var angle: AngleRule?
  /// m/s; below there is no course to be trusted.
  public var angleMinSpeed = 10 / 3.6
  /// Change of speed in m/s.
  public var minSpeedDelta: Double?
  /// The longest time without a record; the heartbeat.
  public var maxPeriod: Duration?
  public var beaconing: SmartBeaconing?
  /// The shortest pause between records that a rule makes; transitions and events are not held back. One second again
  /// means the UTC second.
  public var minInterval: Duration?
  /// A change of profile, of rest and motion, or of a trip makes a record.
  public var heedsTransitions = true
  /// An event of ignition, charger, zones, parking or driving has the next fix kept.
  public var heedsEvents = false

  public init(minPeriod: Duration? = nil, minDistance: Double? = nil) {
    self.minPeriod = minPeriod
    self.minDistance = minDistance
  }

  /// Overland's `min_time` and `min_distance`, both of which a fix has to pass: with a distance the time is the shortest
  /// pause, without one it is the period.
  public init(minTime: Duration, minDistance: Double?) {
    self.init()
    guard let minDistance else {
      minPeriod = minTime
      return
    }
    minInterval = minTime
    self.minDistance = minDistance
  }

  /// What became of a fix.
  public enum Verdict: Equatable, Sendable {
    case keep(KeepReasons)
    /// With what it was too little of.
    case drop(Rejection, RejectedValue)
  }

  /// Looks at all rules once. `reference` is the last record; without one, or where nothing measures the time between,
  /// the fix is kept. `asked` are reasons from outside: an event or a transition.
  public func verdict(on sample: Sample, reference: Sample?, asked: KeepReasons = []) -> Verdict {
    guard let reference, let elapsed = sample.elapsed(since: reference) else {
      return .keep(asked.union(.transition))
    }
    var reasons = asked
    let isTooSoon = minInterval.map { !hasPassed($0, from: reference, to: sample, elapsed) } ?? false
    if !isTooSoon { reasons.formUnion(held(by: sample, reference: reference, elapsed: elapsed)) }
    guard reasons.isEmpty else { return .keep(reasons) }
    return isTooSoon ? .drop(.minTime, .pause(elapsed)) : drop(sample, reference, elapsed)
  }

  /// When the log has to say that the device is alive though it has no new place; nil where no rule asks for it.
  func heartbeatDue(from last: Moment?) -> Moment? {
    guard let maxPeriod, maxPeriod > .zero, let last else { return nil }
    return last + maxPeriod
  }

  /// The word for a fix that no rule wanted.
  private func drop(_ sample: Sample, _ reference: Sample, _ elapsed: Duration) -> Verdict {
    let isTimed = minPeriod != nil
    let hasOthers = angle != nil || minSpeedDelta != nil || beaconing != nil || maxPeriod != nil
    if hasOthers || isTimed == (minDistance != nil) { return .drop(.noRule, .pause(elapsed)) }
    if isTimed { return .drop(.minTime, .pause(elapsed)) }
    return .drop(.minDistance, .distance(sample.distance(to: reference)))
  }

  private func held(by sample: Sample, reference: Sample, elapsed: Duration) -> KeepReasons {
    var reasons: KeepReasons = []
    // A straight line costs trigonometry: only where a rule asks for it.
    let leg = minDistance == nil && angle == nil ? 0 : sample.distance(to: reference)
    let speed = sample.speed ?? 0
    if let minPeriod, hasPassed(minPeriod, from: reference, to: sample, elapsed) { reasons.insert(.period) }
    if let beaconing, elapsed >= beaconing.rate(at: speed) { reasons.insert(.period) }
    // Without a figure the distance stands for itself.
    if let minDistance, leg >= minDistance, leg >= sample.statedUncertainty(with: reference) {
      reasons.insert(.distance)
    }
    if let angle, speed > angleMinSpeed, turned(angle.threshold(leg: leg), reference, sample) {
      reasons.insert(.angle)
    }
    if let beaconing, elapsed >= beaconing.turnTime, let corner = beaconing.corner(at: speed),
      turned(corner, reference, sample)
    {
      reasons.insert(.angle)
    }
    if let minSpeedDelta, let now = sample.speed, let before = reference.speed {
      let doubt = [sample.speedAccuracy ?? 0, reference.speedAccuracy ?? 0].map { $0 * $0 }.reduce(0, +)
      let change = abs(now - before)
      if change >= minSpeedDelta, change > doubt.squareRoot() { reasons.insert(.speed) }
    }
    if let maxPeriod, elapsed >= maxPeriod { reasons.insert(.ceiling) }
    return reasons
  }

  private func turned(_ threshold: Double, _ reference: Sample, _ sample: Sample) -> Bool {
    guard let turn = sample.turn(from: reference), turn >= threshold else { return false }
    let doubts = [sample.courseAccuracy ?? 0, reference.courseAccuracy ?? 0]
    return doubts.map { $0 * $0 }.reduce(0, +).squareRoot() <= threshold / 2
  }

  private func hasPassed(_ pause: Duration, from: Sample, to: Sample, _ elapsed: Duration) -> Bool {
    if elapsed >= pause { return true }
    guard pause == .seconds(1), let earlier = from.timestamp, let later = to.timestamp else { return false }
    return later.wholeSeconds > earlier.wholeSeconds
  }
}
