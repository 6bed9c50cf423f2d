/// A ZDA that arrived outside the epoch of its time.
struct WaitingClock {
  let message: ZDA
  let time: EpochTime
  /// True if no epoch is within a second of it, so it may become a separate epoch.
  var isLone = true
  /// True if it shows the time of the next epoch or a later one.
  var isAhead = false
}
