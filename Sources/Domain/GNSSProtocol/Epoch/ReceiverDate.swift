import Quantities

extension CalendarDate {
  /// A date from a receiver. Fails for days that do not exist, and for years before the start of GPS time
  /// (1980) or after 2099, which receivers send only without a known date.
  init?(ofReceiver year: Int, month: Int, day: Int) {
    guard (1980...2099).contains(year) else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
