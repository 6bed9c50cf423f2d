import Records

/// The records that wait in memory until they can be written: a bounded list that drops locations before events.
public struct WaitingRecords: Sendable {
  let limit: Int
  public private(set) var records: [LogRecord] = []
  /// Number of dropped records that would have been sent, until the log has an event about them.
  public private(set) var dropped = 0

  /// Creates an empty list of at most `limit` records.
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
    // Drops a tenth at a time, so that a full list is not moved with every group.
    var surplus = records.count - limit + limit / 10
    records.removeAll { record in
      guard surplus > 0, case .location = record.body else { return false }
      surplus -= 1
      dropped += 1
      return true
    }
    // No locations are left: drop the oldest of the others. Events are not counted, because they are not sent.
    guard records.count > limit else { return }
    let oldest = records.count - limit
    dropped += records.prefix(oldest).count { $0.body.isSent }
    records.removeFirst(oldest)
  }

  public mutating func clear() {
    records = []
    dropped = 0
  }
}
