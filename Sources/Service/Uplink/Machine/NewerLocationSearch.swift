import Records

/// The search for a newer location in the records after a batch, for a destination that gets only the newest one.
///
/// The batches after the candidate are loaded one after the other and not acknowledged. The candidate is superseded by a
/// later location that can be sent. Visits, trips, events and locations in privacy zones supersede nothing.
struct NewerLocationSearch: Equatable, Sendable {
  enum Step: Equatable {
    /// Load the batch after ``last``.
    case loadNext
    /// No newer location exists: the candidate is sent. True for one that was sent before.
    case send(LoadedBatch, isRetry: Bool)
    /// The batch has a newer location than the candidate.
    case supersede(LoadedBatch, by: LoadedBatch)
  }

  /// The batch whose newest location may be superseded.
  let candidate: LoadedBatch
  /// The end of the last batch that was searched.
  private(set) var last: BatchPosition
  /// True if the candidate was sent before.
  private let isRetry: Bool

  init(candidate: LoadedBatch, isRetry: Bool) {
    self.candidate = candidate
    self.isRetry = isRetry
    last = candidate.position
  }

  /// Handles the next batch; nil at the end of the queue.
  mutating func take(_ batch: LoadedBatch?) -> Step {
    guard let batch else { return .send(candidate, isRetry: isRetry) }
    if let newest = batch.newestLocation, newest >= candidate.newestLocation ?? newest {
      return .supersede(candidate, by: batch)
    }
    last = batch.position
    return batch.hasMore ? .loadNext : .send(candidate, isRetry: isRetry)
  }
}
