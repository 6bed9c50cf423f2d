import FoundationEssentials
import HTTPServer
import Quantities
import Records
import Store

/// What an answer tells of the log, slice by slice.
protocol LogHistory: AnyObject {
  /// Opens the log in `directory` for reading. Throws what is wrong with the question.
  init(_ request: HTTPRequest, directory: String) throws(Problem)
  /// The next piece of the JSON; nil at the end.
  func next() -> [UInt8]?
}

/// Reads the log from an id on, a bounded number of rows at a time.
final class LogSlices {
  /// Rows read at a time; some milliseconds on a small machine.
  static let rows = 200

  private let reader: LogReader
  private var position: RecordID

  init(directory: String, since: Timestamp?, after: RecordID = .zero) throws(Problem) {
    do {
      let reader = try LogReader(directory: directory)
      position = if let since { try reader.lastID(before: since) } else { after }
      self.reader = reader
    } catch {
      throw Problem(503, "\(error); ask again once the log is open")
    }
  }

  /// The next rows; empty at the end, or where the log can no longer be read.
  func next() -> [StoredRecord] {
    let records = (try? reader.records(after: position, limit: Self.rows)) ?? []
    if let last = records.last { position = last.id }
    return records
  }
}

/// `GET /coordinates?lookback_hours=N`: positions as Trace's server lists them, latitude before longitude.
final class CoordinatesHistory: LogHistory {
  private let slices: LogSlices
  private let since: Timestamp
  private let hours: Int
  private var count = 0
  private var hasBegun = false
  private var isOver = false

  init(_ request: HTTPRequest, directory: String) throws(Problem) {
    let text = request.queryValue("lookback_hours") ?? "24"
    guard let hours = Int(text), (1...87_600).contains(hours) else {
      throw Problem(400, "lookback_hours: expected a whole number from 1 to 87600")
    }
    self.hours = hours
    // Counted from the newest position: a box whose clock is not set has a history too.
    let newest: Timestamp?
    do { newest = try LogReader(directory: directory).newestLocation()?.record.time } catch {
      throw Problem(503, "\(error); ask again once the log is open")
    }
    since = Timestamp(milliseconds: (newest?.milliseconds ?? 0) - Int64(hours) * 3_600_000)
    slices = try LogSlices(directory: directory, since: since)
  }

  func next() -> [UInt8]? {
    guard !isOver else { return nil }
    var text: [UInt8] = []
    if !hasBegun {
      hasBegun = true
      text += Array("{\"status\":\"success\",\"lookback_hours\":\(hours),\"coordinates\":[".utf8)
    }
    let records = slices.next()
    for stored in records {
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
    // White space keeps the answer alive over stretches without a position.
    return text.isEmpty ? Array("\n".utf8) : text
  }
}

/// `GET /events?after=ID`: what happened, oldest first.
final class EventsHistory: LogHistory {
  private struct Row: Encodable {
    var id: Int64
    var time: String?
    var kind: String
    var detail: String
    var value: Int64?
  }

  private let slices: LogSlices
  private let encoder = JSONEncoder()
  private var count = 0
  private var hasBegun = false
  private var isOver = false

  init(_ request: HTTPRequest, directory: String) throws(Problem) {
    guard let after = Int64(request.queryValue("after") ?? "0"), after >= 0 else {
      throw Problem(400, "after: expected the id of an event")
    }
    slices = try LogSlices(directory: directory, since: nil, after: RecordID(after))
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func next() -> [UInt8]? {
    guard !isOver else { return nil }
    var text = Array((hasBegun ? "" : "{\"events\":[").utf8)
    hasBegun = true
    let records = slices.next()
    for stored in records {
      guard case .event(let event) = stored.record.body else { continue }
      let row = Row(
        id: stored.id.rawValue, time: stored.record.time?.iso8601(), kind: event.kind.rawValue,
        detail: event.detail, value: event.value)
      guard let json = try? encoder.encode(row) else { continue }
      if count > 0 { text += Array(",\n".utf8) }
      text += json
      count += 1
    }
    if records.isEmpty {
      isOver = true
      text += Array("]}\n".utf8)
    }
    return text.isEmpty ? Array("\n".utf8) : text
  }
}
