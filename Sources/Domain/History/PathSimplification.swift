import Glibc
import Quantities

/// Leaves out the points of a path that are close to the line between the others (Ramer–Douglas–Peucker).
public struct PathSimplification: Equatable, Sendable {
  /// The tolerance in metres of the collector and of exports.
  public static let usualTolerance = 5.0
  /// The usual ``longestRun``.
  public static let usualRun = 1000

  /// The largest distance of an omitted point from the path in metres.
  public let tolerance: Double
  /// Paths are simplified in runs of this many points, which bounds the work on a malicious path: it grows with the
  /// square of the run.
  public let longestRun: Int

  public init(tolerance: Double, longestRun: Int = usualRun) {
    self.tolerance = tolerance
    self.longestRun = max(longestRun, 1)
  }

  /// Returns for every point if it is kept. The ends of the path, and of every run, are kept.
  ///
  /// Of every section it keeps the point with the largest distance from the line between the ends, if that exceeds the
  /// tolerance.
  public func kept(_ path: [Coordinate]) -> [Bool] {
    var isKept = [Bool](repeating: false, count: path.count)
    if path.count == 1 { isKept[0] = true }
    var sections: [(Int, Int)] = []
    for start in stride(from: 0, to: path.count - 1, by: longestRun) {
      let end = min(start + longestRun, path.count - 1)
      isKept[start] = true
      isKept[end] = true
      sections.append((start, end))
    }
    while let (start, end) = sections.popLast() {
      var furthest = (index: start, distance: tolerance)
      for index in start + 1..<max(end, start + 1) {
        let distance = Self.distance(of: path[index], from: path[start], to: path[end])
        if distance > furthest.distance { furthest = (index, distance) }
      }
      guard furthest.index != start else { continue }
      isKept[furthest.index] = true
      sections.append((start, furthest.index))
      sections.append((furthest.index, end))
    }
    return isKept
  }

  /// The distance in metres between a point and the line from `start` to `end`, on the plane that touches the sphere at
  /// `start`.
  private static func distance(of point: Coordinate, from start: Coordinate, to end: Coordinate) -> Double {
    let line = offset(of: end, from: start)
    let pointOffset = offset(of: point, from: start)
    let square = line.east * line.east + line.north * line.north
    let along =
      square > 0
      ? min(max((pointOffset.east * line.east + pointOffset.north * line.north) / square, 0), 1) : 0
    let east = pointOffset.east - along * line.east
    let north = pointOffset.north - along * line.north
    return (east * east + north * north).squareRoot()
  }

  /// The latitude in 1e-7 degrees from which on meridians are too close together for parallels as straight lines.
  private static let polar = 800_000_000

  private static func offset(of point: Coordinate, from start: Coordinate) -> (east: Double, north: Double) {
    guard start.latitudeE7.magnitude < polar else { return start.offset(to: point) }
    let metresPerDegree = 6_371_008.8 * Double.pi / 180
    var longitude = point.longitude - start.longitude
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let east = longitude * cos(start.latitude * .pi / 180) * metresPerDegree
    return (east, (point.latitude - start.latitude) * metresPerDegree)
  }
}
