/// The number of records after the batches in progress, as far as it is known without reading the log.
struct QueueEstimate: Sendable {
  /// The number of queued records, or 1 if it is unknown.
  private(set) var waiting = 0
  /// The number of records since the last load completed: they are in no batch in progress.
  private(set) var arrived = 0

  mutating func add(_ count: Int) {
    waiting += min(max(count, 0), Int.max - waiting)
    arrived += min(max(count, 0), Int.max - arrived)
  }

  /// Counts a batch again that is not sent now.
  mutating func putBack(_ batch: LoadedBatch?) { if let batch { add(max(batch.records, 1)) } }

  /// The queue may contain records.
  mutating func assumeRecords() { waiting = max(waiting, 1) }

  /// All known records are covered by a request.
  mutating func requested() { waiting = 0 }
  mutating func loaded() { arrived = 0 }
}
