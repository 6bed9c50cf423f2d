import Records

/// The check of the whole log after a start, in steps. It begins where an earlier one was interrupted.
struct StartCheck {
  private enum Phase: Equatable {
    case notBegun
    /// Reads to the end of the log; it began after this id.
    case toEnd(from: Int64)
    /// Reads the part before the id after which it began.
    case fromBeginning(through: Int64)
    case over
  }

  /// The number of records in a step: 100,000 records take 49 steps.
  static let rows = 2048

  private var phase = Phase.notBegun
  private var readIDs: Int64 = 0

  var isOver: Bool { phase == .over }
  /// True while steps are being made.
  var isRunning: Bool { phase != .over && phase != .notBegun }

  /// Begins after the last id that an earlier pass has read; 0 for the beginning.
  mutating func begin(after checked: Int64) {
    guard phase == .notBegun else { return }
    phase = .toEnd(from: checked)
  }

  /// Ends the check, because the log is new or was just copied record by record.
  mutating func end() { phase = .over }

  /// Takes over a step that read the ids between two others, to the end of the log if `isAtEnd`.
  mutating func take(from before: Int64, through passed: Int64, isAtEnd: Bool) {
    readIDs += max(0, passed - before)
    switch phase {
    case .toEnd(let from) where isAtEnd: phase = from > 0 ? .fromBeginning(through: from) : .over
    case .fromBeginning(let end) where isAtEnd || passed >= end: phase = .over
    case .notBegun, .toEnd, .fromBeginning, .over: break
    }
  }

  /// The progress, for a log whose records have these ids.
  func progress(first: Int64, last: Int64, took: Duration) -> CheckedPart {
    let count = max(0, last - first + 1)
    return CheckedPart(
      unchecked: isOver ? 0 : max(0, count - readIDs), isOver: isOver, took: took)
  }
}

/// The progress of the check after a start.
public struct CheckedPart: Equatable, Sendable {
  /// The number of records that were not read yet since the start.
  public var unchecked: Int64
  public var isOver: Bool
  /// The duration of the step.
  public var took: Duration

  public init(unchecked: Int64, isOver: Bool, took: Duration) {
    self.unchecked = unchecked
    self.isOver = isOver
    self.took = took
  }
}
