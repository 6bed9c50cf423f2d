import Energy
import Quantities

/// Cost and quality of a log.
public struct DayScore: Equatable, Sendable {
  /// Charge at the receiver's supply in mAh, for the known part of the day.
  public var acquiring = 0.0
  public var tracking = 0.0
  public var cyclic = 0.0
  public var backup = 0.0
  /// Time in seconds in which the receiver was powered.
  public var onTime = 0.0
  public var starts = 0
  public var failedSearches = 0
  public var points = 0
  /// Distances in metres between true and logged position at the same time, for every second that counts.
  public var errors: [Double] = []
  /// The maximum error outside the first minute after a departure and outside rides that the accelerometer
  /// missed.
  public var settledErrorMax = 0.0
  /// Lengths in metres of the true path and of the logged line.
  public var trueLength = 0.0
  public var storedLength = 0.0
  public var stops = 0
  public var stopsKept = 0
  /// Stops of the logged line while the true one moves.
  public var stopsInvented = 0
  /// Times in seconds from a departure to the first point after it.
  public var latencies: [Double] = []

  public init() {}

  public var charge: Double { acquiring + tracking + cyclic + backup }
  public var errorMean: Double? { errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count) }
  public var error95: Double? { Self.quantile(errors, 0.95) }
  public var errorMax: Double? { errors.max() }
  public var distanceErrorPercent: Double? {
    trueLength > 0 ? 100 * (storedLength - trueLength) / trueLength : nil
  }
  public var latencyMedian: Double? { Self.quantile(latencies, 0.5) }
  public var latency95: Double? { Self.quantile(latencies, 0.95) }

  /// The quantile of sorted values at a fraction.
  public static func quantile(_ values: [Double], _ share: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    return values.sorted()[min(values.count - 1, Int(share * Double(values.count)))]
  }

  /// Adds the score of another day.
  public static func += (a: inout DayScore, b: DayScore) {
    a.acquiring += b.acquiring
    a.tracking += b.tracking
    a.cyclic += b.cyclic
    a.backup += b.backup
    a.onTime += b.onTime
    a.starts += b.starts
    a.failedSearches += b.failedSearches
    a.points += b.points
    a.errors += b.errors
    a.settledErrorMax = max(a.settledErrorMax, b.settledErrorMax)
    a.trueLength += b.trueLength
    a.storedLength += b.storedLength
    a.stops += b.stops
    a.stopsKept += b.stopsKept
    a.stopsInvented += b.stopsInvented
    a.latencies += b.latencies
  }
}

extension DayScore {
  /// Evaluates `log` against the day of `replay`.
  public init(_ log: DayLog, of replay: DayReplay, currents: ReceiverCurrents) {
    let day = replay.day
    for interval in log.intervals {
      let seconds = interval.end - interval.start
      onTime += seconds
      switch interval.power {
      case .acquire: acquiring += currents.searching * seconds / 3600
      case .track: tracking += currents.tracking * seconds / 3600
      case .cyclic: cyclic += currents[.cyclic] * seconds / 3600
      }
    }
    backup = currents.backup * max(day.knownSeconds - onTime, 0) / 3600
    starts = log.starts
    failedSearches = log.failedSearches
    points = log.points.count
    compareTracks(log, replay)
    measureLengths(log, day)
    let line = day.track.rows.map {
      (time: min($0.time - day.start, Double(Day.seconds)), position: $0.position)
    }
    let found = StopFinding.stops(of: line)
    stops = found.count
    stopsKept = found.count { StopFinding.isKept($0, by: log) }
    let stored = log.points.map { (time: $0.time, position: $0.position) }
    stopsInvented = StopFinding.stops(of: stored).count { StopFinding.isInvented($0, by: line) }
    latencies = day.departures.map { Self.latency(of: Double($0), log) }
  }

  private mutating func compareTracks(_ log: DayLog, _ replay: DayReplay) {
    let day = replay.day
    var isExempt = [Bool](repeating: false, count: Day.seconds)
    let exemptions = day.departures.map { $0..<min($0 + 60, Day.seconds) } + replay.accelerometer.unseen
    for exemption in exemptions {
      for second in exemption { isExempt[second] = true }
    }
    var hint = 0
    for second in 0..<Day.seconds where day.counts[second] {
      guard let stored = log.position(at: Double(second), hint: &hint) else { return }
      let error = GeoPoint.metres(day.positions[second], stored)
      errors.append(error)
      if !isExempt[second] { settledErrorMax = max(settledErrorMax, error) }
    }
  }

  private mutating func measureLengths(_ log: DayLog, _ day: Day) {
    for second in 1..<Day.seconds where day.isKnown[second] && day.isKnown[second - 1] {
      guard day.isMoving[second] || day.isMoving[second - 1] else { continue }
      trueLength += GeoPoint.metres(day.positions[second - 1], day.positions[second])
    }
    var holes = day.holes[...]
    for (a, b) in zip(log.points, log.points.dropFirst()) {
      while let hole = holes.first, hole.upperBound <= a.time { holes.removeFirst() }
      if let hole = holes.first, hole.lowerBound < b.time { continue }
      storedLength += GeoPoint.metres(a.position, b.position)
    }
  }

  /// Time in seconds to the first point that was taken by a powered receiver and is not a repetition.
  private static func latency(of departure: Double, _ log: DayLog) -> Double {
    var interval = 0
    for (index, point) in log.points.enumerated() where point.time >= departure {
      if index > 0, log.points[index - 1].position == point.position { continue }
      while interval < log.intervals.count, log.intervals[interval].end < point.time { interval += 1 }
      guard interval < log.intervals.count else { break }
      if log.intervals[interval].start <= point.time { return point.time - departure }
    }
    return Double(Day.seconds) - departure
  }
}
