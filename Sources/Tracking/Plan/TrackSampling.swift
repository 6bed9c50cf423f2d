import Glibc
func tune(_ n: String, _ d: Double) -> Double { getenv(n).flatMap { Double(String(cString: $0)) } ?? d }
public let tuned: [Double] = [tune("T_AIM",0.5),tune("T_CORNER",2.5),tune("T_BEGIN",12),tune("T_WANT",10),tune("T_GROW",0.4),tune("T_FLOOR",0.5),tune("T_SHORT",200),tune("T_LEG",8),tune("T_MISS",4),tune("T_V",12),tune("T_LONG",180),tune("T_WATCH",8),tune("T_AIMV",0.3),tune("T_GROWV",0.8),tune("T_WANTV",16),tune("T_WANTA",16),tune("T_CORNERV",2.5),tune("T_BEGINV",8),tune("T_WANTD",16),tune("T_MEM",120),tune("T_CLS",2.5),tune("T_READY",4),tune("T_NEARV",1.5),tune("T_DOWNV",0.4),tune("T_DRIFT",3),tune("T_STOP",3)]
import Quantities

/// When the next fix is due so that the line through the records stays within a bound: service level S.
///
/// Between two fixes the line is straight and its speed constant. How far ways of this pace bend away from it is
/// learned (``Restlessness``), and the last interval tells whether this way bends more.
struct TrackSampling: Equatable, Sendable {
  static let shortest = 4.0
  static let longest = tuned[10]
  /// The first fix after a short rest, in seconds.
  static let beginning = tuned[2]
  /// Share of the bound that the middle of an interval may use.
  static let aim = tuned[0]
  /// A corner in the middle of an interval takes the line off by a third of the way; it may be so many bounds.
  static let cornerBounds = tuned[1]

  /// Metres.
  let bound: Double
  private(set) var restlessness: Restlessness
  private(set) var last: Sighting?
  /// Seconds.
  private(set) var interval = TrackSampling.beginning
  /// The last interval against what was expected of it; 1 as expected.
  private var strain = 1.0

  /// The speed of the carrier at its quickest of late, in m/s: a car at a crossing is still a car.
  private(set) var pace: Double

  /// `pace` as left by a way that ended shortly before; 0 for none.
  init(bound: Double, restlessness: Restlessness, pace: Double) {
    self.bound = max(bound, 1)
    self.restlessness = restlessness
    self.pace = pace
  }

  var isQuick: Bool { pace > tuned[20] }

  /// A way begins.
  mutating func begin(_ sighting: Sighting) {
    last = sighting
    strain = 1
    pace = max(pace, sighting.speed)
    interval = isQuick ? tuned[17] : Self.beginning
  }

  /// The next fix of the way, recorded.
  mutating func advance(_ sighting: Sighting) {
    guard let last else { return begin(sighting) }
    let seconds = (sighting.moment - last.moment).inSeconds
    guard seconds > 0 else { return }
    pace = max(sighting.speed, last.speed, pace * exp(-seconds / tuned[19]))
    let speed = pace
    let bend = Self.bend(from: last, to: sighting, seconds: seconds)
    let noise = Self.noise(from: last, to: sighting, seconds: seconds)
    let expected = restlessness.rate(at: speed) * pow(seconds, 1.5)
    restlessness.learn(bend: bend, noise: noise, seconds: seconds, speed: speed)
    let seen = (max(bend * bend - noise * noise, 0) + expected * expected / 4).squareRoot()
    let now = seen / max(expected, 0.1)
    let weight = speed < 2.5 ? tuned[4] : tuned[13]
    strain = min(max(strain * (1 - weight) + now * weight, 0.4), 3)
    self.last = sighting
    guard isQuick else {
      interval = due(sighting)
      return
    }
    let kept = seconds * (tuned[12] * bound / max(Self.oldBend(from: last, to: sighting, seconds: seconds), tuned[5])).squareRoot()
    interval = min(max(kept, tuned[23] * interval), tuned[22] * max(interval, seconds))
    let corner = sighting.speed < tuned[9] ? tuned[16] * bound / (0.35 * max(sighting.speed, 1)) : .infinity
    interval = min(max(min(interval, corner), Self.shortest), Self.longest)
  }

  private func due(_ sighting: Sighting) -> Double {
    let speed = max(sighting.speed, 0.8)
    let corner = speed < tuned[9] ? (sighting.speed < 2.5 ? Self.cornerBounds : tuned[16]) * bound / (0.35 * speed) : .infinity
    let straight = restlessness.interval(within: (sighting.speed < 2.5 ? Self.aim : tuned[12]) * bound / strain, speed: sighting.speed)
    return min(max(min(straight, corner), Self.shortest), Self.longest)
  }

  static func oldBend(from a: Sighting, to b: Sighting, seconds: Double) -> Double {
    let turned = (a.velocity - b.velocity).length * seconds / 8
    let way = GroundVector(from: a.coordinate, to: b.coordinate)
    let missed = (way - a.velocity * seconds).length / 4
    return max(turned, missed)
  }

  /// How far the true way was from the straight line in the middle, as far as both ends tell.
  static func bend(from a: Sighting, to b: Sighting, seconds: Double) -> Double {
    let way = GroundVector(from: a.coordinate, to: b.coordinate)
    // Where one end's velocity would have led, against where the other is: four times the middle's distance.
    let forward = (way - a.velocity * seconds).length
    let backward = (way - b.velocity * seconds).length
    return ((forward * forward + backward * backward) / 2).squareRoot() / 4
  }

  /// What the errors of both ends alone make of ``bend(from:to:seconds:)``.
  static func noise(from a: Sighting, to b: Sighting, seconds: Double) -> Double {
    let places = a.accuracy * a.accuracy + b.accuracy * b.accuracy
    let speeds = (a.speedAccuracy * a.speedAccuracy + b.speedAccuracy * b.speedAccuracy) * seconds * seconds
    return (places * 0.88 + speeds).squareRoot() / 4
  }

  /// Where a dead reckoning from the last record would be off by now.
  func drift(of sighting: Sighting) -> Double {
    guard let last else { return .infinity }
    let seconds = (sighting.moment - last.moment).inSeconds
    return (GroundVector(from: last.coordinate, to: sighting.coordinate) - last.velocity * seconds).length
  }
}
