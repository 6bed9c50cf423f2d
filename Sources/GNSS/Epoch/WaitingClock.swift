/// A ZDA that arrived outside the epoch of its time.
struct WaitingClock {
  let message: ZDA
  let time: EpochTime
  /// True if no epoch is within a second of it, so it may become an epoch of its own.
  var isLone = true
  /// True if it shows the time of the next epoch or a later one.
  var isAhead = false
}
