/// The border of a zone: a circle or a polygon on the globe.
///
/// A polygon is closed by itself. Where it overlaps or touches itself, what an odd number of its sides surrounds is
/// inside; repeated points are no matter. It may lie across the date line or around a pole, but not reach farther than
/// ``mostReach`` from its middle.
public struct ZoneShape: Equatable, Sendable {
  private enum Form: Equatable {
    case circle
    /// At least three.
    case polygon([Coordinate])
  }

  private let form: Form
  /// The middle, and how far the border reaches from it in metres.
  public let centre: Coordinate
  public let reach: Double

  /// Metres.
  public static let mostReach = 2_000_000.0
  /// Corners of a polygon.
  public static let mostCorners = 1000

  /// Nil for a radius that is not within 1 m and ``mostReach``.
  public init?(centre: Coordinate, radius: Double) {
    guard radius >= 1, radius <= Self.mostReach else { return nil }
    form = .circle
    self.centre = centre
    reach = radius
  }

  /// Nil with fewer than three different corners, more than ``mostCorners``, all in one line or too far apart.
  public init?(polygon: [Coordinate]) {
    guard polygon.count <= Self.mostCorners, Set(polygon).count >= 3, let first = polygon.first else {
      return nil
    }
    // The mean as seen from a corner; from there again, so that the pole and the date line make no difference.
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

  /// Metres to the border, below zero inside. Far from the zone it is no more than a lower bound.
  public func distance(from place: Coordinate) -> Double {
    let toCentre = place.distance(to: centre)
    switch form {
    case .circle: return toCentre - reach
    case .polygon(let corners):
      // The sides bend in the projection of a far place; there the circle around the zone is enough.
      guard toCentre <= 2 * reach + 1000 else { return toCentre - reach }
      return Self.distance(corners.map { place.offset(to: $0) })
    }
  }

  /// Where the straight way between two places comes deepest: metres to the border there, below zero inside, and the
  /// share of the way.
  public func deepest(from: Coordinate, to: Coordinate) -> (distance: Double, share: Double) {
    let way = from.offset(to: to)
    let length = (way.east * way.east + way.north * way.north).squareRoot()
    let middle = from.offset(to: centre)
    let along = length > 0 ? (middle.east * way.east + middle.north * way.north) / length / length : 0
    let nearest = min(max(along, 0), 1)
    var best = (distance: Double.infinity, share: nearest)
    // Around the point that is nearest to the middle, in steps that no zone slips through.
    let span = length > 0 ? min(reach / length, 1) : 0
    for step in -8...8 {
      let share = min(max(nearest + span * Double(step) / 8, 0), 1)
      let distance = distance(from: from.moved(east: way.east * share, north: way.north * share))
      if distance < best.distance { best = (distance, share) }
    }
    return best
  }

  /// From the origin to a polygon in the plane.
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
