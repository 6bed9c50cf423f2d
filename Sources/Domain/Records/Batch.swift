import Quantities

/// The records of one request to a destination, from the log to the server.
public struct Batch: Equatable, Sendable {
  /// How the log finds the end of a batch again, so that a retry sends the same records.
  public enum Boundary: Equatable, Sendable {
    /// The batch has the full size: counting from the cursor yields the same batch.
    case counted
    /// The boundary is stored.
    case stored
    /// The log cannot find it again: it must be stored before the first byte is sent.
    case missing
  }

  /// The records, oldest first.
  public var records: [StoredRecord]
  /// The record after the end of the batch before; nil for late records.
  public var from: RecordID?
  /// The batch boundary: the last record that the batch covers, including records that are never sent. All records up to it
  /// are acknowledged together.
  public var through: RecordID
  public var boundary: Boundary
  /// True if the queue continues after the batch.
  public var hasMore: Bool
  /// True for records that were dated after they had been written.
  public var isLate: Bool
  /// True for a record that is sent again on its own, see ``HeldRecord``.
  public var isHeld = false

  public init(records: [StoredRecord], through: RecordID, boundary: Boundary, hasMore: Bool, isLate: Bool) {
    self.records = records
    self.through = through
    self.boundary = boundary
    self.hasMore = hasMore
    self.isLate = isLate
  }

  public var position: BatchPosition { BatchPosition(through: through, isLate: isLate) }

  public var range: BatchRange { BatchRange(from: from, through: through) }

  /// True if the log finds the same batch again when it counts `size` records.
  public func isReproducible(size: Int) -> Bool {
    switch boundary {
    case .stored: true
    case .counted: records.count == size
    case .missing: false
    }
  }

  /// The first `count` records as a batch of their own, whose boundary is not stored yet. `count` is at least 1.
  public func prefix(_ count: Int, hasMore: Bool) -> Batch {
    let front = Array(records.prefix(count))
    var batch = Batch(
      records: front, through: front.last?.id ?? through, boundary: .missing, hasMore: hasMore, isLate: isLate
    )
    batch.from = from
    return batch
  }

  /// The part of the batch that `cut` leaves; nil if nothing of it may be sent now.
  public func cut(by cut: BatchCut) -> Batch? {
    guard let dated = upToUndated else { return nil }
    guard dated.boundary != .stored, !cut.exempt.contains(dated.through) else { return dated }
    return dated.within(cut)
  }

  /// The records before the first location without a time, which would be lost if it were acknowledged unsent. Nil if
  /// there are none.
  private var upToUndated: Batch? {
    let undated = records.firstIndex { $0.record.body.isSent && $0.record.time == nil }
    guard let undated else { return self }
    guard undated > 0 else { return nil }
    return prefix(undated, hasMore: false)
  }

  /// The records of the first clock interval; nil while the newest fix is in the same interval.
  ///
  /// A record without a time belongs to the interval of the record before it.
  private func within(_ cut: BatchCut) -> Batch? {
    guard let length = cut.interval?.wholeMilliseconds, length > 0,
      let first = records.first(where: { $0.record.time != nil })?.record.time?.milliseconds
    else { return self }
    func number(_ milliseconds: Int64) -> Int64 {
      milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }
    let later = records.firstIndex { stored in
      stored.record.time.map { number($0.milliseconds) != number(first) } ?? false
    }
    guard let later, later > 0 else {
      let isOver = cut.newestFix.map { number($0.milliseconds) != number(first) } ?? false
      return isOver ? self : nil
    }
    return prefix(later, hasMore: true)
  }
}

/// The part of the log for which a batch accounts. Records in it that the batch does not contain are not sent.
public struct BatchRange: Equatable, Sendable {
  /// The first record; nil for records that were dated after they had been written.
  public var from: RecordID?
  /// The last record.
  public var through: RecordID

  public init(from: RecordID?, through: RecordID) {
    self.from = from
    self.through = through
  }
}

/// The end of a batch in one of the two queues of a destination.
public struct BatchPosition: Equatable, Sendable {
  public var through: RecordID
  /// True for records that were dated after they had been written.
  public var isLate: Bool
  /// The change of a held record, which is stored in the same step; nil for none.
  public var held: HeldChange?

  public init(through: RecordID, isLate: Bool) {
    self.through = through
    self.isLate = isLate
  }
}

/// The request for the next batch of a destination.
public struct BatchRequest: Equatable, Sendable {
  /// The batch after which to continue, although it is not acknowledged yet; nil for the oldest batch.
  public var after: BatchPosition?
  /// The maximum number of records.
  public var size: Int
  /// The largest batch whose boundary is stored together with the request, because it will be sent as it is. 0 if the
  /// batch may still grow or be shortened before it is sent.
  public var largestToSend: Int
  /// The rules by which the batch ends earlier; nil for all records.
  public var cut: BatchCut?
  /// The events that are part of the queue.
  public var events = EventSelection.none
  /// The held record to load; nil for the next batch.
  public var held: RecordID?

  public init(after: BatchPosition? = nil, size: Int, largestToSend: Int = 0, cut: BatchCut? = nil) {
    self.after = after
    self.size = size
    self.largestToSend = largestToSend
    self.cut = cut
  }
}

/// The events that are part of the queue of a destination.
public enum EventSelection: Equatable, Sendable {
  case none
  /// Entries and exits of zones.
  case zones
  case all

  public func contains(_ kind: EventKind) -> Bool {
    switch self {
    case .none: false
    case .zones: kind == .zoneEntered || kind == .zoneLeft
    case .all: true
    }
  }
}

/// The rules by which a batch ends before its full size: it contains no undated location, and the records of one clock
/// interval only.
public struct BatchCut: Equatable, Sendable {
  /// The length of a clock interval; nil for no such rule. A batch contains no record of the present interval.
  public var interval: Duration?
  /// The time of the newest fix, which proves that an interval is over.
  public var newestFix: Timestamp?
  /// The ends of batches that may have been sent under other rules and are not divided.
  public var exempt: Set<RecordID>

  public init(interval: Duration? = nil, newestFix: Timestamp? = nil, exempt: Set<RecordID> = []) {
    self.interval = interval
    self.newestFix = newestFix
    self.exempt = exempt
  }
}
