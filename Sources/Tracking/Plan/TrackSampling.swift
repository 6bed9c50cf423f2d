import Glibc
import Quantities

/// When the next fix is due so that the line through the records stays within a bound: service level S.
///
/// Between two fixes the line is straight and its speed constant. On foot, how far such ways bend away from it is
/// learned over many fixes (``Restlessness``); in a vehicle, the last interval tells what the next may be.
struct TrackSampling: Equatable, Sendable {
  /// Intervals in seconds.
  static let shortest = 4.0
  static let longest = 180.0
  /// The first fix of a way, on foot and in a vehicle.
  static let beginningOnFoot = 25.0
  static let beginningInVehicle = 12.0
  /// Share of the bound that the middle of an interval may use; the error of the fixes needs the rest.
  static let aimOnFoot = 0.3
  static let aimInVehicle = 0.4
  /// A corner in the middle of an interval takes the line off by a third of the way; it may be so many bounds, up to
  /// the speed in m/s at which roads have corners.
  static let cornerBounds = 2.2
  static let cornerSpeed = 25.0
  /// Above this pace in m/s it is a vehicle, and for some seconds after: a car at a crossing is still a car.
  static let vehiclePace = 4.0
  static let paceMemory = 200.0
  /// An interval changes by no more than this from one to the next.
  static let shrinking = 0.4
  static let growing = 1.8
  /// Weight of the last interval's strain.
  private static let strainWeight = 0.4
  private static let strains = 0.4...3.0

  /// Metres.
  let bound: Double
  private(set) var restlessness: Restlessness
  private(set) var last: Sighting?
  /// Seconds.
  private(set) var interval = TrackSampling.beginningOnFoot
  /// The speed of the box at its quickest of late, in m/s.
  private(set) var pace: Double
  /// How much more than expected the way bent of late; 1 as expected.
  private var strain = 1.0

  /// `pace` as left by a way that ended shortly before; 0 for none.
  init(bound: Double, restlessness: Restlessness, pace: Double) {
    self.bound = max(bound, 1)
    self.restlessness = restlessness
    self.pace = pace
  }

  var isInVehicle: Bool { pace > Self.vehiclePace }

  /// A way begins.
  mutating func begin(_ sighting: Sighting) {
    last = sighting
    strain = 1
    pace = max(pace, sighting.speed)
    interval = isInVehicle ? Self.beginningInVehicle : Self.beginningOnFoot
  }

  /// The next fix of the way, recorded.
  mutating func advance(_ sighting: Sighting) {
    guard let last else { return begin(sighting) }
    let seconds = (sighting.moment - last.moment).inSeconds
    guard seconds > 0 else { return }
    let leg = Leg(from: last, to: sighting, seconds: seconds)
    pace = max(sighting.speed, last.speed, pace * exp(-seconds / Self.paceMemory))
    let expected = restlessness.rate(at: pace) * pow(seconds, 1.5)
    restlessness.learn(bend: leg.bend, noise: leg.noise, seconds: seconds, speed: pace)
    let beyondNoise = max(leg.bend * leg.bend - leg.noise * leg.noise, 0)
    let seen = (beyondNoise + expected * expected / 4).squareRoot() / max(expected, 0.1)
    strain += Self.strainWeight * (seen - strain)
    strain = min(max(strain, Self.strains.lowerBound), Self.strains.upperBound)
    self.last = sighting
    let wished =
      isInVehicle
      ? intervalInVehicle(after: leg)
      : restlessness.interval(within: Self.aimOnFoot * bound / strain, speed: sighting.speed)
    interval = min(max(min(wished, intervalToCorner(sighting.speed)), Self.shortest), Self.longest)
  }

  /// The error of an interval grows with its square.
  private func intervalInVehicle(after leg: Leg) -> Double {
    let kept = leg.seconds * (Self.aimInVehicle * bound / max(leg.turn, 0.5)).squareRoot()
    return min(max(kept, Self.shrinking * interval), Self.growing * max(interval, leg.seconds))
  }

  private func intervalToCorner(_ speed: Double) -> Double {
    speed < Self.cornerSpeed ? Self.cornerBounds * bound / (0.35 * max(speed, 0.8)) : .infinity
  }

  /// Where a dead reckoning from the last record would be off by now, in metres.
  func drift(of sighting: Sighting) -> Double {
    guard let last else { return .infinity }
    let seconds = (sighting.moment - last.moment).inSeconds
    return (GroundVector(from: last.coordinate, to: sighting.coordinate) - last.velocity * seconds).length
  }
}

/// Two fixes of a way: how far the way between them bent away from the straight line.
private struct Leg {
  let seconds: Double
  /// Metres in the middle, from where either end's velocity would have led: four times the distance in the middle.
  let bend: Double
  /// What the errors of both fixes alone make of it.
  let noise: Double
  /// The same with an ear for turns: the most that one end or the difference of both velocities tells.
  let turn: Double

  init(from a: Sighting, to b: Sighting, seconds: Double) {
    self.seconds = seconds
    let way = GroundVector(from: a.coordinate, to: b.coordinate)
    let forward = (way - a.velocity * seconds).length
    let backward = (way - b.velocity * seconds).length
    bend = ((forward * forward + backward * backward) / 2).squareRoot() / 4
    let places = a.accuracy * a.accuracy + b.accuracy * b.accuracy
    let speeds = (a.speedAccuracy * a.speedAccuracy + b.speedAccuracy * b.speedAccuracy) * seconds * seconds
    // The mean square of a radius that holds 68 % is 0.88 of its square.
    noise = (places * 0.88 + speeds).squareRoot() / 4
    turn = max((a.velocity - b.velocity).length * seconds / 8, forward / 4)
  }
}
