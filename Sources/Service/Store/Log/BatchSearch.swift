import Database
import Records

/// Collects the records of a batch, row by row.
struct BatchSearch {
  let limit: Int
  /// The boundary of a batch that may already have been sent.
  var boundary: Int64?
  private(set) var records: [StoredRecord] = []
  /// The last id that belongs to the batch.
  private(set) var through: Int64?
  /// True if a queued row follows the batch.
  private(set) var hasMore = false
  private(set) var damaged: [RecordID] = []
  private var rowCount = 0

  init(limit: Int) { self.limit = limit }

  var isComplete: Bool { hasMore || isAborted }
  var isFull: Bool { rowCount >= limit }
  /// True if the search was aborted because too many rows were damaged.
  var isAborted: Bool { damaged.count >= 1000 }

  /// Adds a row to the batch.
  ///
  /// A damaged row of the queue counts towards the limit. So a page that fails between two attempts does not move
  /// the batch boundary.
  mutating func take(_ row: [ColumnValue], isQueued: Bool) {
    guard let id = row.first?.integer else { return }
    // All records up to the boundary may be missing: deleted by retention, or not salvaged.
    if through == nil, let end = boundary, isQueued, id > end { boundary = nil }
    if isQueued, boundary.map({ id > $0 }) ?? isFull {
      hasMore = true
      return
    }
    switch RecordRow.read(row) {
    case .record(let record, _): if isQueued { records.append(record) }
    case .foreign: return
    case .damaged: damaged.append(RecordID(id))
    }
    guard isQueued else { return }
    rowCount += 1
    through = id
  }

  /// Discards the batch and keeps the ids of damaged rows.
  mutating func startAgain() {
    let damaged = self.damaged
    self = BatchSearch(limit: limit)
    self.damaged = damaged
  }
}
