import Records

/// The search for a record that the server rejects: the rejected batch is halved until one record remains.
///
/// A record that is rejected alone becomes a suspect. It is set aside if the server then accepts a later record and
/// rejects the suspect again. While the server accepts no record, the fault may be the server's.
struct Isolation: Equatable, Sendable {
  /// The number of rejections of a batch's content before it is cut.
  static let rejectionsBeforeCut = 3
  /// The number of rejections of a single record before it becomes a suspect.
  static let rejectionsAlone = 2
  /// The number of rejections of a single record if there is no other record to try.
  static let rejectionsAtTheEnd = 4
  /// The number of consecutive suspects after which the fault is attributed to the server.
  static let mostSuspects = 16

  /// A record that was rejected alone.
  struct Suspect: Equatable, Sendable {
    let batch: LoadedBatch
    let refusal: Refusal
    /// True if it was rejected again after the server had accepted another; nil if not tried again yet.
    fileprivate(set) var isRefusedAgain: Bool?
  }

  /// The next step of the search.
  enum Step: Equatable {
    /// Send this batch, of which at most ``Isolation/next`` records.
    case send(LoadedBatch)
    /// Load the batch after the last suspect.
    case loadNext
    /// Set the only suspect aside; no record follows it. The search has ended.
    case setAside(Suspect)
    /// Acknowledge all suspects, of which those that were rejected again are set aside, and the accepted record after them.
    /// The search has ended.
    case conclude([Suspect], probe: LoadedBatch)
    /// End the search by ``Isolation/abandon()``.
    case abandon
  }

  private struct Search: Equatable {
    /// The number of records, from the oldest on, that contain the rejected one.
    var remaining: Int
    /// True if the server has accepted a record since the search began.
    var hasEvidence = false
    /// The records that were rejected alone, oldest first.
    var suspects: [Suspect] = []
    /// The record after the suspects that the server has accepted. It is acknowledged together with them.
    var probe: LoadedBatch?

    /// The index of the next suspect to send again.
    var unconfirmed: Int? {
      probe == nil ? nil : suspects.firstIndex { $0.isRefusedAgain == nil }
    }
  }

  /// The number of successive rejections of the content of the batch in progress.
  private var rejections = 0
  /// The search; nil while there is none.
  private var search: Search?

  var isSearching: Bool { search != nil }
  var hasSuspects: Bool { search?.suspects.isEmpty == false }
  var lastSuspect: LoadedBatch? { search?.suspects.last?.batch }

  /// The number of records to send next; nil if the search sets no limit.
  var next: Int? { search.map { $0.suspects.isEmpty ? max($0.remaining / 2, 1) : 1 } }

  /// The batches that the search may send again or acknowledge.
  var batches: [LoadedBatch] {
    guard let search else { return [] }
    return search.suspects.map(\.batch) + [search.probe].compactMap { $0 }
  }

  /// Handles the rejection of a batch's content; `isLast` is true if no record follows it. Returns nil if the same batch
  /// is to be retried later.
  mutating func rejected(_ batch: LoadedBatch, _ refusal: Refusal, isLast: Bool) -> Step? {
    rejections = min(rejections, Int.max - 1) + 1
    if search?.unconfirmed != nil { return confirm(isRefused: true) }
    if search == nil {
      guard rejections >= Self.rejectionsBeforeCut else { return nil }
      search = Search(remaining: batch.records)
    } else if search?.suspects.isEmpty == true {
      search?.remaining = batch.records
    }
    guard batch.records == 1 else { return .send(batch) }
    return suspect(batch, refusal, isLast: isLast)
  }

  private mutating func suspect(_ batch: LoadedBatch, _ refusal: Refusal, isLast: Bool) -> Step? {
    guard rejections >= Self.rejectionsAlone, let search else { return nil }
    let suspect = Suspect(batch: batch, refusal: refusal)
    guard !isLast, search.suspects.count + 1 < Self.mostSuspects else {
      if !search.suspects.isEmpty { return .abandon }
      guard rejections >= Self.rejectionsAtTheEnd else { return nil }
      guard search.hasEvidence else { return .abandon }
      end()
      return .setAside(suspect)
    }
    rejections = 0
    self.search?.suspects.append(suspect)
    return .loadNext
  }

  /// Handles the acceptance of a batch. Returns nil if it is to be acknowledged like any other.
  mutating func accepted(_ batch: LoadedBatch) -> Step? {
    rejections = 0
    if search?.unconfirmed != nil { return confirm(isRefused: false) }
    if hasSuspects {
      // The server accepts a later record: the suspects are sent again, one by one.
      search?.probe = batch
      return confirmNext()
    }
    search?.hasEvidence = true
    passed(batch)
    return nil
  }

  /// Handles the acknowledgement of a batch without suspects before it.
  mutating func passed(_ batch: LoadedBatch) {
    guard let remaining = search?.remaining else { return }
    search?.remaining = max(remaining - batch.records, 0)
    if remaining <= batch.records { end() }
  }

  private mutating func confirm(isRefused: Bool) -> Step {
    if let index = search?.unconfirmed { search?.suspects[index].isRefusedAgain = isRefused }
    return confirmNext()
  }

  private mutating func confirmNext() -> Step {
    guard let search, let probe = search.probe else { return .abandon }
    if let index = search.unconfirmed { return .send(search.suspects[index].batch) }
    end()
    return .conclude(search.suspects, probe: probe)
  }

  /// Ends the search without a result; the next rejection restarts it immediately. Returns the reason of the last suspect.
  mutating func abandon() -> Refusal? {
    let refusal = search?.suspects.last?.refusal
    end()
    rejections = Self.rejectionsBeforeCut - 1
    return refusal
  }

  private mutating func end() {
    search = nil
    rejections = 0
  }
}
