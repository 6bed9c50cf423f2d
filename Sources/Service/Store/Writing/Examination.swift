import Quantities
import Records

/// Schedules full checks of the log, and remembers which log the findings belong to.
///
/// After a check without findings the next one is delayed, at first by ``shortestPause``. The delay doubles up to
/// ``longestPause``. So at most eight checks a day run, however many are requested.
struct Examination {
  private let examiner: any LogExaminer
  private var isReading = false
  /// The log of the current or last check; nil once that log was released, because its file was replaced.
  private weak var subject: LogDatabase?
  private var backoff = Backoff(from: Self.shortestPause, upTo: Self.longestPause)
  private var lastSound: Moment?

  static let shortestPause = Duration.seconds(600)
  static let longestPause = Duration.seconds(86_400)

  init(_ examiner: any LogExaminer) { self.examiner = examiner }

  /// True if a check may start now.
  func isPossible(now: Moment) -> Bool {
    guard !isReading else { return false }
    return lastSound.map { now - $0 >= backoff.upcoming } ?? true
  }

  /// Starts a check, if possible; false otherwise.
  mutating func begin(_ log: LogDatabase, now: Moment) -> Bool {
    guard isPossible(now: now), examiner.begin(log.connection.path, through: log.lastID) else { return false }
    (isReading, subject) = (true, log)
    return true
  }

  /// True if the findings belong to this log, and not to one that it has replaced meanwhile.
  func isOf(_ log: LogDatabase) -> Bool { subject === log }

  /// Returns the findings once; nil while the check runs.
  mutating func take(now: Moment) -> LogFindings? {
    guard isReading, let findings = examiner.take() else { return nil }
    isReading = false
    guard subject != nil else { return nil }
    recordResult(findings, now: now)
    return findings
  }

  private mutating func recordResult(_ findings: LogFindings, now: Moment) {
    guard findings == LogFindings() else {
      // A read error alone must not lead to continuous checks.
      let isUnread = findings.damaged.isEmpty && findings.holes.isEmpty && findings.contradiction == nil
      lastSound = isUnread ? now : nil
      backoff.reset()
      return
    }
    let isLongAgo = lastSound.map { now - $0 >= Self.longestPause } ?? true
    if isLongAgo { backoff.reset() } else { _ = backoff.next() }
    lastSound = now
  }
}
