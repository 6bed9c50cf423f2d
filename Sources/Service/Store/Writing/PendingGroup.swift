import Quantities
import Records

/// The next transaction: the records that are not written yet, and the texts to save with them.
///
/// While the log cannot be written the records wait in memory, at most a fixed number. The group then contains the
/// log's own events about the failure. Owned by ``LogWriter``.
struct PendingGroup {
  private var waiting: WaitingRecords
  private(set) var isUrgent = false
  /// The texts to save with the records.
  private(set) var savedStates: [SavedStateKey: String] = [:]

  /// Creates an empty group of at most `limit` records.
  init(limit: Int) { waiting = WaitingRecords(limit: limit) }

  var isEmpty: Bool { waiting.isEmpty }
  /// The number of records in memory.
  var count: Int { waiting.records.count }

  /// Adds records. The group becomes urgent with the first urgent ones.
  mutating func add(_ records: [LogRecord], urgent: Bool) {
    isUrgent = isUrgent || urgent
    waiting.add(records)
  }

  /// Replaces the text to save under `key`.
  mutating func save(_ text: String, as key: SavedStateKey) { savedStates[key] = text }

  /// Adds the event about the start of a failure.
  mutating func recordFailure(_ reason: String, now: Moment) {
    let fields: EventFields = [.reason: .text(reason), .count: .integer(Int64(count))]
    waiting.add([Self.event(.storageFailing, fields, now)])
  }

  /// The records to write, followed by the events about dropped records and, if it `endsFailure`, about the recovery.
  func records(endsFailure: Bool, now: Moment) -> [LogRecord] {
    var group = waiting.records
    if waiting.dropped > 0 {
      let fields: EventFields = [.count: .integer(Int64(waiting.dropped)), .cause: "log_failing"]
      group.append(Self.event(.recordsDropped, fields, now))
    }
    if endsFailure {
      group.append(Self.event(.storageRecovered, [.count: .integer(Int64(count))], now))
    }
    return group
  }

  /// Empties the group, because it is durable.
  mutating func committed() {
    waiting.clear()
    savedStates = [:]
    isUrgent = false
  }

  private static func event(_ kind: EventKind, _ fields: EventFields, _ now: Moment) -> LogRecord {
    LogRecord(moment: now, time: nil, timeQuality: .none, body: .event(EventRecord(kind, fields)))
  }
}
