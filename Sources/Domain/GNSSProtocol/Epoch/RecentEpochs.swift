import Quantities

/// The times of the last two epochs, so that a late message for one of them does not open an epoch again.
///
/// Older times are discarded: epochs after a clock step back are new epochs. After a step back by one or two
/// epochs, the repeated times give no second fix.
struct RecentEpochs {
  private var last: EpochTime?
  private var beforeLast: EpochTime?
  private var recorded = Moment.zero

  /// Longest delay of a late message in nanoseconds. Late messages are late by seconds; the same time of day after a
  /// longer pause is another day.
  static let longestDelay: Int64 = 60_000_000_000

  /// True if there is a last epoch and it is recent.
  @inline(__always)
  func areFresh(now: Moment) -> Bool {
    last != nil && now.nanoseconds &- recorded.nanoseconds < Self.longestDelay
  }

  /// True if one of the two epochs has this time, however long ago it was.
  @inline(__always)
  func contains(_ time: EpochTime) -> Bool {
    last?.isSameInstant(as: time) ?? false || beforeLast?.isSameInstant(as: time) ?? false
  }

  mutating func record(_ time: EpochTime, now: Moment) {
    beforeLast = last
    last = time
    recorded = now
  }
}
