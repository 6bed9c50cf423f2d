import Quantities

/// The filter of fixes that are too far from the last accepted one.
///
/// Trains, ferries and aircraft are possible, and a device that wakes may be anywhere. Several consecutive fixes that
/// agree are therefore accepted. After an outage the first fixes are the worst: one that its speed does not explain has to
/// be confirmed by the next ones. The first fix of a log has nothing to be compared with: it is accepted, and gives way to
/// as many later ones that agree.
struct JumpFilter: Equatable, Sendable {
  /// The decision for a fix. Speeds are those that the distance requires, in m/s.
  enum Verdict: Equatable, Sendable {
    case accepted
    /// Accepted with the fixes before it that agree: together they outnumber the first position of the log.
    case corrected
    /// The distance requires an impossible speed.
    case impossible(speed: Double)
    /// After an outage the device is elsewhere, and no other fix confirms it yet.
    case unconfirmed(speed: Double)
  }

  /// Consecutive fixes, each possible from the one before, that make a new position valid.
  static let confirmations = 3
  /// Length of a gap after which a fix needs an explanation. A receiver with sparser fixes may pause for
  /// ``intervals`` times its usual interval.
  static let outage = Duration.seconds(30)
  static let intervals: Int64 = 3
  /// Distance in metres that needs no explanation after an outage, and the speed in m/s by which it grows.
  static let nearby = 500.0
  static let walk = 2.0
  /// Factor by which a distance may exceed the one that the reported speed explains.
  static let speedTolerance = 1.5
  /// Factor of accuracy by which one fix outweighs a position that few fixes support.
  static let muchBetter = 3.0
  /// Accepted fixes after which the position before an outage no longer matters.
  static let settled = 10

  /// The last accepted fix, unless it is vague.
  private var last: Observation?
  /// Number of accepted fixes since the last outage.
  private var support = 0
  /// The last accepted fix before the outage.
  private var origin: Observation?
  private var suspect: Observation?
  /// Number of consecutive fixes that contradict the last accepted one and agree with each other.
  private(set) var agreeing = 0
  /// True while at most ``confirmations`` fixes support the first position of a log.
  private(set) var isFirstPosition = false
  /// The last fix, accepted or not, and the time between it and the one before.
  private var previous: Observation?
  private var interval = Duration.zero

  /// Highest possible speed in m/s for the motion state; that of a jet if it is unknown.
  static func limit(for motion: MotionStates) -> Double {
    if motion.contains(.driving) { return 120 }
    if !motion.isDisjoint(with: [.walking, .running, .cycling]) { return 60 }
    return 350
  }

  /// Decides about a fix.
  mutating func verdict(on observation: Observation, limit: Double) -> Verdict {
    let pause = previous.flatMap { observation.elapsed(since: $0) } ?? .zero
    defer { (previous, interval) = (observation, pause) }
    guard let last else {
      if !observation.isVague {
        accept(observation, isAfterOutage: false)
        isFirstPosition = true
      }
      return .accepted
    }
    if Self.isNear(last, observation, limit: limit) {
      if !observation.isVague { accept(observation, isAfterOutage: false) }
      return .accepted
    }
    guard let speed = Self.speed(from: last, to: observation) else {
      accept(observation, isAfterOutage: false)
      return .accepted
    }
    let usual = min(interval, pause) * Self.intervals
    let isOutage = observation.elapsed(since: last) ?? .zero > max(Self.outage, usual)
    let isPossible = speed <= limit
    // A vague fix may be stored, but later fixes are not compared with it.
    if isPossible, observation.isVague { return .accepted }
    if isPossible, !isOutage || Self.isExplained(from: last, to: observation) {
      accept(observation, isAfterOutage: isOutage)
      return .accepted
    }
    let step = suspect.flatMap { Self.speed(from: $0, to: observation) }
    let agrees = step.map { $0 <= limit } ?? false
    let corrects = isFirstPosition && !isPossible
    if !isPossible, outweighsLast(observation, limit: limit) {
      accept(observation, isAfterOutage: false)
      return corrects && agrees ? .corrected : .accepted
    }
    agreeing = agrees ? agreeing + 1 : 1
    suspect = observation
    let needed = isPossible ? Self.confirmations : min(support + 1, Self.confirmations)
    guard agreeing >= needed else {
      return isPossible ? .unconfirmed(speed: speed) : .impossible(speed: speed)
    }
    let count = agreeing
    let isOutnumbered = count > support
    accept(observation, isAfterOutage: true)
    support = count
    guard corrects else { return .accepted }
    if isOutnumbered { origin = nil }
    return .corrected
  }

  private mutating func accept(_ observation: Observation, isAfterOutage: Bool) {
    if isAfterOutage { (origin, support) = (last, 0) }
    support = min(support + 1, Self.settled)
    if support == Self.settled { origin = nil }
    if support > Self.confirmations { isFirstPosition = false }
    last = observation
    suspect = nil
    agreeing = 0
  }

  /// True if a fix proves that the last accepted one was wrong: it fits the position before the outage, or is much more
  /// accurate than the few fixes since.
  private func outweighsLast(_ observation: Observation, limit: Double) -> Bool {
    if let origin, let speed = Self.speed(from: origin, to: observation), speed <= limit,
      Self.isExplained(from: origin, to: observation)
    {
      return true
    }
    guard let last, support < Self.confirmations, observation.accuracy != nil else { return false }
    return observation.radius * Self.muchBetter <= last.radius
  }

  /// Continues after the last record of an earlier run.
  mutating func resume(after record: Observation) {
    if last == nil { (last, support) = (record, Self.settled) }
  }

  /// Discards the last position.
  mutating func forget() { self = JumpFilter() }

  /// True if a tenth of a second at `limit` covers the distance: nearly always, and without trigonometry.
  private static func isNear(_ from: Observation, _ to: Observation, limit: Double) -> Bool {
    from.coordinate.farthest(from: to.coordinate) <= limit / 10
  }

  /// True if the reported speeds, or a walk, explain the distance.
  private static func isExplained(from: Observation, to: Observation) -> Bool {
    guard let elapsed = to.elapsed(since: from)?.inSeconds, elapsed > 0 else { return true }
    let fastest = max(from.speed ?? 0, to.speed ?? 0)
    let reach = fastest * speedTolerance * elapsed + min(walk * elapsed, nearby)
    return to.distance(to: from) - 3 * to.uncertainty(with: from) <= reach
  }

  /// The minimum speed required, minus three times the uncertainty; nil if time does not run forward.
  private static func speed(from: Observation, to: Observation) -> Double? {
    guard let elapsed = to.elapsed(since: from)?.inSeconds, elapsed > 0 else { return nil }
    return max(to.distance(to: from) - 3 * to.uncertainty(with: from), 0) / max(elapsed, 0.1)
  }
}
