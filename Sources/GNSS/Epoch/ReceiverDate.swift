import Quantities

extension CalendarDate {
  /// A date as a receiver gives it; fails for days that the calendar lacks, and before GPS time began (1980) or after
  /// 2099, which a receiver says only when it knows none.
  init?(ofReceiver year: Int, month: Int, day: Int) {
    guard (1980...2099).contains(year) else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
