import DaySupport
import Quantities
import Records

extension TrackedDay {
  static let morning = Duration.seconds(6 * 3600)
  static let work = Duration.seconds(9 * 3600)

  /// A working day of 24 hours from midnight on: at home, 12 km to work, and home again.
  func commute() {
    let start = now
    stop(Self.morning)
    drive(12_000, at: 15)
    stop(Self.work)
    drive(12_000, at: 15, course: 270)
    stop(until: start + .seconds(86_400))
  }

  /// Adds a stationary time until then.
  func stop(until end: Moment) {
    let left: Duration = end - now
    stop(left)
  }

  /// The receiver on such a day without faults.
  static func undisturbedCommute() -> TrackedDay {
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.commute()
    return day
  }

  /// The times in ms of the locations that had to be stored.
  var recordedTimes: [Int64] { points.map(\.time.milliseconds) }

  /// The records for servers: locations, visits, trips, actions.
  var sent: Int { records.filter(\.body.isSent).count }
}
