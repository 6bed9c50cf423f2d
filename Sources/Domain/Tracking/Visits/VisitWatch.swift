import Quantities
import Records

/// Detects visits. The arrival is reported when it is certain, the departure later with the same arrival and
/// location.
struct VisitWatch: Equatable, Sendable {
  /// A visit in progress.
  struct Visit: Equatable, Sendable {
    var arrival: Instant
    var centre: Coordinate
    var radius: Double
    var accuracy: Double?
  }

  /// An arrival or departure.
  enum Outcome: Equatable, Sendable {
    case arrived(Visit)
    case left(Visit, departure: Instant)
  }

  var rules: VisitRules
  private(set) var present: Visit?
  /// The last fix within ``near``; the first beyond it follows.
  private var lastNear: Observation?
  private var firstFar: Observation?
  private var firstOutside: Observation?

  /// Longest interval between two fixes that still shows the time of the departure.
  private static let pause = Duration.seconds(120)
  /// Distance in metres from the centre within which a fix belongs to the visit.
  private static let near = 25.0
  /// Longest time from there to the distance of a certain departure; a slower device has not left with the first
  /// step.
  private static let longestDeparture = Duration.seconds(300)

  init(rules: VisitRules) { self.rules = rules }

  mutating func take(
    _ observation: Observation, isStable: Bool, stop: StopDetector, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    if let visit = present, isStable { outcomes += leave(visit, observation, evidence) }
    return outcomes + arrive(stop, evidence, now: now)
  }

  private mutating func leave(_ visit: Visit, _ observation: Observation, _ evidence: SensedMotion)
    -> [Outcome]
  {
    let away = observation.coordinate.distance(to: visit.centre) - observation.radius
    let isAway = away > max(rules.leaveDistance, visit.radius)
    // A fix that may be anywhere within the distance of a departure shows neither that the visit goes on.
    guard isAway || observation.radius <= max(rules.leaveDistance, visit.radius) else { return [] }
    if away <= max(Self.near, visit.radius) {
      lastNear = observation
      firstFar = nil
    } else if firstFar == nil {
      firstFar = observation
    }
    guard isAway else {
      firstOutside = nil
      return []
    }
    guard let first = firstOutside else {
      firstOutside = observation
      return []
    }
    guard let lasted = observation.elapsed(since: first), lasted >= rules.leaveDelay else { return [] }
    let departure = departure(first, evidence)
    forget()
    return [.left(visit, departure: departure)]
  }

  private mutating func forget() {
    present = nil
    firstOutside = nil
    firstFar = nil
    lastNear = nil
  }

  /// The departure time: the last fix of the visit if the next one came soon. Otherwise the onset of motion in
  /// between, or the first fix away.
  private func departure(_ outside: Observation, _ evidence: SensedMotion) -> Instant {
    guard let far = firstFar, let near = lastNear, let legTime = outside.elapsed(since: far),
      legTime <= Self.longestDeparture,
      let pause = far.elapsed(since: near)
    else { return TripWatch.instant(outside) }
    if pause <= Self.pause { return TripWatch.instant(near) }
    guard let onset = evidence.lastOnset, let from = near.moment, let to = far.moment, onset > from,
      onset <= to
    else { return TripWatch.instant(far) }
    return far.timestamp.map { .utc($0 + (.zero - (to - onset))) } ?? .boot(onset)
  }

  private mutating func arrive(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard present == nil, stop.isStationary(for: rules.arrivalDelay, evidence, now: now),
      let presentDwell = stop.presentDwell
    else {
      return []
    }
    let visit = Visit(
      arrival: TripWatch.instant(presentDwell.first), centre: presentDwell.centre,
      radius: presentDwell.radius,
      accuracy: presentDwell.accuracy)
    present = visit
    lastNear = presentDwell.last
    return [.arrived(visit)]
  }

  func nextTimeout(_ stop: StopDetector, _ evidence: SensedMotion) -> Moment? {
    present == nil ? stop.deadline(for: rules.arrivalDelay, evidence) : nil
  }

  mutating func handleTimeout(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    arrive(stop, evidence, now: now)
  }

  mutating func date(offsetMilliseconds offset: Int64) {
    if let visit = present { present?.arrival = visit.arrival.dated(offsetMilliseconds: offset) }
  }

  /// Continues a visit of an earlier run.
  mutating func resume(_ visit: Visit) { if present == nil { present = visit } }
}

extension VisitRecord {
  init(_ visit: VisitWatch.Visit, departure: Instant?, device: DeviceState) {
    self.init(coordinate: visit.centre, arrival: visit.arrival, departure: departure, device: device)
    horizontalAccuracyMillimetres = visit.accuracy.flatMap { Int32(exactly: ($0 * 1000).rounded()) }
    radiusMillimetres = Int32(exactly: (visit.radius * 1000).rounded())
  }
}
