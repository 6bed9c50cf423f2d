import Glibc
import Quantities

/// Splits a track into simplified paths for drawing.
enum TrackPaths {
  /// The longest time between two points of one path.
  static let longestGap = Duration.seconds(60)
  /// The longest distance between two points of one path.
  static let widestGapMetres = 100.0
  /// The largest distance of an omitted point from the path.
  static let toleranceMetres = 5.0
  /// Paths with fewer recorded points are omitted.
  static let fewestPoints = 10
  /// Paths are simplified in runs of this many points, which bounds the work on a malicious track.
  static let longestRun = 1000

  /// The paths of `points`, which are in order of time. Points with invalid coordinates are ignored.
  static func paths(_ points: [TrackPoint], ofAtLeast fewest: Int = fewestPoints) -> [[TrackPoint]] {
    pieces(points).filter { $0.count >= fewest }.map(simplified)
  }

  /// All points of the paths with at least `fewest` points, not simplified.
  static func points(_ points: [TrackPoint], inPathsOf fewest: Int) -> [TrackPoint] {
    pieces(points).filter { $0.count >= fewest }.flatMap { $0.map(\.point) }
  }

  private typealias LocatedPoint = (point: TrackPoint, coordinate: Coordinate)

  private static func pieces(_ points: [TrackPoint]) -> [[LocatedPoint]] {
    var pieces: [[LocatedPoint]] = []
    var piece: [LocatedPoint] = []
    for point in points {
      guard let coordinate = point.coordinate else { continue }
      if let last = piece.last,
        point.time - last.point.time > longestGap
          || coordinate.distance(to: last.coordinate) > widestGapMetres
      {
        pieces.append(piece)
        piece.removeAll()
      }
      piece.append((point, coordinate))
    }
    if !piece.isEmpty { pieces.append(piece) }
    return pieces
  }

  /// Simplifies a path (Ramer–Douglas–Peucker): of every section it keeps the point with the largest distance from the
  /// line between the ends, if that exceeds the tolerance.
  private static func simplified(_ piece: [LocatedPoint]) -> [TrackPoint] {
    var isKept = [Bool](repeating: false, count: piece.count)
    var sections: [(Int, Int)] = []
    for start in stride(from: 0, to: piece.count - 1, by: longestRun) {
      let end = min(start + longestRun, piece.count - 1)
      isKept[start] = true
      isKept[end] = true
      sections.append((start, end))
    }
    while let (start, end) = sections.popLast() {
      var furthest = (index: start, distance: toleranceMetres)
      for index in start + 1..<max(end, start + 1) {
        let distance = distance(
          of: piece[index].coordinate, from: piece[start].coordinate, to: piece[end].coordinate)
        if distance > furthest.distance { furthest = (index, distance) }
      }
      guard furthest.index != start else { continue }
      isKept[furthest.index] = true
      sections.append((start, furthest.index))
      sections.append((furthest.index, end))
    }
    return zip(piece, isKept).compactMap { $1 ? $0.point : nil }
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

  private static func offset(of point: Coordinate, from start: Coordinate) -> (east: Double, north: Double) {
    let metresPerDegree = 6_371_008.8 * Double.pi / 180
    var longitude = point.longitude - start.longitude
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let east = longitude * cos(start.latitude * .pi / 180) * metresPerDegree
    return (east, (point.latitude - start.latitude) * metresPerDegree)
  }
}
