import Quantities
import System

/// The local days of this host that are searched for positions of a device, each with its own offset from UTC.
struct FleetDays {
  /// The number of days before each end.
  private static let count = 60

  private(set) var names: [String] = []
  private(set) var begins: [Timestamp] = []
  /// The ends, which are excluded.
  private(set) var ends: [Timestamp] = []

  /// The days that end at one of these times.
  init(endingAt times: [Timestamp]) {
    var numbers: Set<Int> = []
    for time in times {
      let last = LocalTime.day(of: time)
      numbers.formUnion(last - Self.count + 1...last)
    }
    for number in numbers.sorted() {
      names.append(String(Timestamp(CalendarDate(daysSince1970: number)).iso8601().prefix(10)))
      begins.append(LocalTime.midnight(of: number))
      ends.append(LocalTime.midnight(of: number + 1))
    }
  }
}
