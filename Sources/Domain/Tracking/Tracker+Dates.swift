import Quantities
import Records

/// Dates records by the receiver's clock.
///
/// A dated record keeps its date. After a clock step, the corrected clock dates the records without a date. It also
/// dates those that a later run in the same boot writes before its receiver reports the time.
extension Tracker {
  mutating func act(on notice: DeviceClock.Notice, now: Moment) -> [TrackerAction] {
    switch notice {
    case .known(let time, let offset):
      clock.setOffset(offset, now: now)
      recallEphemerides(now: now)
      dateReference(offset: offset)
      positions.date(offsetMilliseconds: offset, quality: clock.quality)
      let source: EventValue =
        switch clock.quality {
        case .network: "network"
        case .clockChip: "clock_chip"
        case .none, .saved, .receiver: "receiver"
        }
      let event = EventRecord(.clockSet, [.time: .integer(time.milliseconds), .cause: source])
      return [.date(offsetMilliseconds: offset), keep(event, now: now)]
    case .stepped(let milliseconds):
      let event = EventRecord(.clockStepped, [.step: .integer(milliseconds)])
      return redate(now: now) + [keep(event, now: now)]
    case .weekRepaired(let days):
      let event = EventRecord(.weekRepaired, [.days: .integer(days)])
      return [keep(event, now: now)]
    }
  }

  /// Logs that the clock has run without the receiver for a long time, before it dates anything.
  mutating func reportLostClock(now: Moment) -> [TrackerAction] {
    guard let pause = clock.lapse(now: now) else { return [] }
    return [keep(EventRecord(.clockLost, [.age: .seconds(pause)]), now: now)]
  }

  /// Logs that the receiver sets the clock again; `offset` is the value before.
  mutating func reportClockSource(since offset: Int64?, now: Moment) -> [TrackerAction] {
    guard let forward = clock.returned(since: offset, now: now) else { return [] }
    let event = EventRecord(.clockSourceChanged, [.step: .integer(forward)])
    return [keep(event, now: now)]
  }

  mutating func redate(now: Moment) -> [TrackerAction] {
    clock.redate(now: now).map { [.date(offsetMilliseconds: $0)] } ?? []
  }

  /// Dates the last record, because following fixes are compared with it.
  private mutating func dateReference(offset: Int64) {
    guard let moment = reference?.moment, reference?.timestamp == nil else { return }
    let time = Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset)
    reference?.timestamp = time
    guard lastLocation?.time == nil else { return }
    lastLocation?.time = time
    lastLocation?.timeQuality = clock.quality
  }
}
