import Glibc
import Quantities

/// Computes the time of the next fix so that the recorded track remains within a limit: level S.
///
/// Between two fixes the track is assumed straight and the speed constant. On foot the typical curvature is learned
/// over many fixes (``TrackCurvature``). In a vehicle the last interval determines the next. Owned by ``ReceiverSchedule``
/// while the device moves.
struct TrackSampling: Equatable, Sendable {
  /// Limits of the interval in seconds.
  static let shortest = 4.0
  static let longest = 180.0
  /// First interval of a leg in seconds, on foot and in a vehicle.
  static let beginningOnFoot = 25.0
  static let beginningInVehicle = 12.0
  /// Share of the limit for the deviation in the middle of an interval; the error of the fixes takes the remainder.
  static let aimOnFoot = 0.3
  static let aimInVehicle = 0.4
  /// Multiple of the limit that a corner may take, up to the speed in m/s at which roads have corners. A corner in the
  /// middle of an interval takes the track off by a third of the distance.
  static let cornerBounds = 2.2
  static let cornerSpeed = 25.0
  /// Recent speed in m/s above which the device is in a vehicle, and the time constant in seconds by which it is
  /// forgotten. A car at a crossing is still a car.
  static let vehicleSpeed = 4.0
  static let recentSpeedMemory = 200.0
  /// Limits of the change from one interval to the next.
  static let shrinking = 0.4
  static let growing = 1.8
  /// Weight of the last interval.
  private static let curvatureRatioWeight = 0.4
  private static let curvatureRatios = 0.4...3.0

  /// The limit in metres.
  let bound: Double
  private(set) var curvature: TrackCurvature
  private(set) var last: ScheduleFix?
  /// The interval in seconds.
  private(set) var interval = TrackSampling.beginningOnFoot
  /// The highest recent speed of the device, in m/s.
  private(set) var recentSpeed: Double
  /// Recent curvature relative to the expected value.
  private var curvatureRatio = 1.0

  /// Starts level S. `recentSpeed` is the remaining speed of a leg that ended shortly before; 0 for none.
  init(bound: Double, curvature: TrackCurvature, recentSpeed: Double) {
    self.bound = max(bound, 1)
    self.curvature = curvature
    self.recentSpeed = recentSpeed
  }

  var isInVehicle: Bool { recentSpeed > Self.vehicleSpeed }

  /// Starts a leg.
  mutating func begin(_ fix: ScheduleFix) {
    last = fix
    curvatureRatio = 1
    recentSpeed = max(recentSpeed, fix.speed)
    interval = isInVehicle ? Self.beginningInVehicle : Self.beginningOnFoot
  }

  /// Processes the next recorded fix of the leg.
  mutating func advance(_ fix: ScheduleFix) {
    guard let last else { return begin(fix) }
    let seconds = (fix.moment - last.moment).inSeconds
    guard seconds > 0 else { return }
    let leg = Leg(from: last, to: fix, seconds: seconds)
    recentSpeed = max(fix.speed, last.speed, recentSpeed * exp(-seconds / Self.recentSpeedMemory))
    let expected = curvature.rate(at: recentSpeed) * pow(seconds, 1.5)
    curvature.learn(bend: leg.bend, noise: leg.noise, seconds: seconds, speed: recentSpeed)
    let beyondNoise = max(leg.bend * leg.bend - leg.noise * leg.noise, 0)
    let seen = (beyondNoise + expected * expected / 4).squareRoot() / max(expected, 0.1)
    curvatureRatio += Self.curvatureRatioWeight * (seen - curvatureRatio)
    curvatureRatio = min(
      max(curvatureRatio, Self.curvatureRatios.lowerBound), Self.curvatureRatios.upperBound)
    self.last = fix
    let desired =
      isInVehicle
      ? intervalInVehicle(after: leg)
      : curvature.interval(within: Self.aimOnFoot * bound / curvatureRatio, speed: fix.speed)
    interval = min(max(min(desired, intervalToCorner(fix.speed)), Self.shortest), Self.longest)
  }

  /// The interval in seconds that would have kept the last error; the error grows with the square of the interval.
  private func intervalInVehicle(after leg: Leg) -> Double {
    let kept = leg.seconds * (Self.aimInVehicle * bound / max(leg.turn, 0.5)).squareRoot()
    return min(max(kept, Self.shrinking * interval), Self.growing * max(interval, leg.seconds))
  }

  private func intervalToCorner(_ speed: Double) -> Double {
    speed < Self.cornerSpeed ? Self.cornerBounds * bound / (0.35 * max(speed, 0.8)) : .infinity
  }

  /// Error in metres of a dead reckoning from the last record.
  func drift(of fix: ScheduleFix) -> Double {
    guard let last else { return .infinity }
    let seconds = (fix.moment - last.moment).inSeconds
    return (GroundVector(from: last.coordinate, to: fix.coordinate) - last.velocity * seconds).length
  }
}

/// The deviation of the track from the straight line between two fixes.
private struct Leg {
  let seconds: Double
  /// Deviation in the middle in metres, derived from the extrapolated velocities of both ends, which deviate by four
  /// times as much.
  let bend: Double
  /// The part of ``bend`` that the errors of both fixes explain.
  let noise: Double
  /// The same deviation, more sensitive to turns: the maximum of the last extrapolation and the difference of both
  /// velocities.
  let turn: Double

  init(from a: ScheduleFix, to b: ScheduleFix, seconds: Double) {
    self.seconds = seconds
    let displacement = GroundVector(from: a.coordinate, to: b.coordinate)
    let forward = (displacement - a.velocity * seconds).length
    let backward = (displacement - b.velocity * seconds).length
    bend = ((forward * forward + backward * backward) / 2).squareRoot() / 4
    let positionErrors = a.accuracy * a.accuracy + b.accuracy * b.accuracy
    let velocityErrors =
      (a.speedAccuracy * a.speedAccuracy + b.speedAccuracy * b.speedAccuracy) * seconds * seconds
    // The mean square of a radius that holds 68 % is 0.88 of its square.
    noise = (positionErrors * 0.88 + velocityErrors).squareRoot() / 4
    turn = max((a.velocity - b.velocity).length * seconds / 8, forward / 4)
  }
}
