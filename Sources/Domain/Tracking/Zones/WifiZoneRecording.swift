import Quantities

/// Schedules records of a joined Wi-Fi zone: one each time it is joined, and at most one a minute.
struct WifiZoneRecording: Sendable {
  /// Shortest time between two records of joining.
  static let shortestPause = Duration.seconds(60)
  /// Time to wait for the next position of a tracking receiver, which replaces the record.
  static let fixWait = Duration.seconds(2)
  /// Time after which the system clock is read again while the time is unknown. Every attempt doubles it.
  static let firstRetry = Duration.seconds(15)
  static let longestRetry = Duration.seconds(3600)

  /// The zone at the last call.
  private(set) var zone: WifiZone?
  /// The time of the next record; nil if none is outstanding.
  private(set) var due: Moment?
  private var lastRecord: (zone: WifiZone, moment: Moment)?
  private var nextReading: Moment?
  private var retry = WifiZoneRecording.firstRetry

  /// Processes the present zone; nil outside.
  mutating func follow(_ zone: WifiZone?, now: Moment) {
    guard zone != self.zone else { return }
    self.zone = zone
    due = nil
    guard let zone else { return }
    guard let lastRecord, now - lastRecord.moment < Self.shortestPause else {
      due = now
      return
    }
    // A record of the same location is recent enough.
    if lastRecord.zone != zone { due = lastRecord.moment + Self.shortestPause }
  }

  mutating func recorded(_ zone: WifiZone, now: Moment) {
    due = nil
    lastRecord = (zone, now)
  }

  mutating func postpone(until moment: Moment) { due = moment }

  mutating func cancel() { due = nil }

  // MARK: The time

  /// True if the system clock should be read now.
  mutating func readsClock(now: Moment) -> Bool {
    guard nextReading.map({ now >= $0 }) ?? true else { return false }
    nextReading = now + retry
    retry = min(retry + retry, Self.longestRetry)
    return true
  }

  /// Allows an immediate reading of the clock, because of a request or another network.
  mutating func expectTime() {
    nextReading = nil
    retry = Self.firstRetry
  }

  /// The next deadline; nil if only an event can change anything. Nothing is recorded while the time is unknown.
  func nextTimeout(isTimeKnown: Bool) -> Moment? { isTimeKnown ? due : nextReading }
}
