import GNSSProtocol
import Quantities
import Records
import Tracking

/// The date in the simulated world.
///
/// A tracker rejects times from before the program could run. Therefore a recording from another time is
/// shifted by whole periods of the GPS week, and the times of its records are shifted back.
struct WorldCalendar: Sendable {
  /// Unix time of the start of the day in seconds, as recorded.
  private let start: Double
  /// Milliseconds by which the world is later than the recording.
  private let shift: Int64

  init(start: Double) {
    self.start = start
    let missing = Double(WeekRollover.floor.milliseconds) - start * 1000
    let period = Double(WeekRollover.period)
    shift = Int64((missing / period).rounded(.up)) * WeekRollover.period
  }

  /// The Unix time of a second of a day, rounded like the times of records and intervals.
  static func recorded(start: Double, at time: Double) -> Timestamp {
    Timestamp(milliseconds: Int64((start * 1000).rounded()) + Int64((time * 1000).rounded()))
  }

  /// A fix with the world's date instead of the recording's.
  func dated(_ fix: Fix) -> Fix {
    guard let timestamp = fix.timestamp else { return fix }
    var fix = fix
    fix.timestamp = Timestamp(milliseconds: timestamp.milliseconds + shift)
    return fix
  }

  func timestamp(_ moment: Moment) -> Timestamp {
    Timestamp(milliseconds: Self.recorded(start: start, at: DayReplay.time(moment)).milliseconds + shift)
  }

  /// The time of a record in seconds from the start of the day.
  func time(of record: LogRecord) -> Double {
    guard let time = record.time else { return DayReplay.time(record.moment) }
    return Double(time.milliseconds - shift - Self.recorded(start: start, at: 0).milliseconds) / 1000
  }
}
