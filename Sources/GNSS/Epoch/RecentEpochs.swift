import Quantities

/// The times of the last two epochs, so that a message that comes late for one of them opens no second.
///
/// Older times are forgotten: a clock that was set back starts a new stretch, and its epochs are kept. Set
/// back by one or two epochs it repeats times that were given already, and those give no second fix.
struct RecentEpochs {
  private var last: EpochTime?
  private var beforeLast: EpochTime?
  private var noted = Moment.zero

  /// Nanoseconds. A message is late by seconds; the same time of day after a longer pause is another day.
  static let longestDelay: Int64 = 60_000_000_000

  /// There is a last epoch and it is not long ago.
  @inline(__always)
  func areFresh(now: Moment) -> Bool {
    last != nil && now.nanoseconds &- noted.nanoseconds < Self.longestDelay
  }

  /// One of the two epochs has this time, however long ago it was.
  @inline(__always)
  func contains(_ time: EpochTime) -> Bool {
    last?.isSameInstant(as: time) ?? false || beforeLast?.isSameInstant(as: time) ?? false
  }

  mutating func note(_ time: EpochTime, now: Moment) {
    beforeLast = last
    last = time
    noted = now
  }
}
