import GNSSProtocol
import GNSSReport
import History
import Quantities
import Records
import Store
import Tracking

/// The epochs of one wake-up as the array of a message, each with what became of it.
struct EpochMessages {
  /// The most epochs of one message; a receiver may hand over many that it had stored.
  private static let limit = 100

  private var text: [UInt8] = []
  private var count = 0
  private var reasons: KeepReasons?
  /// The rejections at the last epoch; nil before the first.
  private var totals: [Rejection: RejectionLedger.Entry]?

  /// The epoch that follows is kept.
  mutating func keep(_ reasons: KeepReasons) { self.reasons = reasons }

  /// Adds an epoch after the tracker has processed it. A position in a privacy zone is left out.
  mutating func add(_ fix: Fix, _ totals: [Rejection: RejectionLedger.Entry], isPrivate: Bool) {
    defer { (reasons, self.totals) = (nil, totals) }
    guard count < Self.limit else { return }
    text.append(count == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
    count += 1
    guard !isPrivate else {
      text.append(#"{"class":"TPV","mode":"#)
      text.appendDecimal(fix.kind == .none ? 1 : fix.kind == .twoDimensional ? 2 : 3, decimals: 0)
      text.append(#","private":true}"#)
      return
    }
    TPV.append(fix, to: &text)
    // The report ends with a brace and a line feed.
    text.removeLast(2)
    append(#","satellites_used":"#, fix.satellitesUsed)
    append(#","satellites_in_view":"#, fix.satellitesSeen)
    if let reasons {
      append(reasons)
    } else if let rejection = newRejection(in: totals) {
      text += Array(#","rejected":"\#(rejection)""#.utf8)
    }
    text.append(UInt8(ascii: "}"))
  }

  private mutating func append(_ key: StaticString, _ count: UInt8?) {
    guard let count else { return }
    text.append(key)
    text.appendDecimal(Int64(count), decimals: 0)
  }

  private mutating func append(_ reasons: KeepReasons) {
    text.append(key: "kept")
    var separator = UInt8(ascii: "[")
    for (reason, word) in KeepReasons.words where reasons.contains(reason) {
      text.append(separator)
      text.append("\"")
      text.append(word)
      text.append("\"")
      separator = UInt8(ascii: ",")
    }
    if separator == UInt8(ascii: "[") { text.append(separator) }
    text.append(UInt8(ascii: "]"))
  }

  /// The reason of the last rejection with its value, as in "accuracy 84 m"; nil without one since the last epoch.
  private func newRejection(in totals: [Rejection: RejectionLedger.Entry]) -> String? {
    guard let before = self.totals else { return nil }
    let rejection = totals.first { $0.value.count > before[$0.key]?.count ?? 0 }
    guard let (reason, entry) = rejection else { return nil }
    let name = reason.rawValue.split(separator: "_").joined(separator: " ")
    return entry.lastValue.isEmpty ? name : "\(name) \(entry.lastValue)"
  }

  /// The JSON array of all epochs since the last call; nil if there are none.
  mutating func take() -> [UInt8]? {
    guard count > 0 else { return nil }
    defer { (text, count) = ([], 0) }
    text.append(UInt8(ascii: "]"))
    return text
  }
}

/// The events that the log has not committed yet. Their IDs follow from the commit.
struct PendingEvents {
  /// The most events that are kept; later ones are read from the log by a client that connects again.
  private static let limit = 256

  /// The number of records before the event that are not durable either, and the event.
  private var pending: [(offset: Int64, record: LogRecord)] = []

  /// Adds the events of a group that was posted after `before` others that are not durable.
  mutating func add(_ records: [LogRecord], after before: Int64) {
    for (index, record) in records.enumerated() {
      guard case .event = record.body, pending.count < Self.limit else { continue }
      pending.append((before + Int64(index), record))
    }
  }

  /// Removes and returns the events among the oldest records that are not durable, which now have these IDs.
  mutating func committed(_ ids: ClosedRange<RecordID>) -> [StoredRecord] {
    let count = ids.upperBound.rawValue - ids.lowerBound.rawValue + 1
    let durable = pending.prefix { $0.offset < count }
    pending.removeFirst(durable.count)
    for index in pending.indices { pending[index].offset -= count }
    return durable.filter { $0.offset >= 0 }.map { offset, record in
      StoredRecord(id: RecordID(ids.lowerBound.rawValue + offset), boot: 0, record: record)
    }
  }
}

/// The lines of the receiver for one message, at most ``limit`` in a second.
struct RawMessages {
  static let limit = 20

  private var lines: [String] = []
  /// The number of lines that were left out.
  private var more = 0
  private var second: Moment?
  private var count = 0

  mutating func add(_ line: String, now: Moment) {
    if second.map({ now - $0 >= .seconds(1) }) ?? true { (second, count) = (now, 0) }
    guard count < Self.limit else { return more += 1 }
    count += 1
    lines.append(line)
  }

  /// The JSON of the lines since the last call; nil if there are none.
  mutating func take() -> [UInt8]? {
    guard !lines.isEmpty || more > 0 else { return nil }
    var text = Array("{\"lines\":[".utf8)
    for (index, line) in lines.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.appendJSONString(line)
    }
    text += Array("],\"more\":\(more)}".utf8)
    (lines, more) = ([], 0)
    return text
  }
}
