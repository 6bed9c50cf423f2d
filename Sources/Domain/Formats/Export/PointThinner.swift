import History
import Quantities

/// Leaves out points of a segment that is given point by point, by time and by distance from the line.
struct PointThinner {
  private let simplification: PathSimplification?
  private let interval: Duration?
  private var run: [ExportPoint] = []
  private var last: Timestamp?
  /// True if the first point of ``run`` was returned already.
  private var isContinued = false

  init(_ request: ExportRequest, longestRun: Int) {
    simplification = request.tolerance.map { PathSimplification(tolerance: $0, longestRun: longestRun) }
    interval = request.interval
  }

  /// Adds the next point, and returns points that are kept.
  mutating func take(_ point: ExportPoint) -> [ExportPoint] {
    if let interval, let last, point.time - last < interval { return [] }
    last = point.time
    guard let simplification else { return [point] }
    run.append(point)
    return run.count > simplification.longestRun ? cut() : []
  }

  /// Keeps the last point, because something happened there. Returns points that are kept.
  mutating func cut() -> [ExportPoint] {
    guard let simplification, let end = run.last else { return [] }
    let isKept = simplification.kept(run.map(\.location.coordinate))
    let kept = zip(run, isKept).filter(\.1).map(\.0)
    defer { (run, isContinued) = ([end], true) }
    return isContinued ? Array(kept.dropFirst()) : kept
  }

  /// Ends the segment. Returns its last points.
  mutating func finish() -> [ExportPoint] {
    defer { (run, isContinued, last) = ([], false, nil) }
    return cut()
  }
}
