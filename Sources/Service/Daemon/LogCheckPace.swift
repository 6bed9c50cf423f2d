import Quantities
import Store

/// The pace of the check of the log after a start: when its next step is due, until it is over.
///
/// A step a second reads 100,000 records within a minute. A slow processor or card takes longer pauses, so that the steps
/// take at most 5 % of a core. Nothing keeps the host awake for it: it goes on when the host is awake, and after a restart
/// where it was.
struct LogCheckPace {
  /// The time from the opening of the log to the first step, which a start has for itself.
  static let delay = Duration.seconds(2)
  /// The shortest time from one step to the next.
  static let interval = Duration.seconds(1)
  /// The pause while the log cannot be read or written.
  static let pauseAfterFailure = Duration.seconds(300)
  /// The pause after a step, by its duration: 19 gives 5 % of a core.
  static let restPerWork = 19

  /// The last progress; nil before the first step.
  private(set) var part: CheckedPart?
  /// The time of the next step; nil if none is due.
  private(set) var next: Moment?

  /// The number of records not checked since the start; nil if all are.
  var unchecked: Int64? { part.flatMap { $0.isOver ? nil : $0.unchecked } }

  /// Begins when the log is open, with its number of records.
  mutating func begin(records: Int64, now: Moment) {
    guard part == nil, next == nil else { return }
    part = CheckedPart(unchecked: records, isOver: false, took: .zero)
    next = now + Self.delay
  }

  /// Returns true if a step is due, which is now posted.
  mutating func beginStep(isPossible: Bool, now: Moment) -> Bool {
    guard let due = next, now >= due, part?.isOver != true else { return false }
    guard isPossible else {
      next = now + Self.pauseAfterFailure
      return false
    }
    next = now + max(Self.interval, (part?.took ?? .zero) * Self.restPerWork)
    return true
  }

  /// Takes over the result of a step. After the last one nothing is due.
  mutating func take(_ part: CheckedPart, now: Moment) {
    self.part = part
    if part.isOver {
      next = nil
    } else if let due = next {
      next = max(due, now + part.took * Self.restPerWork)
    }
  }
}
