import Database
import HTTPServer
import JSON
import Quantities
import Records
import Store
import WebAccess

/// A response that is read from the log in steps.
protocol LogHistory: AnyObject {
  /// Opens the log of a logger for reading. Throws the fault of an invalid request, or the reason why the log cannot be read.
  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem)
  /// The JSON of the next few rows, which may be empty; nil at the end. Throws if the log cannot be read, because the response
  /// would be incomplete.
  func next() throws(DatabaseError) -> [UInt8]?
  /// The type of the response.
  var contentType: String { get }
  /// The name under which a browser stores the response; nil to display it.
  var fileName: String? { get }
  /// White space that keeps the connection alive while no row matches.
  var filler: [UInt8] { get }
}

extension LogHistory {
  var contentType: String { "application/json" }
  var fileName: String? { nil }
  var filler: [UInt8] { Array("\n".utf8) }

  /// The JSON of at least one step, and of further ones until ``LogSlices/time`` is over or ``LogSlices/size`` is reached;
  /// nil at the end.
  func piece(clock: () -> Moment) throws(DatabaseError) -> [UInt8]? {
    let deadline = clock() + LogSlices.time
    guard var text = try next() else { return nil }
    while text.count < LogSlices.size, clock() < deadline, let more = try next() { text += more }
    return text.isEmpty ? filler : text
  }
}

/// Reads the log from an ID on, a bounded number of rows at a time.
final class LogSlices {
  /// The rows of one step, which is not interrupted: 0.5 ms on a desktop computer without optimization, 10 ms on a computer
  /// that is twenty times slower.
  static let rows = 20
  /// The time of the steps of one piece. A turn of the loop makes one piece on each of the two sockets of the API, and must
  /// not block the loop for 50 ms.
  static let time = Duration.milliseconds(5)
  /// Size in bytes at which a piece ends.
  static let size = 16_384

  private let reader: LogReader
  private var position: RecordID

  init(_ reader: LogReader, after position: RecordID) {
    self.reader = reader
    self.position = position
  }

  /// The problem of a log that cannot be read. Damage is reported to the logger.
  static func unreadable(_ error: DatabaseError, by logger: any LoggerControls) -> Problem {
    guard error.kind == .damaged else { return Problem(503, "\(error); retry when the log is open") }
    logger.historyFailed(error)
    return Problem(503, "\(error); the logger checks the log and recovers readable records; retry later")
  }

  /// The next rows; empty at the end.
  func next() throws(DatabaseError) -> [StoredRecord] {
    let records = try reader.records(after: position, limit: Self.rows)
    if let last = records.last { position = last.id }
    return records
  }
}

/// The response to `GET /coordinates?lookback_hours=N`: positions as Trace's server lists them, latitude before longitude,
/// without those in a privacy zone.
final class CoordinatesHistory: LogHistory {
  private weak var logger: (any LoggerControls)?
  private let slices: LogSlices
  private let since: Timestamp
  private let hours: Int
  private var count = 0
  private var hasBegun = false
  private var isOver = false

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    self.logger = logger
    let text = request.queryValue("lookback_hours") ?? "24"
    guard let hours = Int(text), (1...87_600).contains(hours) else {
      throw Problem(400, "lookback_hours: expected a whole number of hours from 1 to 87600")
    }
    self.hours = hours
    // Counted from the newest position, so that a device without a clock has a history, too.
    do throws(DatabaseError) {
      let reader = try LogReader(directory: logger.logDirectory)
      let newest = try reader.newestLocation()?.record.time
      since = Timestamp(milliseconds: (newest?.milliseconds ?? 0) - Int64(hours) * 3_600_000)
      slices = LogSlices(reader, after: try reader.lastID(before: since))
    } catch { throw LogSlices.unreadable(error, by: logger) }
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !isOver else { return nil }
    var text: [UInt8] = []
    if !hasBegun {
      hasBegun = true
      text += Array("{\"status\":\"success\",\"lookback_hours\":\(hours),\"coordinates\":[".utf8)
    }
    let records = try slices.next()
    // The privacy zones of the present configuration apply.
    for stored in logger?.disclosed(records) ?? [] {
      guard case .location(let location) = stored.record.body, let time = stored.record.time, time >= since
      else {
        continue
      }
      if count > 0 { text += Array(",\n".utf8) }
      text += Array("[\"\(time.iso8601())\",".utf8)
      text.appendDecimal(Int64(location.coordinate.latitudeE7), decimals: 7)
      text += Array(",".utf8)
      text.appendDecimal(Int64(location.coordinate.longitudeE7), decimals: 7)
      text += Array("]".utf8)
      count += 1
    }
    if records.isEmpty {
      isOver = true
      text += Array("],\"count\":\(count)}\n".utf8)
    }
    return text
  }
}

/// The response to `GET /events`: events of a period or after an id, oldest first, without the position that the log has of some.
final class EventsHistory: LogHistory {
  private let period: HistoryPeriod
  private let slices: LogSlices
  private let end: RecordID?
  private let rows = EventRows()
  private var count = 0
  private var hasBegun = false
  private var isOver = false

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    guard let after = Int64(request.queryValue("after") ?? "0"), after >= 0 else {
      throw Problem(400, "after: expected the id of an event")
    }
    let period = try HistoryPeriod(request)
    self.period = period
    do throws(DatabaseError) {
      let reader = try LogReader(directory: logger.logDirectory)
      var start = RecordID(after)
      if let from = period.from { start = max(start, try reader.lastID(before: from)) }
      if let to = period.to { end = try reader.lastID(before: to + .milliseconds(1)) } else { end = nil }
      slices = LogSlices(reader, after: start)
    } catch { throw LogSlices.unreadable(error, by: logger) }
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !isOver else { return nil }
    var text = Array((hasBegun ? "" : "{\"events\":[").utf8)
    hasBegun = true
    let records = try slices.next()
    for stored in records {
      guard period.contains(stored), let json = rows.json(of: stored) else { continue }
      if count > 0 { text += Array(",\n".utf8) }
      text += json
      count += 1
    }
    let isLast = end.map { end in records.last.map { $0.id >= end } ?? true } ?? false
    if records.isEmpty || isLast {
      isOver = true
      text += Array("]}\n".utf8)
    }
    return text
  }
}

/// Renders events as rows of `GET /events`.
public struct EventRows {
  private struct Row: Encodable {
    var id: Int64
    var time: String?
    var kind: String
    var group: String
    var detail: String
    var value: Int64?
    var fields: EventFields?
  }

  public init() {}

  /// Returns the JSON object of an event; nil for any other record.
  public func json(of stored: StoredRecord) -> [UInt8]? {
    // Some who may read events may not read positions.
    guard case .event(let event) = stored.record.body else { return nil }
    let fields = event.withoutPosition.fields
    let row = Row(
      id: stored.id.rawValue, time: stored.record.time?.iso8601(), kind: event.kind.rawValue,
      group: event.kind.definition.group.rawValue, detail: event.detail, value: event.value,
      fields: fields.isEmpty ? nil : fields)
    return try? SortedJSON.encode(row)
  }
}
