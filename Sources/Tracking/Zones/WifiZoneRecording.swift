import Quantities

/// Decides when the place of a joined Wi-Fi zone becomes a record by itself: once for each time that it is joined, and no
/// more than once a minute however often the network comes and goes.
struct WifiZoneRecording: Sendable {
  /// Least time between two records of joining.
  static let shortestPause = Duration.seconds(60)
  /// A receiver that has just told a position is left this time to tell the next, which takes the place of the record.
  static let fixWait = Duration.seconds(2)
  /// While nobody knows the time, the system's clock is read again after this time. Every attempt doubles it.
  static let firstRetry = Duration.seconds(15)
  static let longestRetry = Duration.seconds(3600)

  /// The zone that was followed last.
  private(set) var zone: WifiZone?
  /// When the record of joining is due; nil if none is outstanding.
  private(set) var due: Moment?
  private var lastRecord: (zone: WifiZone, moment: Moment)?
  private var nextReading: Moment?
  private var retry = WifiZoneRecording.firstRetry

  /// The box is in another zone now, or in none.
  mutating func follow(_ zone: WifiZone?, now: Moment) {
    guard zone != self.zone else { return }
    self.zone = zone
    due = nil
    guard let zone else { return }
    guard let lastRecord, now - lastRecord.moment < Self.shortestPause else {
      due = now
      return
    }
    // A record of the same place is young enough.
    if lastRecord.zone != zone { due = lastRecord.moment + Self.shortestPause }
  }

  mutating func recorded(_ zone: WifiZone, now: Moment) {
    due = nil
    lastRecord = (zone, now)
  }

  mutating func postpone(until moment: Moment) { due = moment }

  mutating func cancel() { due = nil }

  // MARK: The time

  /// True if the system's clock is to be read now.
  mutating func readsClock(now: Moment) -> Bool {
    guard nextReading.map({ now >= $0 }) ?? true else { return false }
    nextReading = now + retry
    retry = min(retry + retry, Self.longestRetry)
    return true
  }

  /// Somebody waits, or the network has changed: the clock may be read at once.
  mutating func expectTime() {
    nextReading = nil
    retry = Self.firstRetry
  }

  /// Nil if only an event can change anything. Without a known time nothing can be recorded.
  func nextTimeout(isTimeKnown: Bool) -> Moment? { isTimeKnown ? due : nextReading }
}
