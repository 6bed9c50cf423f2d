import Database
import Quantities
import Records

extension LogReader {
  /// Where to begin to read a period, so that its gaps and states are known from its start on.
  public struct Lead: Sendable {
    /// Reading begins after this id.
    public var first: RecordID
    /// Records through this id are before the period.
    public var start: RecordID
    /// The time of the last location before the period, or the start of the period; nil without either. A gap of the
    /// period begins no earlier.
    public var floor: Timestamp?
  }

  /// The ids before a period among which the last location is searched.
  private static let reach: Int64 = 5000
  /// The number of records before the last location that show states and reasons that are still in force.
  private static let leading: Int64 = 500

  /// Returns the lead to a period from a time on, or to what follows an id within it.
  public func lead(to from: Timestamp?, after id: RecordID? = nil) throws(DatabaseError) -> Lead {
    let start: RecordID
    if let id {
      start = id
    } else if let from {
      start = try lastID(before: from)
    } else {
      start = .zero
    }
    guard start > .zero else { return Lead(first: .zero, start: .zero, floor: from) }
    let seed = try lastLocation(through: start, among: Self.reach)
    let first = min(seed?.id ?? start, start).rawValue - Self.leading
    var floor = from
    if let seed { floor = id == nil ? floor.map { min($0, seed.time) } : seed.time }
    return Lead(first: RecordID(max(first, 0)), start: start, floor: floor)
  }
}
