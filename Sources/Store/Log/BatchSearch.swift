import Database
import Records

/// Collects a batch row by row.
struct BatchSearch {
  let limit: Int
  /// The end of a batch that may have been sent already.
  var border: Int64?
  private(set) var records: [StoredRecord] = []
  /// The last id that belongs to the batch.
  private(set) var through: Int64?
  /// True when a row was met that is queued behind the batch.
  private(set) var hasMore = false
  private(set) var damaged: [RecordID] = []
  private var places = 0

  init(limit: Int) { self.limit = limit }

  var isComplete: Bool { hasMore || isDrowned }
  var isFull: Bool { places >= limit }
  /// True when so many rows were damaged that the search was broken off.
  var isDrowned: Bool { damaged.count >= 1000 }

  /// A row of the queue takes a place even when it cannot be read, so that a page that rots between two tries does
  /// not move the end of the batch.
  mutating func take(_ row: [ColumnValue], isQueued: Bool) {
    guard let id = row.first?.integer else { return }
    // The whole of a batch with a border may be gone: deleted by a limit, or not salvaged.
    if through == nil, let end = border, isQueued, id > end { border = nil }
    if isQueued, border.map({ id > $0 }) ?? isFull {
      hasMore = true
      return
    }
    switch RecordRow.read(row) {
    case .record(let record, _): if isQueued { records.append(record) }
    case .foreign: return
    case .damaged: damaged.append(RecordID(id))
    }
    guard isQueued else { return }
    places += 1
    through = id
  }

  /// Forgets the batch, keeps what was damaged.
  mutating func startAgain() {
    let damaged = self.damaged
    self = BatchSearch(limit: limit)
    self.damaged = damaged
  }
}
