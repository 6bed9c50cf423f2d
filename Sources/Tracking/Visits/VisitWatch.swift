import Quantities
import Records

/// Tells visits: the arrival when it is sure, the departure later with the same arrival and place.
struct VisitWatch: Equatable, Sendable {
  /// A stay that goes on.
  struct Visit: Equatable, Sendable {
    var arrival: Instant
    var centre: Coordinate
    var radius: Double
    var accuracy: Double?
  }

  enum Outcome: Equatable, Sendable {
    case arrived(Visit)
    case left(Visit, departure: Instant)
  }

  var rules: VisitRules
  private(set) var present: Visit?
  private var lastInside: Sample?
  private var firstOutside: Sample?

  /// Between two fixes so far apart nobody knows when the device left, unless something else does.
  private static let pause = Duration.seconds(120)

  init(rules: VisitRules) { self.rules = rules }

  mutating func take(
    _ sample: Sample, isStable: Bool, rest: RestWatch, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    if let visit = present, isStable { outcomes += leave(visit, sample, evidence) }
    return outcomes + arrive(rest, evidence, now: now)
  }

  private mutating func leave(_ visit: Visit, _ sample: Sample, _ evidence: SensedMotion) -> [Outcome] {
    let away = sample.coordinate.distance(to: visit.centre) - (sample.accuracy ?? 0)
    guard away > max(rules.leaveDistance, visit.radius) else {
      lastInside = sample
      firstOutside = nil
      return []
    }
    guard let first = firstOutside else {
      firstOutside = sample
      return []
    }
    guard let lasted = sample.elapsed(since: first), lasted >= rules.leaveDelay else { return [] }
    let departure = departure(first, evidence)
    present = nil
    firstOutside = nil
    lastInside = nil
    return [.left(visit, departure: departure)]
  }

  /// The last fix inside, when the next one came soon; else when motion began in between; else the first one outside.
  private func departure(_ first: Sample, _ evidence: SensedMotion) -> Instant {
    guard let inside = lastInside, let pause = first.elapsed(since: inside) else {
      return TripWatch.instant(first)
    }
    if pause <= Self.pause { return TripWatch.instant(inside) }
    guard let onset = evidence.lastOnset, let from = inside.moment, let to = first.moment, onset > from,
      onset <= to
    else { return TripWatch.instant(first) }
    return first.timestamp.map { .utc($0 + (.zero - (to - onset))) } ?? .boot(onset)
  }

  private mutating func arrive(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard present == nil, rest.isResting(for: rules.arrivalDelay, evidence, now: now), let stay = rest.stay
    else {
      return []
    }
    let visit = Visit(
      arrival: TripWatch.instant(stay.first), centre: stay.centre, radius: stay.radius,
      accuracy: stay.accuracy)
    present = visit
    lastInside = stay.last
    return [.arrived(visit)]
  }

  func nextTimeout(_ rest: RestWatch, _ evidence: SensedMotion) -> Moment? {
    present == nil ? rest.deadline(for: rules.arrivalDelay, evidence) : nil
  }

  mutating func handleTimeout(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    arrive(rest, evidence, now: now)
  }

  mutating func date(offsetMilliseconds offset: Int64) {
    if let visit = present { present?.arrival = visit.arrival.dated(offsetMilliseconds: offset) }
  }

  /// Goes on with a visit of an earlier run.
  mutating func resume(_ visit: Visit) { if present == nil { present = visit } }
}

extension VisitRecord {
  init(_ visit: VisitWatch.Visit, departure: Instant?, device: DeviceState) {
    self.init(coordinate: visit.centre, arrival: visit.arrival, departure: departure, device: device)
    horizontalAccuracyMillimetres = visit.accuracy.flatMap { Int32(exactly: ($0 * 1000).rounded()) }
    radiusMillimetres = Int32(exactly: (visit.radius * 1000).rounded())
  }
}
