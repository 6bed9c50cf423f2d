import Glibc
import Quantities

/// A vehicle that drives a route repeatedly: moderate acceleration and braking, slow corners, and the stops
/// of the route.
public struct Drive: Sendable {
  /// Position and motion of the vehicle.
  public struct State: Equatable, Sendable {
    public var latitude: Double
    public var longitude: Double
    /// Speed in m/s.
    public var speed: Double
    /// Course in degrees from true north, 0..<360; unchanged while stationary.
    public var course: Double
  }

  private let route: CityRoute
  private var leg = 0
  /// Metres driven since the corner at which the present street begins.
  private var travelled = 0.0
  private var speed = 0.0
  private var remainingWait: Double
  /// Seconds since the start of the drive.
  private var elapsed = 0.0

  static let acceleration = 1.6
  static let braking = 2.0
  /// Speed at a right-angled corner in m/s.
  static let cornerSpeed = 4.0
  private static let metresPerDegree = 111_194.9

  public init(route: CityRoute) {
    self.route = route
    remainingWait = route.legs.first?.wait ?? 0
  }

  /// The present state; for a route without streets latitude 0, longitude 0, stationary.
  public var state: State {
    guard !route.legs.isEmpty else { return State(latitude: 0, longitude: 0, speed: 0, course: 0) }
    let start = corner(leg)
    let end = corner(leg + 1)
    let north = (end.latitude - start.latitude) * Self.metresPerDegree
    let east = (end.longitude - start.longitude) * Self.metresPerDegree * cos(start.latitude * .pi / 180)
    let length = (north * north + east * east).squareRoot()
    let share = length > 0 ? min(1, travelled / length) : 0
    let course = atan2(east, north) * 180 / .pi
    return State(
      latitude: start.latitude + (end.latitude - start.latitude) * share,
      longitude: start.longitude + (end.longitude - start.longitude) * share,
      speed: speed, course: course < 0 ? course + 360 : course)
  }

  /// Advances the time in steps of a tenth of a second; all but the last minute of a longer time in steps of
  /// a second.
  public mutating func advance(seconds: Double) {
    var remaining = seconds
    while remaining > 0, !route.legs.isEmpty {
      let step = min(remaining > 60 ? 1 : 0.1, remaining)
      remaining -= step
      advance(step: step)
    }
  }

  private mutating func advance(step: Double) {
    elapsed += step
    let isHalted = route.halts.contain(elapsed)
    if isHalted, speed <= 0 { return }
    guard remainingWait <= 0 else {
      remainingWait -= step
      return
    }
    let length = corner(leg).distance(to: corner(leg + 1))
    let end = speedAtEnd
    let stoppingDistance = max(0, (speed * speed - end * end) / (2 * Self.braking))
    if isHalted {
      speed = max(0, speed - Self.braking * step)
    } else if length - travelled <= stoppingDistance {
      speed = max(end, speed - Self.braking * step, 0.5)
    } else {
      speed = min(route.legs[leg].speed, speed + Self.acceleration * step)
    }
    travelled += speed * step
    guard travelled >= length else { return }
    travelled = 0
    leg = (leg + 1) % route.legs.count
    remainingWait = route.legs[leg].wait
    if remainingWait > 0 { speed = 0 }
  }

  private var speedAtEnd: Double {
    route.legs[(leg + 1) % route.legs.count].wait > 0 ? 0 : Self.cornerSpeed
  }

  private func corner(_ index: Int) -> Coordinate { route.legs[index % route.legs.count].corner }
}
