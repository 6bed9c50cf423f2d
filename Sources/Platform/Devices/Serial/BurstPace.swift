import Quantities

/// Timing of a receiver whose interval is known: when the present epoch should be complete, and the next step
/// if it is not.
struct BurstPace: Equatable, Sendable {
  /// The next step after a reading.
  enum Step: Equatable, Sendable {
    case read(at: Moment)
    /// Two successive epochs are missing; bytes are awaited.
    case await
    /// The interval has changed.
    case relearn
  }

  let interval: Duration
  /// The time at which the present epoch should be complete, and with it the earlier epochs left unread in
  /// the buffer.
  private(set) var due: Moment
  /// Number of epochs that should be complete at `due` and were not read yet.
  private(set) var outstanding = 1
  /// Number of times that the present epoch was found incomplete.
  private var retries = 0
  /// Number of successive readings without bytes.
  private var emptyReadings = 0
  /// The amount by which the next reading is moved forward.
  private var creep: Duration
  private let fastCreep: Duration
  /// Correction per interval, well above the drift between two clocks in an interval (100 ppm).
  private let slowCreep: Duration
  /// The amount by which the next reading is delayed after a late epoch.
  private let margin: Duration
  /// Number of successive epochs that were complete when due.
  private var hits = 0
  /// Number of epochs closed since one was missing.
  private var closedSinceSkip: Int
  /// True if the last epoch was missing and was not waited for.
  private(set) var hasSkipped = false

  static let smallestCreep = Duration.microseconds(500)
  /// First step, while it is unknown how long before the first reading the epoch was complete.
  static let firstCreep = Duration.milliseconds(8)
  static let largestCreep = Duration.milliseconds(32)
  /// Number of successive hits that show that epochs are complete well before they are read.
  static let manyHits = 40
  static let smallestMargin = Duration.milliseconds(5)
  static let firstRetry = Duration.milliseconds(15)
  /// Longest delay of a retry; shorter than the silence that closes an epoch.
  static let longestRetry = Duration.milliseconds(240)
  static let mostRetries = 6
  static let mostEmptyReadings = 3
  /// Number of epochs after which a missing one is an exception and not a new interval.
  static let steady = 4

  /// Creates the timing. `due` is the time at which an epoch should be complete; it may be late by one learning step.
  /// `isProven` is true if the interval was measured just now, not before a silence.
  init(interval: Duration, due: Moment, isProven: Bool) {
    self.interval = interval
    self.due = due
    closedSinceSkip = isProven ? Self.steady : 0
    fastCreep = min(Self.largestCreep, interval / 8)
    slowCreep = max(Self.smallestCreep, interval / 5000)
    margin = max(Self.smallestMargin, interval / 200)
    creep = min(Self.firstCreep, interval / 8)
  }

  /// True if the interval has been stable for long enough to leave epochs unread.
  var isSteady: Bool { closedSinceSkip >= Self.steady }

  /// Handles a reading of `count` epochs, all that were due; the next one to read is the `stride`th from
  /// here.
  mutating func epochsClosed(_ count: Int, stride: Int, now: Moment) -> Step {
    outstanding = stride
    if retries == 0 {
      hits += 1
      due = due + interval * stride - creep
      if hits >= Self.manyHits || creep > slowCreep {
        creep = min(creep + creep, fastCreep)
      }
    } else {
      hits = 0
      creep = slowCreep
      due = now + interval * stride + margin
    }
    retries = 0
    emptyReadings = 0
    hasSkipped = false
    closedSinceSkip = min(closedSinceSkip + count, Self.steady)
    return .read(at: due)
  }

  /// Handles a reading of `count` epochs, fewer than were due.
  mutating func epochIsIncomplete(_ count: Int, bytes: Int, now: Moment) -> Step {
    outstanding -= count
    emptyReadings = bytes == 0 ? emptyReadings + 1 : 0
    if emptyReadings >= Self.mostEmptyReadings { return skip() }
    guard retries < Self.mostRetries else { return .relearn }
    retries += 1
    return .read(at: now + min(Self.firstRetry * (1 << (retries - 1)), interval / 4, Self.longestRetry))
  }

  /// Handles a quiet line when an epoch is due: the epoch counts as missing.
  private mutating func skip() -> Step {
    if hasSkipped { return .await }
    guard closedSinceSkip >= Self.steady else { return .relearn }
    hasSkipped = true
    closedSinceSkip = 0
    retries = 0
    emptyReadings = 0
    outstanding = 1
    due = due + interval
    return .read(at: due)
  }

  /// The time at which the last of the `count` epochs now being read was complete.
  func completion(ofLast count: Int, now: Moment) -> Moment {
    min(now, due - interval * max(outstanding - count, 0))
  }

  /// Reads the next epoch when it is complete, instead of leaving it in the buffer.
  mutating func bringForward(now: Moment) {
    guard outstanding > 1, due > now else { return }
    let left = min(Int(exactly: ((due - now) / interval).rounded(.down)) ?? 0, outstanding - 1)
    due = due - interval * left
    outstanding -= left
  }
}
