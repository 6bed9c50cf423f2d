import Energy

/// Theoretical limits of a policy, which require knowledge of the future.
public enum ChargeLimit: Sendable {
  /// One fix per second while moving, one hot start per departure, asleep otherwise.
  case moving
  /// The same with a receiver in cyclic tracking.
  case movingInCyclicMode
  /// The fewest straight segments between true positions that keep every moving second within this many
  /// metres, with one hot start each.
  case fewestFixes(within: Double)

  /// Duration of a hot start in seconds, and of the tracking after it.
  private static let acquiring = 1.5
  private static let tracking = 1.0

  /// A log that costs the limit and has the true positions.
  public func log(of replay: DayReplay) -> DayLog {
    switch self {
    case .moving: movingLog(replay.day, .track)
    case .movingInCyclicMode: movingLog(replay.day, .cyclic)
    case .fewestFixes(let bound): fewestFixes(replay.day, bound)
    }
  }

  private func movingLog(_ day: Day, _ power: WorldReceiver.Power) -> DayLog {
    var log = DayLog(start: day.start)
    let departures = Set(day.departures)
    for run in Movement.runs(of: day.isMoving, being: true) {
      let (start, end) = (Double(run.lowerBound), Double(run.upperBound))
      // A short stop costs no acquisition, but the receiver is switched on again and counts as started.
      log.starts += 1
      if departures.contains(run.lowerBound) {
        log.intervals.append(
          WorldInterval(power: .acquire, start: start - Self.acquiring, end: start))
      }
      log.intervals.append(WorldInterval(power: power, start: start, end: end))
      for second in run { log.keep(day.positions[second], at: Double(second)) }
    }
    return log
  }

  private func fewestFixes(_ day: Day, _ bound: Double) -> DayLog {
    var log = DayLog(start: day.start)
    var lastEnd = -Double.infinity
    for second in Self.vertices(of: day, within: bound) {
      let time = Double(second)
      log.keep(day.positions[second], at: time)
      let start = max(time - Self.acquiring, lastEnd)
      log.starts += start > lastEnd ? 1 : 0
      log.intervals.append(WorldInterval(power: .acquire, start: start, end: time))
      log.intervals.append(WorldInterval(power: .track, start: time, end: time + Self.tracking))
      lastEnd = time + Self.tracking
    }
    return log
  }

  static func vertices(of day: Day, within bound: Double) -> [Int] {
    let moving = (0..<Day.seconds).filter { day.isMoving[$0] }
    var next = 0
    return Movement.runs(of: day.isKnown, being: true).flatMap { run in
      while next < moving.count, moving[next] < run.lowerBound { next += 1 }
      let first = next
      while next < moving.count, moving[next] < run.upperBound { next += 1 }
      return FewestSegments(day, seconds: Array(moving[first..<next]), within: bound).vertices()
    }
  }
}
