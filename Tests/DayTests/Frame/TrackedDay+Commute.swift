import DaySupport
import Quantities
import Records

extension TrackedDay {
  static let morning = Duration.seconds(6 * 3600)
  static let work = Duration.seconds(9 * 3600)

  /// A working day of 24 hours from midnight on: home, twelve kilometres to work, and home again.
  mutating func commute() {
    let start = now
    rest(Self.morning)
    drive(12_000, at: 15)
    rest(Self.work)
    drive(12_000, at: 15, course: 270)
    rest(until: start + .seconds(86_400))
  }

  /// Stands still until then.
  mutating func rest(until end: Moment) {
    let left: Duration = end - now
    rest(left)
  }

  /// What the receiver does on such a day when nothing is wrong with the box.
  static func undisturbedCommute() -> TrackedDay {
    var day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.commute()
    return day
  }

  /// The milliseconds of the positions that were to be kept.
  var toldTimes: [Int64] { points.map(\.time.milliseconds) }

  /// What goes to servers: positions, visits, trips, actions.
  var sent: Int { records.filter(\.body.isSent).count }
}
