import Quantities

/// Simplifies a path that is given point by point, in runs of limited length.
public struct PathThinner<Point> {
  private let simplification: PathSimplification?
  private var run: [(point: Point, coordinate: Coordinate)] = []
  /// True if the first point of ``run`` was returned already.
  private var isContinued = false

  /// Without a simplification every point is kept.
  public init(_ simplification: PathSimplification?) { self.simplification = simplification }

  /// The largest number of points that ``finish()`` may return.
  public var pending: Int { isContinued ? run.count - 1 : run.count }

  /// Adds the next point of the path, and returns points that are kept.
  public mutating func take(_ point: Point, at coordinate: Coordinate) -> [Point] {
    guard let simplification else { return [point] }
    run.append((point, coordinate))
    return run.count > simplification.longestRun ? cut() : []
  }

  /// Keeps the last point, because something happened there. Returns points that are kept.
  public mutating func cut() -> [Point] {
    guard let simplification, let end = run.last else { return [] }
    let isKept = simplification.kept(run.map(\.coordinate))
    let kept = zip(run, isKept).filter(\.1).map(\.0.point)
    defer { (run, isContinued) = ([end], true) }
    return isContinued ? Array(kept.dropFirst()) : kept
  }

  /// Ends the path. Returns its last points.
  public mutating func finish() -> [Point] {
    defer { (run, isContinued) = ([], false) }
    return cut()
  }
}

extension PathThinner: Sendable where Point: Sendable {}
