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
  private(set) var position: Coordinate?
  /// Number of consecutive fixes outside, because one proves nothing.
  private var outside = 0

  init(rules: ParkingRules, position: Coordinate? = nil) {
    self.rules = rules
    self.position = position
  }

  mutating func take(
    _ observation: Observation, isStable: Bool, stop: StopDetector, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    guard let position else { return arm(stop, evidence, now: now) }
    guard isStable else { return [] }
    let distance = observation.coordinate.distance(to: position)
    if distance - observation.radius > rules.radius {
      outside += 1
    } else if observation.radius <= max(rules.radius, HorizontalAccuracy.assumed) {
      outside = 0
    }
    guard outside >= 2 else { return [] }
    disarm()
    return [.moved(distance: distance)]
  }

  private mutating func arm(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard stop.isStationary(for: rules.delay, evidence, now: now), let presentDwell = stop.presentDwell else {
      return []
    }
    position = presentDwell.centre
    outside = 0
    return [.armed]
  }

  private mutating func disarm() {
    position = nil
    outside = 0
  }

  func nextTimeout(_ stop: StopDetector, _ evidence: SensedMotion) -> Moment? {
    guard position != nil else { return stop.deadline(for: rules.delay, evidence) }
    return movingWithoutFixSince(stop, evidence).map { $0 + rules.blindDelay }
  }

  mutating func handleTimeout(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard position != nil else { return arm(stop, evidence, now: now) }
    guard let since = movingWithoutFixSince(stop, evidence), now >= since + rules.blindDelay else {
      return []
    }
    disarm()
    return [.moved(distance: nil)]
  }

  /// Start of motion without a fix; nil if there is none.
  private func movingWithoutFixSince(_ stop: StopDetector, _ evidence: SensedMotion) -> Moment? {
    evidence.movingSince.map { max($0, stop.lastFixAt ?? $0) }
  }
}
