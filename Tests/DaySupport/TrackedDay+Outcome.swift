import Energy
import Quantities
import Records

/// The results of the day, as its operator would see them.
extension TrackedDay {
  /// UTC at present.
  public var time: Timestamp { utc + (now - .zero) }

  public var records: [LogRecord] {
    actions.compactMap { if case .keep(let record, _) = $0 { record } else { nil } }
  }

  /// Undated records have the date of the next clock report.
  public var points: [(time: Timestamp, location: LocationRecord)] {
    var offset: Int64?
    var points: [(time: Timestamp, location: LocationRecord)] = []
    for action in actions.reversed() {
      switch action {
      case .date(let next): offset = next
      case .keep(let record, _):
        guard case .location(let location) = record.body else { continue }
        let dated = offset.map { record.dated(offsetMilliseconds: $0, quality: .receiver) } ?? record
        if let time = dated.time { points.append((time, location)) }
      default: continue
      }
    }
    return points.reversed()
  }

  public var trips: [TripRecord] {
    records.compactMap { if case .trip(let trip) = $0.body { trip } else { nil } }
  }

  public var visits: [VisitRecord] {
    records.compactMap { if case .visit(let visit) = $0.body { visit } else { nil } }
  }

  public func events(_ kind: EventKind) -> [EventRecord] {
    records.compactMap { if case .event(let event) = $0.body, event.kind == kind { event } else { nil } }
  }

  /// The times at which arrivals were reported.
  public var reportedArrivals: [Moment] {
    records.compactMap {
      if case .visit(let visit) = $0.body, visit.departure == nil { $0.moment } else { nil }
    }
  }

  /// The time between two moments that the receiver was powered.
  public func onTime(from: Moment, to: Moment) -> Duration {
    var receiver = receiver
    receiver.close(now: now)
    return receiver.intervals.filter { $0.state.isPowered }.reduce(.zero) { sum, interval in
      sum + max(min(interval.end, to) - max(interval.start, from), .zero)
    }
  }

  /// The share of the time between two moments that the receiver was powered.
  public func onShare(from: Moment, to: Moment) -> Double {
    onTime(from: from, to: to).inSeconds / max((to - from).inSeconds, 1)
  }

  /// The states of the receiver with their times, without a gap from the start to now.
  public var intervals: [StateInterval<ReceiverState>] {
    var receiver = receiver
    receiver.close(now: now)
    return receiver.intervals
  }

  /// The time that the receiver was powered while the device moved, and while it was stationary.
  public var powered: (moving: Duration, stationary: Duration) {
    let all = onTime(from: .zero, to: now)
    let moving = movements.reduce(Duration.zero) { $0 + onTime(from: $1.lowerBound, to: $1.upperBound) }
    return (moving, all - moving)
  }

  /// The share of the time in motion that the receiver was powered.
  public var shareOfMotionPowered: Double {
    let motionTime = movements.reduce(Duration.zero) { $0 + ($1.upperBound - $1.lowerBound) }
    return powered.moving.inSeconds / max(motionTime.inSeconds, 1)
  }

  /// Errors in the receiver's states: overlaps, gaps, too much power while stationary or too little while moving, or
  /// another number of starts. Empty for a correct day.
  public func wrongPower(
    stationary: Range<Int>, ofMotion share: ClosedRange<Double>, starts: ClosedRange<Int>
  ) -> [String] {
    var wrong: [String] = []
    let states = intervals
    for (one, next) in zip(states, states.dropFirst()) where one.end != next.start {
      wrong.append("\(one.state) ends \(one.end), \(next.state) begins \(next.start)")
    }
    if states.contains(where: { $0.end <= $0.start }) { wrong.append("a state without a duration") }
    let seconds = Int(powered.stationary.inSeconds)
    if !stationary.contains(seconds) { wrong.append("powered for \(seconds) s while stationary") }
    if !share.contains(shareOfMotionPowered) {
      wrong.append("powered for \(shareOfMotionPowered) of the motion")
    }
    if !starts.contains(receiver.starts) { wrong.append("\(receiver.starts) starts") }
    return wrong
  }

  /// Gaps between locations that are longer and not explained in the log.
  public func unexplainedPauses(over longest: Duration) -> [String] {
    var pauses: [String] = []
    var last: Timestamp?
    var reasons: [(time: Timestamp, kind: EventKind)] = []
    for record in records {
      guard let time = record.time, case .event(let event) = record.body else { continue }
      reasons.append((time, event.kind))
    }
    var isAsleep = false
    for point in points {
      defer { last = point.time }
      guard let last, point.time - last > longest else {
        isAsleep = false
        continue
      }
      // Rejections are reported some minutes after they began.
      let explanations = reasons.filter {
        $0.time >= last + .seconds(-1) && $0.time <= point.time + .seconds(660)
      }
      if explanations.contains(where: { $0.kind == .receiverAsleep }) { isAsleep = true }
      let kinds: Set<EventKind> = [
        .receiverAsleep, .fixesRejected, .fixesLeftOut, .clockStepped, .weekRepaired, .configurationChanged,
        .started,
      ]
      guard !isAsleep, !explanations.contains(where: { kinds.contains($0.kind) }) else { continue }
      pauses.append("\(last.iso8601()) to \(point.time.iso8601())")
    }
    return pauses
  }
}

/// True if both times differ by at most so many seconds.
public func isNear(_ time: Timestamp?, _ other: Timestamp, within seconds: Double) -> Bool {
  time.map { abs(($0 - other).inSeconds) <= seconds } ?? false
}
