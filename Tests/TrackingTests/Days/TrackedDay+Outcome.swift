import Energy
import Quantities
import Records

@testable import Tracking

/// What came of the day, as its owner would look at it.
extension TrackedDay {
  /// UTC now.
  var time: Timestamp { utc + (now - .zero) }

  var records: [LogRecord] {
    actions.compactMap { if case .keep(let record, _) = $0 { record } else { nil } }
  }

  /// What had no date has it by the next word of the clock.
  var points: [(time: Timestamp, location: LocationRecord)] {
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

  var trips: [TripRecord] { records.compactMap { if case .trip(let trip) = $0.body { trip } else { nil } } }

  var visits: [VisitRecord] {
    records.compactMap { if case .visit(let visit) = $0.body { visit } else { nil } }
  }

  func events(_ kind: EventKind) -> [EventRecord] {
    records.compactMap { if case .event(let event) = $0.body, event.kind == kind { event } else { nil } }
  }

  /// When the visits were told that had begun.
  var arrivalsTold: [Moment] {
    records.compactMap {
      if case .visit(let visit) = $0.body, visit.departure == nil { $0.moment } else { nil }
    }
  }

  /// How long the receiver was powered between two moments.
  func onTime(from: Moment, to: Moment) -> Duration {
    var receiver = receiver
    receiver.close(now: now)
    return receiver.intervals.filter { $0.state.isPowered }.reduce(.zero) { sum, interval in
      sum + max(min(interval.end, to) - max(interval.start, from), .zero)
    }
  }

  /// Of all time between two moments, how much the receiver was powered.
  func onShare(from: Moment, to: Moment) -> Double {
    onTime(from: from, to: to).inSeconds / max((to - from).inSeconds, 1)
  }

  /// The state of the receiver and since when, without a hole from the start to now.
  var intervals: [StateInterval<ReceiverState>] {
    var receiver = receiver
    receiver.close(now: now)
    return receiver.intervals
  }

  /// Pauses between points that are longer and of which the log does not say why.
  func unexplainedPauses(over longest: Duration) -> [String] {
    var pauses: [String] = []
    var last: Timestamp?
    var reasons: [(time: Timestamp, kind: EventKind)] = []
    for record in records {
      guard let time = record.time, case .event(let event) = record.body else { continue }
      reasons.append((time, event.kind))
    }
    var isResting = false
    for point in points {
      defer { last = point.time }
      guard let last, point.time - last > longest else {
        isResting = false
        continue
      }
      // Rejections are reported some minutes after they began.
      let said = reasons.filter { $0.time >= last + .seconds(-1) && $0.time <= point.time + .seconds(660) }
      if said.contains(where: { $0.kind == .receiverResting }) { isResting = true }
      let kinds: Set<EventKind> = [
        .receiverResting, .fixesRejected, .clockStepped, .weekRepaired, .configurationChanged, .started,
      ]
      guard !isResting, !said.contains(where: { kinds.contains($0.kind) }) else { continue }
      pauses.append("\(last.iso8601()) to \(point.time.iso8601())")
    }
    return pauses
  }
}

/// Whether a time lies within so many seconds of another.
func isNear(_ time: Timestamp?, _ other: Timestamp, within seconds: Double) -> Bool {
  time.map { abs(($0 - other).inSeconds) <= seconds } ?? false
}
