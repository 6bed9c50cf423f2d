import Quantities

/// The system clock beside an epoch of the receiver.
struct SystemTime: Equatable, Sendable {
  /// The system's UTC.
  var utc: Timestamp
  /// True if a time service disciplines the clock.
  var isSynchronised: Bool

  /// Largest difference of two clocks that agree, in ms.
  static let agreement = Timestamp.millisecondsPerDay

  /// True if the clock shows the time within a day.
  func agrees(with time: Timestamp) -> Bool {
    (utc.milliseconds &- time.milliseconds).magnitude <= Self.agreement.magnitude
  }
}

/// The dates that a session believes. The daemon gives them to the tracker.
///
/// A live session has an earliest date: the latest of the program's release, the last dated record of the log, and a
/// synchronised system clock, with a tolerance of a day. The release is a hard limit, because every date that a week
/// rollover has spoilt is older. The other two can be wrong themselves, so much evidence overrides them.
public struct DateBounds: Equatable, Sendable {
  /// What is known about a date by itself.
  enum Verdict: Equatable {
    /// The date, repaired if necessary, counts by itself.
    case credible(Timestamp)
    /// The date contradicts something else, so that much evidence is required.
    case doubtful(Timestamp, DateEvidence)
    /// The date is impossible: the epoch counts as undated.
    case impossible
  }

  /// The dates of a recording: 2017 to the system clock.
  public static let recording = DateBounds(floor: WeekRollover.floor, isLive: false)
  /// The dates of a live session of this program.
  public static let live = DateBounds(release: Release.date)

  private let floor: Timestamp
  /// True for a session with a receiver, false for a recording.
  let isLive: Bool
  private var lastRecord: Timestamp?

  private init(floor: Timestamp, isLive: Bool) {
    self.floor = floor
    self.isLive = isLive
  }

  /// The dates of a live session of a program that was released on a day.
  public init(release: Timestamp) { self.init(floor: release, isLive: true) }

  /// Adds the time of the last dated record of the log; nil for none.
  public mutating func add(lastRecord time: Timestamp?) { lastRecord = time ?? lastRecord }

  /// Time by which two right clocks may differ: an older log, a release in another time zone.
  private static let tolerance = Duration.seconds(86_400)
  /// Ten years after the release: the latest date without a synchronised clock.
  private static let longestUse = Duration.seconds(3653 * 86_400)
  /// Twenty years after the release: the latest date of a recording without a system clock.
  private static let longestRecording = Duration.seconds(7305 * 86_400)

  /// Judges the time of another clock than the receiver's, which no other time confirms.
  func admits(_ time: Timestamp, of quality: ClockQuality) -> Bool {
    guard time > (isLive ? floor : Release.date) else { return false }
    guard isLive, quality < .network else { return true }
    return time <= floor + Self.longestUse && time >= earliest(nil)
  }

  /// Judges a date of the receiver.
  func judge(_ date: Timestamp, _ system: SystemTime) -> Verdict {
    isLive ? judgeLive(date, system) : judgeRecorded(date, system)
  }

  private func judgeRecorded(_ date: Timestamp, _ system: SystemTime) -> Verdict {
    let latest = WeekRollover.latest(systemClock: system.utc)
    let date = WeekRollover.repair(date, earliest: floor, latest: latest)
    guard date >= floor else { return .doubtful(date, .second) }
    guard date <= (latest ?? Release.date + Self.longestRecording) + Self.tolerance else {
      return .doubtful(date, .seconds)
    }
    return .credible(date)
  }

  private func judgeLive(_ date: Timestamp, _ system: SystemTime) -> Verdict {
    let hard = floor + (.zero - Self.tolerance)
    let isSystemSet = system.utc >= hard
    let synchronised = system.isSynchronised && isSystemSet ? system.utc : nil
    let latest = synchronised.map { $0 + Self.tolerance } ?? floor + Self.longestUse
    let earliest = earliest(synchronised)
    var date = date
    if date < hard {
      date = WeekRollover.repair(date, earliest: earliest, latest: latest)
      guard date >= earliest else { return .impossible }
    }
    guard date >= earliest else {
      // Log and receiver differ. A clock of the host that shows the receiver's date makes it more probable.
      return .doubtful(date, isSystemSet && system.agrees(with: date) ? .minutes : .hour)
    }
    guard date <= latest else { return .doubtful(date, synchronised == nil ? .minutes : .hour) }
    // A clock that nothing synchronises may be slow, such as one that is restored from a file at boot.
    if isSystemSet, date > system.utc + Self.tolerance { return .doubtful(date, .seconds) }
    return .credible(date)
  }

  /// The earliest date. A last record that lies in the future by the other limits does not count: its date was wrong.
  private func earliest(_ synchronised: Timestamp?) -> Timestamp {
    let latest = synchronised.map { $0 + Self.tolerance } ?? floor + Self.longestUse
    let known = lastRecord.flatMap { $0 <= latest ? $0 : nil }
    return max(floor, known ?? floor, synchronised ?? floor) + (.zero - Self.tolerance)
  }
}
