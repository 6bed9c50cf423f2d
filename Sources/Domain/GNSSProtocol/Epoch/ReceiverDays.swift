import Quantities

/// Converts the dates of a receiver to days since 1970-01-01. The last one is cached, because it is valid for
/// a day of epochs.
struct ReceiverDays {
  private var year: UInt16 = 0
  private var month: UInt8 = 0
  private var dayOfMonth: UInt8 = 0
  private var known: Int?

  /// The date in days since 1970-01-01; nil for an invalid date.
  @inline(__always)
  mutating func day(year: UInt16, month: UInt8, day: UInt8) -> Int? {
    if year != self.year || month != self.month || day != dayOfMonth {
      (self.year, self.month, dayOfMonth) = (year, month, day)
      known = CalendarDate(ofReceiver: Int(year), month: Int(month), day: Int(day))?.daysSince1970
    }
    return known
  }
}
