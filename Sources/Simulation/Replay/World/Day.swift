/// A recording as a whole day of 24 hours from its first fix, in steps of one second.
///
/// A gap is a time of more than 60 s between two fixes. If its ends are within 100 m, the device was
/// stationary at the first end; any other gap is unknown. After the last fix the device is stationary at the
/// last position.
public struct Day: Sendable {
  public static let seconds = 86_400
  static let hole = 60.0
  static let sameLocationRadius = 100.0
  /// Seconds after a gap of unknown positions in which errors do not count.
  static let graceAfterHole = 60

  /// Unix time of the first fix in seconds.
  public let start: Double
  /// The recording itself, for the evaluation.
  let track: RecordedTrack
  /// The true position in each second 0..<86 400.
  var positions: [GeoPoint]
  /// True for each second with a known position.
  let isKnown: [Bool]
  /// True for each second in which a receiver can have a fix.
  let hasReception: [Bool]
  /// True for each second with motion.
  public private(set) var isMoving: [Bool]
  /// True for each second whose error counts: known, moving, and a minute after the last unknown gap.
  private(set) var counts: [Bool]
  /// Seconds at which motion begins after being stationary for at least 300 s.
  public private(set) var departures: [Int] = []
  /// Unknown gaps in seconds from the start.
  let holes: [ClosedRange<Double>]

  public init(_ track: RecordedTrack) {
    self.track = track
    let rows = track.rows
    let start = rows.first?.time ?? 0
    self.start = start
    var positions: [GeoPoint] = []
    var isKnown: [Bool] = []
    var hasReception: [Bool] = []
    positions.reserveCapacity(Self.seconds)
    isKnown.reserveCapacity(Self.seconds)
    hasReception.reserveCapacity(Self.seconds)
    var index = 0
    for second in 0..<Self.seconds {
      let time = start + Double(second)
      while index + 1 < rows.count, rows[index + 1].time <= time { index += 1 }
      let before = rows[index]
      guard index + 1 < rows.count, before.time < time else {
        positions.append(before.position)
        isKnown.append(true)
        hasReception.append(before.hasReception)
        continue
      }
      let after = rows[index + 1]
      let isHole = after.time - before.time > Self.hole
      let share = isHole ? 0 : (time - before.time) / (after.time - before.time)
      positions.append(before.position.toward(after.position, share: share))
      isKnown.append(!isHole || GeoPoint.metres(before.position, after.position) <= Self.sameLocationRadius)
      hasReception.append(before.hasReception)
    }
    self.positions = positions
    self.isKnown = isKnown
    self.hasReception = hasReception
    let movement = Movement(positions: positions, isKnown: isKnown)
    isMoving = movement.isMoving
    for stop in movement.frozen {
      for second in stop.seconds { self.positions[second] = stop.position }
    }
    counts = Self.counted(isKnown: isKnown, isMoving: isMoving)
    departures = movement.departures
    holes = Self.holes(of: rows, start: start)
  }

  /// The parts of the recording that do not count, as sentences.
  public var omissions: [String] {
    var messages: [String] = []
    if !holes.isEmpty {
      let hours = (Double(Self.seconds) - knownSeconds) / 3600
      let tenths = (hours * 10).rounded() / 10
      messages.append(
        "\(holes.count) \(holes.count == 1 ? "gap" : "gaps"), \(tenths) h in total: excluded from charge and error"
      )
    }
    if let last = track.rows.last, last.time > start + Double(Self.seconds) {
      messages.append("only the first 24 hours are used; supply each day as a separate file")
    }
    return messages
  }

  /// The seconds in which the device moves. In an unknown gap the last state continues, as in ``WorldAccelerometer``.
  var movingSeconds: Int {
    var count = 0
    var moves = false
    for second in 0..<Self.seconds {
      if isKnown[second] { moves = isMoving[second] }
      if moves { count += 1 }
    }
    return count
  }

  /// The known part of the day in seconds.
  var knownSeconds: Double { holes.reduce(Double(Self.seconds)) { $0 - ($1.upperBound - $1.lowerBound) } }

  private static func holes(of rows: [RecordedTrack.Row], start: Double) -> [ClosedRange<Double>] {
    zip(rows, rows.dropFirst()).compactMap { before, after in
      guard after.time - before.time > hole,
        GeoPoint.metres(before.position, after.position) > sameLocationRadius
      else {
        return nil
      }
      let (from, to) = (before.time - start, min(after.time - start, Double(seconds)))
      return from < to ? from...to : nil
    }
  }

  /// The true position at a time in seconds from the start, clamped to the day.
  func position(at time: Double) -> GeoPoint {
    guard time > 0 else { return positions[0] }
    let second = Int(min(time, Double(Self.seconds - 1)))
    guard second + 1 < Self.seconds, isKnown[second] == isKnown[second + 1] else { return positions[second] }
    return positions[second].toward(positions[second + 1], share: min(time - Double(second), 1))
  }

  func isKnown(at time: Double) -> Bool {
    let second = Self.second(of: time)
    guard isKnown[second], time > Double(second), second + 1 < Self.seconds else { return isKnown[second] }
    return isKnown[second + 1]
  }

  func hasReception(at time: Double) -> Bool { isKnown(at: time) && hasReception[Self.second(of: time)] }

  static func second(of time: Double) -> Int { Int(min(max(time, 0), Double(seconds - 1))) }

  private static func counted(isKnown: [Bool], isMoving: [Bool]) -> [Bool] {
    var graceEnd = 0
    return (0..<seconds).map { second in
      if !isKnown[second] { graceEnd = second + 1 + graceAfterHole }
      return isKnown[second] && isMoving[second] && second >= graceEnd
    }
  }
}
