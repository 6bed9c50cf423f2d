import LocalAPI
import Quantities
import Records
import Scheduling
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
  }

  private var entries: [String: Entry] = [:]

  func totals(of name: String) -> Totals { entries[name]?.totals ?? Totals() }
  /// The final state of the last pipeline that ended; nil before the first.
  func past(of name: String) -> DeliveryPipeline.Past? { entries[name]?.past }
  func outstandingBatches(of name: String) -> Int { entries[name]?.outstanding ?? 0 }

  /// Returns the time for which the first attempt of a destination waits, once.
  mutating func takePostponement(of name: String) -> Moment? {
    defer { entries[name]?.notBefore = nil }
    return entries[name]?.notBefore
  }

  /// Returns the last contact of a destination before the host was started, once.
  mutating func takeLastContact(with name: String) -> Moment? {
    defer { entries[name]?.lastContact = nil }
    return entries[name]?.lastContact
  }

  // MARK: Sleeps of the host

  private static let contactMark = "contact"

  /// The rests of the send intervals, for ``resumeIntervals(_:after:now:)``: a line for each destination with its seconds
  /// and its name. Lines that begin with `contact`, for ``resumeContacts(_:after:now:)``, have the seconds since the last
  /// contact.
  static func text(of pipelines: [String: DeliveryPipeline], now: Moment) -> String {
    pipelines.sorted { $0.key < $1.key }.flatMap { name, pipeline in
      [
        pipeline.delivery?.machine.restOfInterval(now: now).map { "\($0.wholeSeconds) \(name)" },
        pipeline.delivery?.machine.timeSinceContact(now: now).map {
          "\(contactMark) \($0.wholeSeconds) \(name)"
        },
      ].compactMap { $0 }
    }.joined(separator: "\n")
  }

  /// Continues the times since the last contacts of a run that ended `pause` ago.
  mutating func resumeContacts(_ text: String, after pause: Duration, now: Moment) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[0] == Self.contactMark, let seconds = Int32(words[1]) else { continue }
      entries[String(words[2]), default: Entry()].lastContact = now - .seconds(seconds) - pause
    }
  }

  /// Continues the send intervals of a run that ended `pause` ago. An interval that ends soon is over.
  mutating func resumeIntervals(_ text: String, after pause: Duration, now: Moment) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let seconds = Int32(words[0]) else { continue }
      let rest = Duration.seconds(seconds) - pause
      if rest > Resumption.soon { entries[String(words[1]), default: Entry()].notBefore = now + rest }
    }
  }

  // MARK: Deliveries

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

  /// Adds the figures of these destinations.
  func count(in counters: inout LoggerCounters, of names: [String], time: (Moment) -> Timestamp?) {
    for name in names {
      let totals = totals(of: name)
      var counts = counters.destinations[name] ?? LoggerCounters.Destination()
      counts.lastSuccess = totals.lastSuccess.flatMap(time)
      counts.attempts = totals.attempts
      counts.bytes = totals.bytes
      counts.setAside = Int64(clamping: totals.setAside)
      counters.destinations[name] = counts
    }
  }

  /// The last exchanges with these destinations, newest first.
  func sends(with names: [String], time: (Moment) -> Timestamp?) -> SendsReport {
    let all = names.flatMap { name in exchanges(with: name).map { (name, $0) } }
    return SendsReport(
      sends: all.sorted { $0.1.moment > $1.1.moment }.map { name, exchange in
        SendsReport.Send(
          destination: name, time: time(exchange.moment)?.iso8601(), records: exchange.records,
          bytes: exchange.bytes, status: exchange.status, answer: exchange.answer,
          duration_s: exchange.duration.inSeconds, consequence: exchange.consequence.rawValue)
      })
  }

  mutating func exchanged(_ exchange: Exchange, with name: String) {
    entries[name, default: Entry()].exchanges.add(exchange)
    entries[name]?.totals.count(exchange)
  }

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
