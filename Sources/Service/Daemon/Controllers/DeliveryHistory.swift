import LocalAPI
import Quantities
import Records
import Uplink

/// What outlasts the pipelines of the destinations: the deliveries so far, outstanding batches, and the state of the last
/// pipeline that ended.
struct DeliveryHistory {
  /// The deliveries to a destination since the start of the logger, over all of its pipelines.
  struct Totals: Equatable {
    /// Number of records that the server accepted.
    fileprivate(set) var delivered: Int64 = 0
    /// The newest acknowledged record; nil before the first.
    fileprivate(set) var acknowledged: RecordID?
    /// The time of the last accepted request; nil before the first.
    fileprivate(set) var lastSuccess: Moment?
    /// The number of records that were set aside.
    fileprivate(set) var setAside = 0
    /// The attempts by response, and the bytes of their records before compression.
    fileprivate(set) var attempts: [LoggerCounters.Response: Int64] = [:]
    fileprivate(set) var bytes: Int64 = 0
  }

  private struct Entry {
    var totals = Totals()
    var past: DeliveryPipeline.Past?
    /// The end of the send interval before a sleep of the host, until the pipeline starts.
    var notBefore: Moment?
    /// The last contact before a sleep of the host, until the pipeline starts.
    var lastContact: Moment?
    /// The number of batches that were requested and have not arrived.
    var outstanding = 0
    var exchanges = ExchangeHistory()
    var contact = FleetContact()
  }

  private var entries: [String: Entry] = [:]

  func totals(of name: String) -> Totals { entries[name]?.totals ?? Totals() }
  /// The final state of the last pipeline that ended; nil before the first.
  func past(of name: String) -> DeliveryPipeline.Past? { entries[name]?.past }
  func outstandingBatches(of name: String) -> Int { entries[name]?.outstanding ?? 0 }

  /// The first attempt of a destination waits until a time.
  mutating func postpone(_ name: String, until time: Moment) {
    entries[name, default: Entry()].notBefore = time
  }

  /// Returns the time for which the first attempt of a destination waits, once.
  mutating func takePostponement(of name: String) -> Moment? {
    defer { entries[name]?.notBefore = nil }
    return entries[name]?.notBefore
  }

  /// The last contact of a destination was at this time, before the host was started.
  mutating func continueContact(with name: String, at time: Moment) {
    entries[name, default: Entry()].lastContact = time
  }

  /// Returns the last contact of a destination before the host was started, once.
  mutating func takeLastContact(with name: String) -> Moment? {
    defer { entries[name]?.lastContact = nil }
    return entries[name]?.lastContact
  }

  mutating func requestedBatch(of name: String) { entries[name, default: Entry()].outstanding += 1 }
  mutating func receivedBatch(of name: String) { entries[name]?.outstanding -= 1 }

  /// Counts the records that a server accepted; `taken` is nil for records that it did not need.
  mutating func accepted(_ taken: TakenRecords?, by name: String, now: Moment) {
    var entry = entries[name] ?? Entry()
    if let taken {
      entry.totals.delivered += Int64(taken.count)
      entry.totals.lastSuccess = now
    }
    entries[name] = entry
  }

  /// The last exchanges with a destination, newest first.
  func exchanges(with name: String) -> [Exchange] { entries[name]?.exchanges.exchanges ?? [] }

  mutating func exchanged(_ exchange: Exchange, with name: String) {
    entries[name, default: Entry()].exchanges.add(exchange)
    entries[name]?.totals.count(exchange)
  }

  /// The contact with a server that takes reports.
  func contact(with name: String) -> FleetContact { entries[name]?.contact ?? FleetContact() }

  /// Changes the contact with a server that takes reports.
  mutating func update<Result>(
    _ name: String, _ change: (inout FleetContact) -> Result
  ) -> Result { change(&entries[name, default: Entry()].contact) }

  mutating func setAside(by name: String) { entries[name, default: Entry()].totals.setAside += 1 }

  mutating func acknowledged(_ through: RecordID, by name: String) {
    entries[name, default: Entry()].totals.acknowledged = through
  }

  /// The queue of a destination has moved back: what was acknowledged is sent again.
  mutating func forgetAcknowledgement(of name: String) { entries[name]?.totals.acknowledged = nil }

  mutating func ended(_ past: DeliveryPipeline.Past, of name: String) {
    entries[name, default: Entry()].past = past
  }

  /// Starts the totals of a destination anew.
  mutating func forget(_ name: String) { entries[name]?.totals = Totals() }
}

extension DeliveryHistory.Totals {
  fileprivate mutating func count(_ exchange: Exchange) {
    attempts[LoggerCounters.Response(status: exchange.status), default: 0] += 1
    bytes += min(Int64(clamping: max(exchange.bytes, 0)), Int64.max - bytes)
  }
}
