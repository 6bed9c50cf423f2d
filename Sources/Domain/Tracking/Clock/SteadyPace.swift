import Quantities

/// Detects that the receiver's time of day runs like the boot clock. The time of a recording that is played fast does not.
///
/// Once detected it stays so: a receiver that is connected to this host has no reason to run faster later.
struct SteadyPace: Equatable, Sendable {
  /// Time for which the receiver's time must have run like the boot clock.
  static let span = Duration.seconds(10)
  /// Largest deviation in that time, in ms. The delay of arrival varies.
  static let tolerance: Int64 = 5000

  private struct Start: Equatable, Sendable {
    var moment: Moment
    var millisecondOfDay: Int64
  }

  private var start: Start?
  private(set) var isSteady = false

  /// Adds the time of an epoch.
  mutating func add(millisecondOfDay: Int64, at moment: Moment) {
    guard !isSteady else {
      // The boot clock drifts.
      if deviation(of: millisecondOfDay, at: moment) <= Self.tolerance {
        start = Start(moment: moment, millisecondOfDay: millisecondOfDay)
      }
      return
    }
    guard let start, moment >= start.moment,
      deviation(of: millisecondOfDay, at: moment, from: start) <= Self.tolerance
    else {
      start = Start(moment: moment, millisecondOfDay: millisecondOfDay)
      return
    }
    isSteady = moment - start.moment >= Self.span
  }

  /// Difference from the time of day that the last epochs let expect, in ms; 0 without one.
  func deviation(of millisecondOfDay: Int64, at moment: Moment) -> Int64 {
    start.map { deviation(of: millisecondOfDay, at: moment, from: $0) } ?? 0
  }

  /// Difference between the elapsed times of receiver and boot clock in ms, at most half a day.
  private func deviation(of millisecondOfDay: Int64, at moment: Moment, from start: Start) -> Int64 {
    let day = Timestamp.millisecondsPerDay
    let elapsed = (moment - start.moment).wholeMilliseconds % day
    let difference = abs((millisecondOfDay &- start.millisecondOfDay &- elapsed) % day)
    return min(difference, day - difference)
  }
}
