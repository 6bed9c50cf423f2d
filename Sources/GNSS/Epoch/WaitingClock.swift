/// A ZDA that came outside the epoch that its time would name.
struct WaitingClock {
  let message: ZDA
  let time: EpochTime
  /// No epoch is less than a second away from it, so it may have one of its own.
  var isLone = true
  /// It shows the time at which the next epoch is due, or a later one.
  var isAhead = false
}
