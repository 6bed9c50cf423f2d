import Quantities

/// What is known about UTC on this boot, learned from the receiver alone.
///
/// A fix arrives later than its own time, and not always by the same delay. So while the date is unknown the
/// moments of fixes are derived from the receiver's time of day, counted from the first one: when the date
/// comes they are dated exactly, not to the delay of their arrival.
public struct DeviceClock: Equatable, Sendable {
  /// Something about the clock that belongs in the log.
  public enum Notice: Equatable, Sendable {
    /// The date became known; `offset` is UTC in milliseconds minus the moment in milliseconds.
    case known(Timestamp, offsetMilliseconds: Int64)
    /// The receiver's date jumped by this many milliseconds against the boot clock.
    case stepped(milliseconds: Int64)
    /// The receiver's date was a multiple of 1,024 weeks behind.
    case weekRepaired(days: Int64)
  }

  /// A fix's time as the rest of the tracker uses it.
  public struct Reading: Equatable, Sendable {
    /// Nil while the date is unknown.
    public var timestamp: Timestamp?
    /// The fix's own instant on the boot clock.
    public var moment: Moment
    public var notices: [Notice]
  }

  private struct Anchor: Equatable, Sendable {
    var moment: Moment
    var millisecondOfDay: Int64
  }

  private var anchor: Anchor?
  private var isWeekRepaired = false

  /// UTC in milliseconds minus moment in milliseconds; nil until the receiver has given a date.
  public private(set) var offsetMilliseconds: Int64?

  /// A step in the log is worth saying from this size on; less is the delay of arrival.
  static let noticeableStep: Int64 = 5000

  public init() {}

  public var quality: ClockQuality { offsetMilliseconds == nil ? .none : .receiver }

  /// UTC at a moment; nil until the time is known.
  public func timestamp(at moment: Moment) -> Timestamp? {
    offsetMilliseconds.map { Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ $0) }
  }

  /// Takes the time of a fix. `timestamp` is what the receiver says, unrepaired; `systemClock` bounds the repair.
  public mutating func read(
    timestamp: Timestamp?, millisecondOfDay: Int32?, arrival: Moment, systemClock: Timestamp
  ) -> Reading {
    let moment =
      offsetMilliseconds == nil
      ? instant(ofDay: millisecondOfDay.map(Int64.init), arrival: arrival) : arrival
    guard let timestamp else { return Reading(timestamp: nil, moment: moment, notices: []) }
    var notices: [Notice] = []
    let repaired = WeekRollover.repair(timestamp, latest: WeekRollover.latest(systemClock: systemClock))
    if repaired != timestamp, !isWeekRepaired {
      isWeekRepaired = true
      notices.append(
        .weekRepaired(
          days: (repaired.milliseconds - timestamp.milliseconds) / Timestamp.millisecondsPerDay))
    }
    let offset = repaired.milliseconds &- moment.nanoseconds / 1_000_000
    if let known = offsetMilliseconds {
      let step = offset &- known
      if step.magnitude >= Self.noticeableStep.magnitude {
        notices.append(.stepped(milliseconds: step))
      }
    } else {
      notices.append(.known(repaired, offsetMilliseconds: offset))
    }
    offsetMilliseconds = offset
    return Reading(timestamp: repaired, moment: moment, notices: notices)
  }

  /// The instant of a time of day, counted forward from the anchor; a day has passed when it falls.
  private mutating func instant(ofDay millisecondOfDay: Int64?, arrival: Moment) -> Moment {
    guard let millisecondOfDay else { return arrival }
    guard let last = anchor else {
      anchor = Anchor(moment: arrival, millisecondOfDay: millisecondOfDay)
      return arrival
    }
    var elapsed = millisecondOfDay - last.millisecondOfDay
    if elapsed < -Timestamp.millisecondsPerDay / 2 { elapsed += Timestamp.millisecondsPerDay }
    // Backward, or far from the boot clock for a line that is not replayed: count anew from here.
    guard (0...Self.longestGap).contains(elapsed) else {
      anchor = Anchor(moment: arrival, millisecondOfDay: millisecondOfDay)
      return arrival
    }
    let moment = last.moment + .milliseconds(elapsed)
    anchor = Anchor(moment: moment, millisecondOfDay: millisecondOfDay)
    return moment
  }

  /// Milliseconds between two fixes over which the time of day is trusted more than the arrival.
  private static let longestGap: Int64 = 10_000
}
