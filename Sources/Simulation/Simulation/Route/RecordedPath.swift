import Glibc
import Quantities

/// A journey as it was recorded: positions with their times. Between two of them the vehicle moves evenly; before the first
/// and after the last it is stationary.
public struct RecordedPath: Sendable {
  /// A position with its time.
  public struct Point: Sendable {
    public var time: Timestamp
    public var coordinate: Coordinate

    public init(time: Timestamp, coordinate: Coordinate) {
      (self.time, self.coordinate) = (time, coordinate)
    }
  }

  /// In order of time.
  private let points: [Point]
  private static let metresPerDegree = 111_194.9

  /// Creates a path from points in any order; nil without a point.
  public init?(_ points: [Point]) {
    guard !points.isEmpty else { return nil }
    self.points = points.sorted { $0.time < $1.time }
  }

  /// The position and motion at a time.
  public func state(at time: Timestamp) -> Drive.State {
    let next = firstIndex(after: time)
    let before = points[max(next - 1, 0)]
    let after = points[min(next, points.count - 1)]
    let (from, to) = (before.coordinate, after.coordinate)
    let length = (after.time - before.time).inSeconds
    let share = length > 0 ? min(max((time - before.time).inSeconds / length, 0), 1) : 0
    let isInside = next > 0 && next < points.count && length > 0
    let north = (to.latitude - from.latitude) * Self.metresPerDegree
    let east = (to.longitude - from.longitude) * Self.metresPerDegree * cos(from.latitude * .pi / 180)
    let course = atan2(east, north) * 180 / .pi
    return Drive.State(
      latitude: from.latitude + (to.latitude - from.latitude) * share,
      longitude: from.longitude + (to.longitude - from.longitude) * share,
      speed: isInside ? (north * north + east * east).squareRoot() / length : 0,
      course: course < 0 ? course + 360 : course)
  }

  /// The index of the first point after a time; the number of points if there is none.
  private func firstIndex(after time: Timestamp) -> Int {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
