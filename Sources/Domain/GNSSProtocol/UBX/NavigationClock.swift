import Quantities

/// Converts iTOW to UTC.
///
/// NAV-PVT and NAV-TIMEUTC hold UTC themselves. For other messages it is iTOW minus the receiver's leap
/// seconds: from NAV-PVT, NAV-TIMEUTC or NAV-TIMELS, else from the date of NAV-SOL, else the current ones.
struct NavigationClock: Sendable {
  private var iTOW: UInt32?
  private var time: EpochTime?
  private var leapSeconds: Int?
  /// A GPS week and an iTOW in it.
  private var week: (number: Int, iTOW: UInt32)?

  /// True if two iTOWs belong to one epoch: a receiver that reads its clock for every message has some
  /// milliseconds between them.
  @inline(__always)
  static func isSameEpoch(_ iTOW: UInt32, _ other: UInt32?) -> Bool {
    guard let other else { return false }
    let distance = iTOW > other ? iTOW &- other : other &- iTOW
    return distance < jitter || distance &- (week &- jitter + 1) < jitter * 2 - 1
  }

  /// Milliseconds, as for ``EpochTime/isSameInstant(as:)``. The fastest receivers have 25 ms between epochs.
  private static let jitter: UInt32 = 10
  private static let week = UInt32(LeapSeconds.millisecondsPerWeek)

  /// The time that identifies the epoch of `iTOW`, the same for all iTOWs of an epoch.
  mutating func time(of iTOW: UInt32) -> EpochTime? {
    guard let time = timeNow(of: iTOW) else { return nil }
    if !Self.isSameEpoch(iTOW, self.iTOW) { remember(iTOW, time) }
    return time
  }

  /// The same time, without a change of state.
  func timeNow(of iTOW: UInt32) -> EpochTime? {
    if Self.isSameEpoch(iTOW, self.iTOW) { return time }
    guard Int64(iTOW) < LeapSeconds.millisecondsPerWeek else { return nil }
    return EpochTime(
      exact: LeapSeconds.millisecondOfDay(ofWeek: Int64(iTOW), leapSeconds: leapSecondsNow(iTOW)))
  }

  /// UTC of `iTOW`; nil until a message with the week arrived.
  func timestamp(of iTOW: UInt32) -> Timestamp? {
    guard Int64(iTOW) < LeapSeconds.millisecondsPerWeek, let week = weekNumber(of: iTOW) else { return nil }
    return LeapSeconds.utc(week: week, millisecondOfWeek: Int64(iTOW), leapSeconds: leapSeconds)
  }

  mutating func record(_ iTOW: UInt32, is time: EpochTime?) {
    guard let time else { return }
    recordLeapSeconds(iTOW, millisecondOfDay: Int64(time.millisecond))
    remember(iTOW, time)
  }

  mutating func record(_ message: NavTIMEUTC) {
    guard message.isTimeValid, let utc = message.utc else { return }
    recordLeapSeconds(message.iTOW, millisecondOfDay: utc.millisecondOfDay)
    guard message.isWeekValid, let leapSeconds else { return }
    let sinceStart = utc.milliseconds - LeapSeconds.start + Int64(leapSeconds) * 1000 - Int64(message.iTOW)
    week = (
      Int((sinceStart + LeapSeconds.millisecondsPerWeek / 2) / LeapSeconds.millisecondsPerWeek), message.iTOW
    )
  }

  mutating func record(_ message: NavTIMELS) { leapSeconds = message.currLs ?? leapSeconds }

  mutating func record(_ message: NavSOL) {
    if message.isTimeSet, let number = message.week { week = (number, message.iTOW) }
  }

  private mutating func remember(_ iTOW: UInt32, _ time: EpochTime) {
    self.iTOW = iTOW
    self.time = time
    if let number = weekNumber(of: iTOW) { week = (number, iTOW) }
  }

  /// The GPS week of an iTOW near the last one.
  private func weekNumber(of iTOW: UInt32) -> Int? {
    guard let week else { return nil }
    let step = Int64(iTOW) - Int64(week.iTOW)
    if step < -LeapSeconds.millisecondsPerWeek / 2 { return week.number + 1 }
    return step > LeapSeconds.millisecondsPerWeek / 2 ? week.number - 1 : week.number
  }

  private func leapSecondsNow(_ iTOW: UInt32) -> Int {
    if let leapSeconds { return leapSeconds }
    guard let week = weekNumber(of: iTOW) else { return LeapSeconds.current }
    return LeapSeconds.count(atGPS: Int64(week) * LeapSeconds.millisecondsPerWeek + Int64(iTOW))
  }

  /// Derives the leap seconds from an iTOW and its UTC time of day.
  private mutating func recordLeapSeconds(_ iTOW: UInt32, millisecondOfDay: Int64) {
    let day = Timestamp.millisecondsPerDay
    let difference = (Int64(iTOW) - millisecondOfDay + 500) % day
    let seconds = Int((difference < 0 ? difference + day : difference) / 1000)
    if LeapSeconds.plausible.contains(seconds) { leapSeconds = seconds }
  }
}
