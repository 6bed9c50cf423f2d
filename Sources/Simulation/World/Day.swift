/// A recording as a whole day of 24 hours from its first fix, in steps of one second.
///
/// A gap is a time of more than 60 s between two fixes. If its ends are within 100 m, the device was
/// stationary at the first end; any other gap is unknown. After the last fix the device is stationary at the
/// last position.
public struct Day: Sendable {
  public static let seconds = 86_400
  static let hole = 60.0
  static let sameplace = 100.0
  /// Seconds after a gap of unknown positions in which errors do not count.
  static let graceAfterHole = 60

  /// Unix time of the first fix in seconds.
  public let start: Double
  /// The recording itself, for the evaluation.
  let track: RecordedTrack
  /// The true position in each second 0..<86 400.
  var places: [Place]
  /// True for each second with a known position.
  let isKnown: [Bool]
  /// True for each second in which a receiver can have a fix.
  let hasSky: [Bool]
  /// True for each second with motion.
  private(set) var isMoving: [Bool]
  /// True for each second whose error counts: known, moving, and a minute after the last unknown gap.
  private(set) var counts: [Bool]
  /// Seconds at which motion begins after being stationary for at least 300 s.
  private(set) var departures: [Int] = []
  /// Unknown gaps in seconds from the start.
  let holes: [ClosedRange<Double>]

  public init(_ track: RecordedTrack) {
    self.track = track
    let rows = track.rows
    let start = rows.first?.time ?? 0
    self.start = start
    var places: [Place] = []
    var isKnown: [Bool] = []
    var hasSky: [Bool] = []
    places.reserveCapacity(Self.seconds)
    isKnown.reserveCapacity(Self.seconds)
    hasSky.reserveCapacity(Self.seconds)
    var index = 0
    for second in 0..<Self.seconds {
      let time = start + Double(second)
      while index + 1 < rows.count, rows[index + 1].time <= time { index += 1 }
      let before = rows[index]
      guard index + 1 < rows.count, before.time < time else {
        places.append(before.place)
        isKnown.append(true)
        hasSky.append(before.hasSky)
        continue
      }
      let after = rows[index + 1]
      let isHole = after.time - before.time > Self.hole
      let share = isHole ? 0 : (time - before.time) / (after.time - before.time)
      places.append(before.place.toward(after.place, share: share))
      isKnown.append(!isHole || Place.metres(before.place, after.place) <= Self.sameplace)
      hasSky.append(before.hasSky)
    }
    self.places = places
    self.isKnown = isKnown
    self.hasSky = hasSky
    let movement = Movement(places: places, isKnown: isKnown)
    isMoving = movement.isMoving
    for rest in movement.frozen {
      for second in rest.seconds { self.places[second] = rest.place }
    }
    counts = Self.counted(isKnown: isKnown, isMoving: isMoving)
    departures = movement.departures
    holes = Self.holes(of: rows, start: start)
  }

  /// The parts of the recording that do not count, as sentences.
  public var omissions: [String] {
    var said: [String] = []
    if !holes.isEmpty {
      let hours = (Double(Self.seconds) - knownSeconds) / 3600
      let tenths = (hours * 10).rounded() / 10
      said.append(
        "\(holes.count) \(holes.count == 1 ? "gap" : "gaps"), \(tenths) h in total: excluded from charge and error"
      )
    }
    if let last = track.rows.last, last.time > start + Double(Self.seconds) {
      said.append("only the first 24 hours are used; supply each day as a separate file")
    }
    return said
  }

  /// The known part of the day in seconds.
  var knownSeconds: Double { holes.reduce(Double(Self.seconds)) { $0 - ($1.upperBound - $1.lowerBound) } }

  private static func holes(of rows: [RecordedTrack.Row], start: Double) -> [ClosedRange<Double>] {
    zip(rows, rows.dropFirst()).compactMap { before, after in
      guard after.time - before.time > hole, Place.metres(before.place, after.place) > sameplace else {
        return nil
      }
      let (from, to) = (before.time - start, min(after.time - start, Double(seconds)))
      return from < to ? from...to : nil
    }
  }

  /// The true position at a time in seconds from the start, clamped to the day.
  func place(at time: Double) -> Place {
    guard time > 0 else { return places[0] }
    let second = Int(min(time, Double(Self.seconds - 1)))
    guard second + 1 < Self.seconds, isKnown[second] == isKnown[second + 1] else { return places[second] }
    return places[second].toward(places[second + 1], share: min(time - Double(second), 1))
  }

  func isKnown(at time: Double) -> Bool {
    let second = Self.second(of: time)
    guard isKnown[second], time > Double(second), second + 1 < Self.seconds else { return isKnown[second] }
    return isKnown[second + 1]
  }

  func hasSky(at time: Double) -> Bool { isKnown(at: time) && hasSky[Self.second(of: time)] }

  static func second(of time: Double) -> Int { Int(min(max(time, 0), Double(seconds - 1))) }

  private static func counted(isKnown: [Bool], isMoving: [Bool]) -> [Bool] {
    var graceEnd = 0
    return (0..<seconds).map { second in
      if !isKnown[second] { graceEnd = second + 1 + graceAfterHole }
      return isKnown[second] && isMoving[second] && second >= graceEnd
    }
  }
}
