import Quantities

/// The beat of a receiver whose interval is known: when the present epoch should be complete, and what follows
/// when it is not.
struct BurstPace: Equatable, Sendable {
  /// What follows a reading.
  enum Step: Equatable, Sendable {
    case read(at: Moment)
    /// Two epochs in a row stayed out: wait for bytes.
    case await
    /// The interval is not what it was.
    case relearn
  }

  let interval: Duration
  /// When the present epoch should be complete, and with it those that were left to gather before it.
  private(set) var due: Moment
  /// Epochs that should be complete by then and were not read yet.
  private(set) var outstanding = 1
  /// How often the present epoch was found incomplete.
  private var retries = 0
  /// Readings in a row that brought nothing.
  private var emptyReadings = 0
  /// How much earlier the next epoch is looked for.
  private var creep: Duration
  private let fastCreep: Duration
  /// Well above what two clocks drift apart in an interval (100 ppm).
  private let slowCreep: Duration
  /// How much later than this one the next epoch is looked for when this one was late.
  private let margin: Duration
  /// Epochs in a row that were complete when due.
  private var hits = 0
  /// Epochs closed since one stayed out.
  private var closedSinceSkip: Int
  /// The last epoch stayed out and was not waited for.
  private(set) var hasSkipped = false

  static let smallestCreep = Duration.microseconds(500)
  /// The first steps, while it is not known how long before the first reading the epoch was complete.
  static let firstCreep = Duration.milliseconds(8)
  static let largestCreep = Duration.milliseconds(32)
  /// So many hits in a row say that the epochs are complete well before they are looked for.
  static let manyHits = 40
  static let smallestMargin = Duration.milliseconds(5)
  static let firstRetry = Duration.milliseconds(15)
  /// Below the silence that closes an epoch.
  static let longestRetry = Duration.milliseconds(240)
  static let mostRetries = 6
  static let mostEmptyReadings = 3
  /// After so many epochs a missing one is chance and not a new interval.
  static let steady = 4

  /// `due`: when an epoch should be complete; it may be too late by what one step of learning takes.
  /// `isProven`: the interval was measured just now, and not before a silence.
  init(interval: Duration, due: Moment, isProven: Bool) {
    self.interval = interval
    self.due = due
    closedSinceSkip = isProven ? Self.steady : 0
    fastCreep = min(Self.largestCreep, interval / 8)
    slowCreep = max(Self.smallestCreep, interval / 5000)
    margin = max(Self.smallestMargin, interval / 200)
    creep = min(Self.firstCreep, interval / 8)
  }

  /// Whether the interval has held for long enough to leave epochs unread.
  var isSteady: Bool { closedSinceSkip >= Self.steady }

  /// All that should be complete was read, `count` epochs; the next to read is the `stride`th from here.
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

  /// `count` epochs were read, and not yet all that should be complete.
  mutating func epochIsIncomplete(_ count: Int, bytes: Int, now: Moment) -> Step {
    outstanding -= count
    emptyReadings = bytes == 0 ? emptyReadings + 1 : 0
    if emptyReadings >= Self.mostEmptyReadings { return skip() }
    guard retries < Self.mostRetries else { return .relearn }
    retries += 1
    return .read(at: now + min(Self.firstRetry * (1 << (retries - 1)), interval / 4, Self.longestRetry))
  }

  /// The line is quiet where an epoch should be: it stays out.
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

  /// When the last of `count` epochs that are being read now was complete.
  func completion(ofLast count: Int, now: Moment) -> Moment {
    min(now, due - interval * max(outstanding - count, 0))
  }

  /// The next epoch shall not be left to gather: it is read when it is complete.
  mutating func hasten(now: Moment) {
    guard outstanding > 1, due > now else { return }
    let left = min(Int(exactly: ((due - now) / interval).rounded(.down)) ?? 0, outstanding - 1)
    due = due - interval * left
    outstanding -= left
  }
}
