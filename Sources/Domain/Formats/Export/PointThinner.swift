import History
import Quantities

/// Leaves out points of a segment that is given point by point, by time and by distance from the line.
struct PointThinner {
  private let interval: Duration?
  private var path: PathThinner<ExportPoint>
  private var last: Timestamp?

  init(_ request: ExportRequest, longestRun: Int) {
    interval = request.interval
    path = PathThinner(request.tolerance.map { PathSimplification(tolerance: $0, longestRun: longestRun) })
  }

  /// Adds the next point, and returns points that are kept.
  mutating func take(_ point: ExportPoint) -> [ExportPoint] {
    if let interval, let last, point.time - last < interval { return [] }
    last = point.time
    return path.take(point, at: point.location.coordinate)
  }

  /// Keeps the last point, because something happened there. Returns points that are kept.
  mutating func cut() -> [ExportPoint] { path.cut() }

  /// Ends the segment. Returns its last points.
  mutating func finish() -> [ExportPoint] {
    last = nil
    return path.finish()
  }
}
