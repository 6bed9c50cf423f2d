/// The boundary of a zone: a circle or a polygon on the globe.
///
/// A polygon is closed automatically. If it overlaps or touches itself, the even-odd rule determines its interior.
/// Repeated points have no effect. It may cross the date line or surround a pole. It must not extend farther than
/// ``mostReach`` from its centre.
public struct ZoneShape: Equatable, Sendable {
  private enum Form: Equatable {
    case circle
    /// A polygon with at least three corners.
    case polygon([Coordinate])
  }

  private let form: Form
  /// The centre.
  public let centre: Coordinate
  /// The greatest distance of the boundary from the centre in metres.
  public let reach: Double

  /// The maximum of ``reach`` in metres.
  public static let mostReach = 2_000_000.0
  /// The maximum number of corners of a polygon.
  public static let mostCorners = 1000

  /// Creates a circle; nil if the radius is not between 1 m and ``mostReach``.
  public init?(centre: Coordinate, radius: Double) {
    guard radius >= 1, radius <= Self.mostReach else { return nil }
    form = .circle
    self.centre = centre
    reach = radius
  }

  /// Creates a polygon; nil with fewer than three different corners, more than ``mostCorners``, or an extent that is
  /// less than 1 m or too large.
  public init?(polygon: [Coordinate]) {
    guard polygon.count <= Self.mostCorners, Set(polygon).count >= 3, let first = polygon.first else {
      return nil
    }
    // The mean as seen from a corner, repeated from there, so that the pole and the date line do not matter.
    var middle = first
    for _ in 0..<3 {
      let offsets = polygon.map { middle.offset(to: $0) }
      let count = Double(offsets.count)
      middle = middle.moved(
        east: offsets.map(\.east).reduce(0, +) / count, north: offsets.map(\.north).reduce(0, +) / count)
    }
    let farthest = polygon.map { middle.distance(to: $0) }.max() ?? 0
    guard farthest >= 1, farthest <= Self.mostReach else { return nil }
    form = .polygon(polygon)
    centre = middle
    reach = farthest
  }

  /// Returns the distance to the boundary in metres, negative inside. Far from the zone it is only a lower bound.
  public func distance(from position: Coordinate) -> Double {
    let toCentre = position.distance(to: centre)
    switch form {
    case .circle: return toCentre - reach
    case .polygon(let corners):
      // In the projection of a distant position the sides are bent; there the circle around the zone is sufficient.
      guard toCentre <= 2 * reach + 1000 else { return toCentre - reach }
      return Self.distance(corners.map { position.offset(to: $0) })
    }
  }

  /// Returns the deepest point of the straight path between two positions: its distance to the boundary in metres,
  /// negative inside, and its share of the path.
  public func deepest(from: Coordinate, to: Coordinate) -> (distance: Double, share: Double) {
    let path = from.offset(to: to)
    let length = (path.east * path.east + path.north * path.north).squareRoot()
    let middle = from.offset(to: centre)
    let along = length > 0 ? (middle.east * path.east + middle.north * path.north) / length / length : 0
    let nearest = min(max(along, 0), 1)
    var best = (distance: Double.infinity, share: nearest)
    // Around the point nearest to the centre, in steps that miss no zone.
    let span = length > 0 ? min(reach / length, 1) : 0
    for step in -8...8 {
      let share = min(max(nearest + span * Double(step) / 8, 0), 1)
      let distance = distance(from: from.moved(east: path.east * share, north: path.north * share))
      if distance < best.distance { best = (distance, share) }
    }
    return best
  }

  /// Returns the distance from the origin to a polygon in the plane, negative inside.
  private static func distance(_ corners: [(east: Double, north: Double)]) -> Double {
    guard var previous = corners.last else { return .infinity }
    var isInside = false
    var nearest = Double.infinity
    for corner in corners {
      if (corner.north > 0) != (previous.north > 0) {
        let crossing =
          corner.east - corner.north * (previous.east - corner.east) / (previous.north - corner.north)
        if crossing > 0 { isInside.toggle() }
      }
      let side = (east: corner.east - previous.east, north: corner.north - previous.north)
      let squared = side.east * side.east + side.north * side.north
      let along = squared > 0 ? -(previous.east * side.east + previous.north * side.north) / squared : 0
      let share = min(max(along, 0), 1)
      let east = previous.east + share * side.east
      let north = previous.north + share * side.north
      nearest = min(nearest, (east * east + north * north).squareRoot())
      previous = corner
    }
    return isInside ? -nearest : nearest
  }
}
