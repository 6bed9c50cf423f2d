import Quantities
import Records

/// Decides when the whole log is read for damage, and which log the findings are of.
///
/// A log that was found sound is not read again for a while: first ``shortestPause``, twice as long each time, up to
/// ``longestPause``. So it is read at most eight times a day, whoever asks.
struct Examination {
  private let examiner: any LogExaminer
  private var isReading = false
  /// The log that is, or was last read. One that was let go is none: its file was set aside.
  private weak var subject: LogDatabase?
  private var pause = Self.shortestPause
  private var lastSound: Moment?

  static let shortestPause = Duration.seconds(600)
  static let longestPause = Duration.seconds(86_400)

  init(_ examiner: any LogExaminer) { self.examiner = examiner }

  /// True if a request is not to be put off.
  func isPossible(now: Moment) -> Bool {
    guard !isReading else { return false }
    return lastSound.map { now - $0 >= pause } ?? true
  }

  /// Begins to read, if possible; false otherwise.
  mutating func begin(_ log: LogDatabase, now: Moment) -> Bool {
    guard isPossible(now: now), examiner.begin(log.connection.path, through: log.lastID) else { return false }
    (isReading, subject) = (true, log)
    return true
  }

  /// True if what was found is of this log, and not of one whose place it has taken meanwhile.
  func isOf(_ log: LogDatabase) -> Bool { subject === log }

  /// What was found, once; nil while the log is being read.
  mutating func take(now: Moment) -> LogFindings? {
    guard isReading, let findings = examiner.take() else { return nil }
    isReading = false
    guard subject != nil else { return nil }
    note(findings, now: now)
    return findings
  }

  private mutating func note(_ findings: LogFindings, now: Moment) {
    guard findings == LogFindings() else {
      // What could not be read is no reason to read it all the time.
      let isUnread = findings.damaged.isEmpty && findings.holes.isEmpty && findings.contradiction == nil
      (lastSound, pause) = (isUnread ? now : nil, Self.shortestPause)
      return
    }
    let isLongAgo = lastSound.map { now - $0 >= Self.longestPause } ?? true
    pause = isLongAgo ? Self.shortestPause : min(pause * 2, Self.longestPause)
    lastSound = now
  }
}
