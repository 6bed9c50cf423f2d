import Quantities
import Records

/// Finds the gaps of a part of a log that begin within a period, with their full length and all of their reasons.
///
/// It takes records in the order of their ids, also some after the period: until the last gap is over, and its reasons
/// are reported. Records before the period let it find a gap that is already in progress, and what explains it.
public struct GapWindow: Sendable {
  private var search: GapSearch
  /// Gaps that begin earlier are not returned.
  private let floor: Timestamp?
  /// The last time at which a gap may begin.
  private var last: Timestamp?
  /// The time of the first location after ``last``.
  private var beyond: Timestamp?
  /// True if no further record is needed.
  public private(set) var isOver = false

  /// Creates a search for gaps longer than `longest` that begin within `floor` and `last`.
  public init(longest: Duration, floor: Timestamp? = nil, last: Timestamp? = nil) {
    search = GapSearch(longest: longest)
    (self.floor, self.last) = (floor, last)
  }

  /// Ends the period earlier: only gaps that begin before `time` are returned.
  public mutating func end(before time: Timestamp) {
    let earlier = time + .milliseconds(-1)
    last = last.map { min($0, earlier) } ?? earlier
  }

  /// Adds the next record, and returns the gaps that are complete.
  public mutating func take(_ record: LogRecord, isDisclosed: Bool = true) -> [GapSearch.Gap] {
    guard !isOver else { return [] }
    if let last, let time = record.time, time > last {
      let isLocation = if case .location = record.body { true } else { false }
      if let beyond {
        guard time - beyond <= GapSearch.reportDelay else { return finish(at: nil) }
        if isLocation { return [] }
      } else if isLocation {
        beyond = time
      }
    }
    return chosen(search.take(record, isDisclosed: isDisclosed))
  }

  /// Returns the remaining gaps. `end` is the time of the last record of the log; nil if the log continues.
  public mutating func finish(at end: Timestamp?) -> [GapSearch.Gap] {
    isOver = true
    return chosen(search.finish(at: beyond == nil ? end : nil))
  }

  private func chosen(_ gaps: [GapSearch.Gap]) -> [GapSearch.Gap] {
    gaps.filter { gap in floor.map { gap.from >= $0 } ?? true && last.map { gap.from <= $0 } ?? true }
  }
}
