import History
import Quantities

/// Splits a track into simplified paths for drawing.
enum TrackPaths {
  /// The longest time between two points of one path.
  static let longestGap = Duration.seconds(60)
  /// The longest distance between two points of one path.
  static let widestGapMetres = 100.0
  /// The largest distance of an omitted point from the path.
  static let toleranceMetres = PathSimplification.usualTolerance
  /// Paths with fewer recorded points are omitted.
  static let fewestPoints = 10
  /// Paths are simplified in runs of this many points, which bounds the work on a malicious track.
  static let longestRun = PathSimplification.usualRun

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

  /// A path of one point has no line, and is empty.
  private static func simplified(_ piece: [LocatedPoint]) -> [TrackPoint] {
    guard piece.count > 1 else { return [] }
    let isKept = PathSimplification(tolerance: toleranceMetres, longestRun: longestRun).kept(
      piece.map(\.coordinate))
    return zip(piece, isKept).compactMap { $1 ? $0.point : nil }
  }
}
