/// The moving seconds of a day, and its stationary periods.
struct Movement {
  /// A stationary period with one common position.
  struct FrozenRest {
    var seconds: Range<Int>
    var place: Place
  }

  static let smoothing = 9
  /// Displacement is measured over this many seconds before and after.
  static let reach = 15
  /// Displacement in metres above which a second counts as moving.
  static let displacement = 15.0
  static let majority = 41
  static let shortestFrozen = 120
  static let frozenRadius = 60.0
  static let restBeforeDeparture = 300

  private(set) var isMoving: [Bool]
  private(set) var frozen: [FrozenRest] = []
  private(set) var departures: [Int] = []

  init(places: [Place], isKnown: [Bool]) {
    isMoving = [Bool](repeating: false, count: places.count)
    for run in Self.runs(of: isKnown, being: true) { judge(run, places) }
    for rest in Self.runs(of: zip(isKnown, isMoving).map { $0 && !$1 }, being: true) {
      if let next = places.indices.contains(rest.upperBound) ? rest.upperBound : nil, isMoving[next],
        rest.count >= Self.restBeforeDeparture
      {
        departures.append(next)
      }
      guard rest.count > Self.shortestFrozen else { continue }
      let median = Self.median(places[rest])
      guard places[rest].allSatisfy({ Place.metres($0, median) <= Self.frozenRadius }) else { continue }
      frozen.append(FrozenRest(seconds: rest, place: median))
    }
  }

  private mutating func judge(_ run: Range<Int>, _ places: [Place]) {
    let smooth = Self.smoothed(places[run])
    var moves = [Bool](repeating: false, count: run.count)
    for index in smooth.indices {
      let before = smooth[max(index - Self.reach, 0)]
      let after = smooth[min(index + Self.reach, smooth.count - 1)]
      moves[index] = Place.metres(before, after) > Self.displacement
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
  private static func smoothed(_ places: ArraySlice<Place>) -> [Place] {
    let half = smoothing / 2
    var sums: [Place] = [Place(latitude: 0, longitude: 0)]
    sums.reserveCapacity(places.count + 1)
    let origin = places.first ?? Place(latitude: 0, longitude: 0)
    for place in places {
      let last = sums[sums.count - 1]
      sums.append(
        Place(
          latitude: last.latitude + place.latitude - origin.latitude,
          longitude: last.longitude + origin.turn(to: place)))
    }
    return (0..<places.count).map { index in
      let (low, high) = (max(index - half, 0), min(index + half + 1, places.count))
      let count = Double(high - low)
      return Place(
        latitude: origin.latitude + (sums[high].latitude - sums[low].latitude) / count,
        longitude: (origin.longitude + (sums[high].longitude - sums[low].longitude) / count).asLongitude)
    }
  }

  private static func median(_ places: ArraySlice<Place>) -> Place {
    let latitudes = places.map(\.latitude).sorted()
    guard let first = places.first else { return Place(latitude: 0, longitude: 0) }
    let turns = places.map { first.turn(to: $0) }.sorted()
    return Place(
      latitude: latitudes[latitudes.count / 2],
      longitude: (first.longitude + turns[turns.count / 2]).asLongitude)
  }

  static func runs(of flags: [Bool], being wanted: Bool) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var begin: Int?
    for (index, flag) in flags.enumerated() {
      if flag == wanted {
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
