import Quantities

/// A time at which an accelerometer detects the start or end of motion, or a different kind of it.
public struct MotionEdge: Equatable, Sendable {
  /// Time in seconds from the start of the day.
  public var time: Double
  public var isMoving: Bool
  /// The motion states; nil if they are not distinguished.
  public var states: MotionStates?

  public init(time: Double, isMoving: Bool, states: MotionStates? = nil) {
    self.time = time
    self.isMoving = isMoving
    self.states = states
  }
}

/// The output of an accelerometer over a day: the times at which it detects the start and end of motion.
///
/// In an unknown gap the last state continues.
struct WorldAccelerometer: Sendable {
  typealias Edge = MotionEdge

  private(set) var edges: [Edge] = []
  /// Seconds of rides whose beginning was not detected.
  private(set) var unseen: [Range<Int>] = []

  /// Creates an accelerometer with the given edges in order of time, regardless of the day.
  init(edges: [Edge]) { self.edges = edges }

  init(_ day: Day, seed: UInt64) {
    var chance = Chance(seed: seed, stream: 2)
    var moves = false
    var changes: [(second: Int, moves: Bool)] = []
    for second in 0..<Day.seconds where day.isKnown[second] && day.isMoving[second] != moves {
      moves.toggle()
      changes.append((second, moves))
    }
    var sees = false
    for (index, change) in changes.enumerated() {
      let end = index + 1 < changes.count ? changes[index + 1].second : Day.seconds
      var delay = chance.logNormal(
        median: WorldConstants.noticeMedian, spread: WorldConstants.noticeSpread)
      let isUnseen = chance.share() < WorldConstants.unseenShare
      if change.moves, isUnseen, Self.isVehicle(day, from: change.second) {
        delay = max(delay, WorldConstants.unseenSeconds)
        unseen.append(change.second..<min(change.second + Int(delay) + 1, Day.seconds))
      }
      let time = Double(change.second) + delay
      guard time < Double(end), change.moves != sees else { continue }
      sees = change.moves
      edges.append(Edge(time: time, isMoving: sees))
    }
    addFalseWakes(day, &chance)
  }

  private static func isVehicle(_ day: Day, from second: Int) -> Bool {
    var index = second
    while index + 10 < min(second + 120, Day.seconds), day.isKnown[index + 10] {
      if GeoPoint.metres(day.positions[index], day.positions[index + 10]) > 10 * WorldConstants.vehicleSpeed {
        return true
      }
      index += 5
    }
    return false
  }

  private mutating func addFalseWakes(_ day: Day, _ chance: inout Chance) {
    let rate = WorldConstants.falseWakesPerHour / 3600
    let length = WorldConstants.falseWakeSeconds
    var time = chance.wait(rate: rate)
    var all: [Edge] = []
    var index = 0
    var sees = false
    while time < Double(Day.seconds) {
      while index < edges.count, edges[index].time <= time {
        all.append(edges[index])
        sees = edges[index].isMoving
        index += 1
      }
      let next = index < edges.count ? edges[index].time : Double(Day.seconds)
      let second = Day.second(of: time)
      if !sees, !day.isMoving[second], day.isKnown[second], time + length < next {
        all.append(Edge(time: time, isMoving: true))
        all.append(Edge(time: time + length, isMoving: false))
        time += length
      }
      time += chance.wait(rate: rate)
    }
    edges = all + edges[index...]
  }
}
