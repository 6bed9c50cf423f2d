import Database
import Quantities
import Records

/// A group of records that has been committed.
public struct AppendedGroup: Equatable, Sendable {
  public var ids: ClosedRange<RecordID>
  /// Number of records that can be sent. The others are events, or have no time yet.
  public var queued: Int
  /// The duration of the transaction with its flush.
  public var duration = Duration.zero
}

extension LogDatabase {
  /// Writes a group of records in one transaction and assigns consecutive ids.
  ///
  /// Dates records without a time if this boot knows the time. Truncates texts to their limits. Returns nil for an
  /// empty group.
  public func append(_ records: [LogRecord], savedStates: [SavedStateKey: String] = [:]) throws(DatabaseError)
    -> AppendedGroup?
  {
    guard !records.isEmpty else { return nil }
    let first = nextID
    var queued = 0
    let isCheckDue = progress.isSaveDue
    try connection.transaction { () throws(DatabaseError) in
      queued = try insert(records)
      for (key, text) in savedStates { try SavedStateRow.save(key, text, to: connection) }
      if isCheckDue { try StateRow.save(.checked, progress.checked, to: connection) }
    }
    if isCheckDue { progress.recordSave() }
    recordAppended(records.count, queued: queued)
    return AppendedGroup(ids: RecordID(first)...RecordID(nextID - 1), queued: queued)
  }

  /// Inserts records within the caller's transaction and returns how many are queued for sending.
  ///
  /// The caller calls ``recordAppended(_:queued:)`` after the commit.
  func insert(_ records: [LogRecord]) throws(DatabaseError) -> Int {
    let statement = try connection.statement(RecordRow.insertion)
    var queued = 0
    for (offset, record) in records.enumerated() {
      let record = dated(record)
      if record.time != nil, record.body.isSent { queued += 1 }
      let stored = StoredRecord(id: RecordID(nextID + Int64(offset)), boot: boot.number, record: record)
      try statement.run(RecordRow.columns(of: stored, isLate: false))
    }
    return queued
  }

  private func dated(_ record: LogRecord) -> LogRecord {
    guard let offset = boot.offset, record.time == nil || record.hasUndatedInstants else { return record }
    return record.dated(offsetMilliseconds: offset, quality: boot.quality)
  }

  /// A record for an event of the log itself, at the current time.
  func record(_ kind: EventKind, _ fields: EventFields) -> LogRecord { record(EventRecord(kind, fields)) }

  func record(_ event: EventRecord) -> LogRecord {
    LogRecord(moment: clock(), time: nil, timeQuality: .none, body: .event(event))
  }
}
