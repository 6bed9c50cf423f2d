import Database
import Quantities
import Records

extension LogDatabase {
  /// The status of the log, cheap enough to be polled every few seconds: queues are counted once and then updated.
  public func status() throws(DatabaseError) -> LogStatus {
    var status = try LogQueries.status(connection)
    for cursor in queues.cursors.values.sorted(by: { $0.destination < $1.destination }) {
      status.destinations.append(
        LogStatus.Destination(
          name: cursor.destination, acknowledged: RecordID(cursor.acknowledged),
          queued: try queued(cursor)))
    }
    return status
  }

  /// The time of the oldest record in each queue that is not empty.
  func oldestQueued() throws(DatabaseError) -> [String: Timestamp] {
    var times: [String: Timestamp] = [:]
    for cursor in queues.cursors.values {
      guard try queued(cursor) > 0 else { continue }
      times[cursor.destination] = try LogQueries.oldestQueued(
        connection, after: cursor.acknowledged, late: cursor.lateAcknowledged)
    }
    return times
  }

  func queued(_ cursor: CursorRow) throws(DatabaseError) -> Int {
    let late =
      try LogQueries.queuedLate(connection, after: cursor.lateAcknowledged)
      + countHeld(by: cursor.destination)
    if let known = queues.count(of: cursor.destination) { return known + late }
    let count = try LogQueries.queued(connection, after: cursor.acknowledged)
    queues.recordCount(count, of: cursor.destination)
    return count + late
  }

  /// The newest intact location, dated or not.
  public func newestLocation() throws(DatabaseError) -> StoredRecord? {
    try LogQueries.newest(RecordRow.Kind.location, connection)
  }

  /// The time of the last record that has one, among the last 1,000; nil for none, and if they cannot be read: the check of
  /// the log finds the damage.
  func lastTime() -> Timestamp? {
    let rows = try? connection.rows(
      """
      SELECT time_ms FROM (SELECT id, time_ms FROM record ORDER BY id DESC LIMIT 1000)
      WHERE time_ms IS NOT NULL ORDER BY id DESC LIMIT 1
      """)
    return rows?.first?.first?.integer.map(Timestamp.init(milliseconds:))
  }
}
