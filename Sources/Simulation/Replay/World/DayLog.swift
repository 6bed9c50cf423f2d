/// The result of a logger for a day: its records, and the times at which its receiver was powered.
public struct DayLog: Equatable, Sendable {
  /// A logged position with its time.
  struct Point: Equatable, Sendable {
    /// Time in seconds from the start of the day, in whole milliseconds.
    var time: Double
    /// The position, in whole 1e-7 degrees.
    var position: GeoPoint
  }

  /// Unix time of the first fix of the day in seconds.
  let start: Double
  private(set) var points: [Point] = []
  var intervals: [WorldInterval] = []
  var starts = 0
  var failedSearches = 0
  /// What the whole device drew; nil if it was not simulated.
  public internal(set) var device: DeviceAccount?

  init(start: Double) { self.start = start }

  /// Adds a point unless it is not later than the last.
  mutating func keep(_ position: GeoPoint, at time: Double) {
    let milliseconds = (time * 1000).rounded() / 1000
    guard milliseconds > points.last?.time ?? -1 else { return }
    points.append(
      Point(
        time: milliseconds,
        position: GeoPoint(
          latitude: (position.latitude * 1e7).rounded() / 1e7,
          longitude: (position.longitude * 1e7).rounded() / 1e7)))
  }

  /// Removes everything in unknown gaps, which cost nothing.
  mutating func cut(_ holes: [ClosedRange<Double>]) {
    for hole in holes {
      intervals = intervals.flatMap { interval -> [WorldInterval] in
        var (before, after) = (interval, interval)
        before.end = min(interval.end, hole.lowerBound)
        after.start = max(interval.start, hole.upperBound)
        return [before, after].filter { $0.start < $0.end }
      }
    }
    intervals = intervals.map {
      WorldInterval(
        power: $0.power, start: ($0.start * 1000).rounded() / 1000, end: ($0.end * 1000).rounded() / 1000)
    }.filter { $0.start < $0.end }
  }

  /// The position on the line through the points at a time; the nearest point before the first and after the
  /// last.
  func position(at time: Double, hint: inout Int) -> GeoPoint? {
    guard let last = points.last else { return nil }
    while hint < points.count, points[hint].time <= time { hint += 1 }
    guard hint > 0 else { return points[0].position }
    guard hint < points.count else { return last.position }
    let (a, b) = (points[hint - 1], points[hint])
    return a.position.toward(b.position, share: (time - a.time) / (b.time - a.time))
  }
}
