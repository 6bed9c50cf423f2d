import Quantities

/// The rules of the circle around the parking position.
public struct ParkingRules: Equatable, Sendable {
  /// Time stationary that draws the circle.
  public var delay = Duration.seconds(300)
  /// Radius in metres.
  public var radius = 100.0
  /// Duration of motion without a fix that counts as moved, for example into a truck or a hall.
  public var blindDelay = Duration.seconds(300)

  public init() {}
}

/// The circle around the parking position. Detects that the device was moved out of it.
struct ParkingZone: Equatable, Sendable {
  /// A change of the circle.
  enum Outcome: Equatable, Sendable {
    case armed
    /// Distance in metres; nil if motion without a fix was the evidence.
    case moved(distance: Double?)
  }

  var rules: ParkingRules
  private(set) var place: Coordinate?
  /// Number of consecutive fixes outside, because one proves nothing.
  private var outside = 0

  init(rules: ParkingRules, place: Coordinate? = nil) {
    self.rules = rules
    self.place = place
  }

  mutating func take(
    _ sample: Sample, isStable: Bool, rest: RestWatch, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    guard let place else { return arm(rest, evidence, now: now) }
    guard isStable else { return [] }
    let distance = sample.coordinate.distance(to: place)
    outside = distance - (sample.accuracy ?? 0) > rules.radius ? outside + 1 : 0
    guard outside >= 2 else { return [] }
    disarm()
    return [.moved(distance: distance)]
  }

  private mutating func arm(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard rest.isResting(for: rules.delay, evidence, now: now), let stay = rest.stay else { return [] }
    place = stay.centre
    outside = 0
    return [.armed]
  }

  private mutating func disarm() {
    place = nil
    outside = 0
  }

  func nextTimeout(_ rest: RestWatch, _ evidence: SensedMotion) -> Moment? {
    guard place != nil else { return rest.deadline(for: rules.delay, evidence) }
    return blindSince(rest, evidence).map { $0 + rules.blindDelay }
  }

  mutating func handleTimeout(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard place != nil else { return arm(rest, evidence, now: now) }
    guard let since = blindSince(rest, evidence), now >= since + rules.blindDelay else { return [] }
    disarm()
    return [.moved(distance: nil)]
  }

  /// Start of motion without a fix; nil if there is none.
  private func blindSince(_ rest: RestWatch, _ evidence: SensedMotion) -> Moment? {
    evidence.movingSince.map { max($0, rest.heard ?? $0) }
  }
}
