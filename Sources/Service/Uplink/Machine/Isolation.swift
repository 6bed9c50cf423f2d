import Records

/// The search for a record that the server rejects: the rejected batch is halved until one record remains.
///
/// A record that is rejected alone becomes a suspect. It is set aside if the server then accepts a later record and
/// rejects the suspect again. While the server accepts no record, the fault may be the server's.
///
/// If the fault may be the server's anyway (``Refusal/mayBeServer``), a record becomes a suspect only after so many refusals
/// in a row that a good record would have been accepted at the present rate of failures. Until then it is sent again, so a
/// server that fails at random gets all records in order. Such a suspect is held (``HeldRecords``) instead of set aside.
struct Isolation: Equatable, Sendable {
  /// The number of rejections of a batch's content before it is cut.
  static let rejectionsBeforeCut = 3
  /// The number of rejections of a single record before it becomes a suspect.
  static let rejectionsAlone = 2
  /// The number of rejections of a single record if there is no other record to try.
  static let rejectionsAtTheEnd = 4
  /// The number of cut connections before a batch is cut: until then it is sent again unchanged, because the server may have
  /// stored it.
  static let interruptionsBeforeCut = 8
  /// The number of refusals of a single record, if little is known about the server, before it becomes a suspect that may
  /// be held. A server that refuses nine of ten requests at random refuses a good record as often in 1 of 10,000 cases.
  static let mostRefusals = 88
  /// The probability at which so many refusals of a good record are no chance.
  private static let leastChance = 1e-4
  /// The number of accepted requests from which the rate of failures is estimated.
  private static let acceptancesForRate = 3
  /// The longest wait between the refusals that are counted.
  static let longestCountedWait = Duration.seconds(5)

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

    /// The number of accepted requests, and of refusals of single records that were accepted later.
    var accepted = 0
    var chance = 0
    /// The number of refusals of the single record that is sent next.
    var refusedAlone = 0

    /// The index of the next suspect to send again.
    var unconfirmed: Int? {
      probe == nil ? nil : suspects.firstIndex { $0.isRefusedAgain == nil }
    }
  }

  /// The number of successive rejections of the content of the batch in progress.
  private var rejections = 0
  /// The search; nil while there is none.
  private var search: Search?

  /// True if no other record was accepted in the last search. The next one compares at once.
  private var isExhausted = false

  var isSearching: Bool { search != nil }

  /// True while a single record is refused and sent again to count the refusals.
  var isCounting: Bool {
    guard let search, !isExhausted else { return false }
    return search.suspects.isEmpty && search.refusedAlone > 0 && search.refusedAlone < refusalsNeeded
  }

  /// The number of refusals in a row after which a single record may be held.
  private var refusalsNeeded: Int {
    guard let search, !isExhausted else { return 1 }
    guard search.accepted >= Self.acceptancesForRate else { return Self.mostRefusals }
    // Never 0 or 1, because little is known.
    let failures = Double(search.chance + Self.acceptancesForRate)
    let rate = failures / (failures + Double(search.accepted))
    var (count, chance) = (0, 1.0)
    while chance > Self.leastChance, count < Self.mostRefusals {
      chance *= rate
      count += 1
    }
    return max(count, Self.rejectionsAtTheEnd)
  }

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
      let most = refusal.kind == .outcomeUnknown ? Self.interruptionsBeforeCut : Self.rejectionsBeforeCut
      guard rejections >= most || isExhausted else { return nil }
      search = Search(remaining: batch.records)
    } else if search?.suspects.isEmpty == true {
      search?.remaining = batch.records
    }
    guard batch.records == 1 else { return .send(batch) }
    return refusal.mayBeServer
      ? doubt(batch, refusal, isLast: isLast) : suspect(batch, refusal, isLast: isLast)
  }

  /// Handles the refusal of a single record that may be the server's fault. The records after the first suspect are tried
  /// once each, in one sweep; the next sweep begins with the first suspect again.
  private mutating func doubt(_ batch: LoadedBatch, _ refusal: Refusal, isLast: Bool) -> Step? {
    self.search?.refusedAlone += 1
    guard let search else { return nil }
    let isFirst = search.suspects.isEmpty
    if isFirst { guard search.refusedAlone >= refusalsNeeded, !isLast else { return nil } }
    guard !isLast, search.suspects.count + 1 < Self.mostSuspects else { return .abandon }
    rejections = 0
    self.search?.suspects.append(Suspect(batch: batch, refusal: refusal))
    return .loadNext
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
    isExhausted = false
    if var search {
      search.accepted += 1
      search.chance += search.refusedAlone
      search.refusedAlone = 0
      self.search = search
    }
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
    isExhausted = refusal?.mayBeServer ?? isExhausted
    end()
    rejections = Self.rejectionsBeforeCut - 1
    return refusal
  }

  private mutating func end() {
    search = nil
    rejections = 0
  }
}
