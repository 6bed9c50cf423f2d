/// The moving seconds of a day, and its stationary periods.
struct Movement {
  /// A stationary period with one common position.
  struct FrozenStop {
    var seconds: Range<Int>
    var position: GeoPoint
  }

  static let smoothing = 9
  /// Displacement is measured over this many seconds before and after.
  static let reach = 15
  /// Displacement in metres above which a second counts as moving.
  static let displacement = 15.0
  static let majority = 41
  static let shortestFrozen = 120
  static let frozenRadius = 60.0
  static let stopBeforeDeparture = 300

  private(set) var isMoving: [Bool]
  private(set) var frozen: [FrozenStop] = []
  private(set) var departures: [Int] = []

  init(positions: [GeoPoint], isKnown: [Bool]) {
    isMoving = [Bool](repeating: false, count: positions.count)
    for run in Self.runs(of: isKnown, being: true) { classify(run, positions) }
    for stop in Self.runs(of: zip(isKnown, isMoving).map { $0 && !$1 }, being: true) {
      if let next = positions.indices.contains(stop.upperBound) ? stop.upperBound : nil, isMoving[next],
        stop.count >= Self.stopBeforeDeparture
      {
        departures.append(next)
      }
      guard stop.count > Self.shortestFrozen else { continue }
      let median = Self.median(positions[stop])
      guard positions[stop].allSatisfy({ GeoPoint.metres($0, median) <= Self.frozenRadius }) else { continue }
      frozen.append(FrozenStop(seconds: stop, position: median))
    }
  }

  private mutating func classify(_ run: Range<Int>, _ positions: [GeoPoint]) {
    let smooth = Self.smoothed(positions[run])
    var moves = [Bool](repeating: false, count: run.count)
    for index in smooth.indices {
      let before = smooth[max(index - Self.reach, 0)]
      let after = smooth[min(index + Self.reach, smooth.count - 1)]
      moves[index] = GeoPoint.metres(before, after) > Self.displacement
    }
    let half = Self.majority / 2
    var count = 0
    for index in 0..<min(half, moves.count) where moves[index] { count += 1 }
    for index in moves.indices {
      if index + half < moves.count, moves[index + half] { count += 1 }
      if index - half - 1 >= 0, moves[index - half - 1] { count -= 1 }
      let width = min(index + half, moves.count - 1) - max(index - half, 0) + 1
      isMoving[run.lowerBound + index] = count * 2 > width
    }
  }

  /// The mean over nine seconds, fewer at the ends.
  private static func smoothed(_ positions: ArraySlice<GeoPoint>) -> [GeoPoint] {
    let half = smoothing / 2
    var sums: [GeoPoint] = [GeoPoint(latitude: 0, longitude: 0)]
    sums.reserveCapacity(positions.count + 1)
    let origin = positions.first ?? GeoPoint(latitude: 0, longitude: 0)
    for position in positions {
      let last = sums[sums.count - 1]
      sums.append(
        GeoPoint(
          latitude: last.latitude + position.latitude - origin.latitude,
          longitude: last.longitude + origin.turn(to: position)))
    }
    return (0..<positions.count).map { index in
      let (low, high) = (max(index - half, 0), min(index + half + 1, positions.count))
      let count = Double(high - low)
      return GeoPoint(
        latitude: origin.latitude + (sums[high].latitude - sums[low].latitude) / count,
        longitude: (origin.longitude + (sums[high].longitude - sums[low].longitude) / count).asLongitude)
    }
  }

  private static func median(_ positions: ArraySlice<GeoPoint>) -> GeoPoint {
    let latitudes = positions.map(\.latitude).sorted()
    guard let first = positions.first else { return GeoPoint(latitude: 0, longitude: 0) }
    let turns = positions.map { first.turn(to: $0) }.sorted()
    return GeoPoint(
      latitude: latitudes[latitudes.count / 2],
      longitude: (first.longitude + turns[turns.count / 2]).asLongitude)
  }

  static func runs(of flags: [Bool], being value: Bool) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var begin: Int?
    for (index, flag) in flags.enumerated() {
      if flag == value {
        if begin == nil { begin = index }
      } else if let first = begin {
        runs.append(first..<index)
        begin = nil
      }
    }
    if let first = begin { runs.append(first..<flags.count) }
    return runs
  }
}
