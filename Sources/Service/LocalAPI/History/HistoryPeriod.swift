import Database
import HTTPServer
import History
import Quantities
import Records
import Store
import System
import WebAccess

/// The period of a history request: `from` and `to`, each an ISO 8601 time or milliseconds since 1970.
struct HistoryPeriod {
  var from: Timestamp?
  /// The end, which is included.
  var to: Timestamp?

  init(from: Timestamp?, to: Timestamp?) { (self.from, self.to) = (from, to) }

  init(_ request: HTTPRequest) throws(Problem) {
    from = try request.time("from")
    to = try request.time("to")
    if let from, let to, from > to { throw Problem(400, "to: must not be before from") }
  }

  /// The beginning of a response: the period and the time zone of the device, without the end of the object.
  var head: [UInt8] {
    var text: [UInt8] = []
    text.append("{\"from\":")
    text.append(iso8601: from)
    text.append(key: "to")
    text.append(iso8601: to)
    text.append(key: "zone")
    text.appendJSONString(LocalTime.zoneName ?? "UTC")
    return text
  }

  func contains(_ time: Timestamp) -> Bool {
    from.map { time >= $0 } ?? true && to.map { time <= $0 } ?? true
  }

  /// True for a record of the period. One without a time belongs to no period but the whole log.
  func contains(_ stored: StoredRecord) -> Bool {
    guard let time = stored.record.time else { return from == nil && to == nil }
    return contains(time)
  }

  /// A duration of the query such as `90s`, `2m` or `1h`.
  static func duration(_ name: String, _ request: HTTPRequest) throws(Problem) -> Duration? {
    guard let text = request.queryValue(name) else { return nil }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()), number > 0,
      number <= 31_536_000 / unit
    else { throw Problem(400, "\(name): expected a duration such as 90s, 2m or 1h") }
    return .seconds(number * unit)
  }
}

/// Reads the records of a period, and finds its gaps. Used by all histories that explain gaps.
///
/// Reading starts before the period, because a gap may be in progress.
final class GapReading {
  private weak var logger: (any LoggerControls)?
  private let slices: LogSlices
  private let logEnd: Timestamp?
  private(set) var window: GapWindow
  /// Records through this id belong to an earlier page or to the time before the period.
  let start: RecordID
  let hasPrivacyZones: Bool
  /// True if gaps are those between disclosed locations, as a server sees them: none begins or ends in a privacy zone.
  private let isDisclosedOnly: Bool

  init(
    _ period: HistoryPeriod, after: RecordID? = nil, longest: Duration = .seconds(120),
    isDisclosedOnly: Bool = false, of logger: any LoggerControls
  ) throws(Problem) {
    self.logger = logger
    self.isDisclosedOnly = isDisclosedOnly
    hasPrivacyZones = logger.hasPrivacyZones
    do throws(DatabaseError) {
      let reader = try LogReader(directory: logger.logDirectory)
      let lead = try reader.lead(to: period.from, after: after)
      start = lead.start
      logEnd = try GapReading.end(of: reader)
      window = GapWindow(longest: longest, floor: lead.floor, last: period.to)
      slices = LogSlices(reader, after: lead.first)
    } catch { throw LogSlices.unreadable(error, by: logger) }
  }

  /// The time of the newest record that is a location or an event; nil without one.
  static func end(of reader: LogReader) throws(DatabaseError) -> Timestamp? {
    let newest = [
      try reader.newestLocation()?.record.time,
      try reader.newestEvents(among: 1000, limit: 1).first?.record.time,
    ]
    return newest.compactMap { $0 }.max()
  }

  /// Passes the next records to `process`, each with the record as it may be disclosed, or nil, and the gaps that are
  /// complete with it. At the end of the log the record is nil. Returns false if nothing was left.
  func next(
    _ process: (_ record: StoredRecord?, _ disclosed: StoredRecord?, _ gaps: [GapSearch.Gap]) -> Void
  ) throws(DatabaseError) -> Bool {
    guard !window.isOver else { return false }
    let records = try slices.next()
    guard !records.isEmpty else {
      process(nil, nil, window.finish(at: logEnd).map(withoutHiddenDistance))
      return true
    }
    let disclosed = logger?.disclosed(records) ?? []
    let byID = Dictionary(disclosed.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for stored in records {
      if isDisclosedOnly {
        guard let shown = byID[stored.id] else { continue }
        process(stored, shown, window.take(shown.record))
        continue
      }
      let gaps = window.take(stored.record, isDisclosed: byID[stored.id] != nil)
      process(stored, byID[stored.id], gaps.map(withoutHiddenDistance))
    }
    return true
  }

  /// Ends the period earlier: only gaps that begin before `time` are returned.
  func end(before time: Timestamp) { window.end(before: time) }

  /// The gap without its distance, if one of its ends is inside a privacy zone.
  private func withoutHiddenDistance(_ gap: GapSearch.Gap) -> GapSearch.Gap {
    guard gap.to != nil, gap.start == nil || gap.end == nil else { return gap }
    var gap = gap
    gap.metres = nil
    return gap
  }
}
