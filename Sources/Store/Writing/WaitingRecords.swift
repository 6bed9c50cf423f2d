import Records

/// Records that cannot be written at the moment: bounded, events outlive locations.
public struct WaitingRecords: Sendable {
  let limit: Int
  public private(set) var records: [LogRecord] = []
  /// Locations that found no room, not yet told in the log.
  public private(set) var dropped = 0

  /// Holds at most `limit` records.
  public init(limit: Int) { self.limit = limit }

  public var isEmpty: Bool { records.isEmpty }

  public mutating func add(_ new: [LogRecord]) {
    if records.isEmpty { records = new } else { records += new }
    keepWithinLimit()
  }

  public mutating func add(_ record: LogRecord) {
    records.append(record)
    keepWithinLimit()
  }

  private mutating func keepWithinLimit() {
    guard records.count > limit else { return }
    // A tenth at once, so that a full memory does not move every record with each group.
    var surplus = records.count - limit + limit / 10
    records.removeAll { record in
      guard surplus > 0, case .location = record.body else { return false }
      surplus -= 1
      dropped += 1
      return true
    }
    // Nothing but events: the oldest have to go.
    if records.count > limit { records.removeFirst(records.count - limit) }
  }

  public mutating func clear() {
    records = []
    dropped = 0
  }
}
