/// Stops of a line of points: stationary for at least 300 s within 75 m of the first point.
struct StopFinding {
  /// A stop of the line.
  struct Stop: Equatable {
    /// Times of the first and the last point in seconds.
    var from: Double
    var to: Double
    var centre: GeoPoint
  }

  static let radius = 75.0
  static let shortest = 300.0
  /// Additional distance in metres that a logged track may deviate and still be at the stop.
  static let margin = 50.0
  /// Fraction of the stop's duration for which the logged track must be there.
  static let share = 0.6
  /// Number of successive points outside that end a stop.
  private static let outliers = 3
  /// Time in seconds between the last point inside and one outside that ends a stop.
  private static let pause = 60.0

  /// Grows each stop from its first point; the centre is the mean of the points.
  static func stops(of line: [(time: Double, position: GeoPoint)]) -> [Stop] {
    var stops: [Stop] = []
    var first = 0
    while first < line.count {
      var (index, last, outside) = (first, first, 0)
      while index + 1 < line.count, outside < outliers {
        index += 1
        if GeoPoint.metres(line[first].position, line[index].position) <= radius {
          last = index
          outside = 0
        } else {
          outside += 1
          if line[index].time - line[last].time > pause { break }
        }
      }
      guard line[last].time - line[first].time >= shortest else {
        first += 1
        continue
      }
      let part = line[first...last]
      let position = line[first].position
      let count = Double(part.count)
      stops.append(
        Stop(
          from: line[first].time, to: line[last].time,
          centre: GeoPoint(
            latitude: part.reduce(0) { $0 + $1.position.latitude } / count,
            longitude: (position.longitude + part.reduce(0) { $0 + position.turn(to: $1.position) } / count)
              .asLongitude)))
      first = last + 1
    }
    return stops
  }

  /// True if a logged track is at a stop for most of its duration.
  static func isKept(_ stop: Stop, by log: DayLog) -> Bool {
    let duration = stop.to - stop.from
    let steps = max(5, Int(duration / 20))
    var hint = 0
    let near = (0...steps).count { step in
      let time = stop.from + duration * Double(step) / Double(steps)
      guard let position = log.position(at: time, hint: &hint) else { return false }
      return GeoPoint.metres(stop.centre, position) <= radius + margin
    }
    return Double(near) >= share * Double(steps + 1)
  }
  /// Distance in metres from a logged stop beyond which the device was elsewhere.
  static let farMargin = 100.0
  /// Minimum number of fixes that prove a position elsewhere.
  private static let leastFixes = 11

  /// True if a logged track stops while the true line moves: most of its fixes in that time are elsewhere.
  static func isInvented(_ stop: Stop, by line: [(time: Double, position: GeoPoint)]) -> Bool {
    let meanwhile = line.lazy.filter { $0.time >= stop.from && $0.time <= stop.to }
    var (count, far) = (0, 0)
    for fix in meanwhile {
      count += 1
      if GeoPoint.metres(stop.centre, fix.position) > radius + farMargin { far += 1 }
    }
    return count >= leastFixes && Double(far) > share * Double(count)
  }
}
