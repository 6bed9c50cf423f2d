import Database
import History
import HTTPServer
import Quantities
import Records
import Store
import System
import WebAccess

/// The response to `GET /days`: the local days of the log, found by bisection over the ids.
///
/// A step reads at most ``LogSlices/rows`` rows; a day takes about as many as the logarithm of its number of records, and
/// the entries of the index of visits and trips.
final class DaysHistory: LogHistory {
  private struct Point {
    var id: RecordID
    var time: Timestamp
    var day: Int

    init(_ found: (id: RecordID, time: Timestamp)) {
      (id, time) = found
      day = LocalTime.day(of: found.time)
    }
  }

  private let reader: LogReader
  private let charges: [String: Double]
  private var last: RecordID
  /// The parts of the log that are not searched yet, the next one last.
  private var parts: [(low: Point, high: Point)] = []
  /// The first record of the present day.
  private var first: Point?
  /// The records of the present day's part of the log that a wrong clock dated.
  private var excluded: Int64 = 0
  private var count = 0
  private var hasBegun = false
  private var isOver = false

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    charges = Dictionary(
      logger.energyByDay.days.map { ($0.day, $0.total_mAh) }, uniquingKeysWith: { first, _ in first })
    do throws(DatabaseError) {
      reader = try LogReader(directory: logger.logDirectory)
      last = .zero
      guard let ids = try reader.ids() else { return }
      last = ids.upperBound
      guard let first = try reader.firstDated(after: RecordID(ids.lowerBound.rawValue - 1), through: last),
        let newest = try reader.lastDated(through: last)
      else { return }
      parts = [(Point(first), Point(newest))]
      self.first = Point(first)
    } catch { throw LogSlices.unreadable(error, by: logger) }
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !isOver else { return nil }
    var text: [UInt8] = []
    if !hasBegun {
      hasBegun = true
      text.append("{\"zone\":")
      text.appendJSONString(LocalTime.zoneName ?? "UTC")
      text.append(",\"days\":[")
    }
    for _ in 0..<LogSlices.rows {
      guard let part = parts.popLast() else {
        if let first { try append(first, through: last, to: &text) }
        isOver = true
        text.append("]}\n")
        return text
      }
      try divide(part.low, part.high, to: &text)
    }
    return text
  }

  /// Divides the part of the log between two records of different days, until they are neighbours.
  private func divide(_ low: Point, _ high: Point, to text: inout [UInt8]) throws(DatabaseError) {
    guard low.day != high.day else { return try exclude(from: low, through: high) }
    let middle = RecordID(low.id.rawValue + (high.id.rawValue - low.id.rawValue) / 2)
    var found = try reader.firstDated(after: middle, through: high.id)
    if found.map({ $0.id >= high.id }) ?? true { found = try reader.lastDated(through: middle) }
    guard let found, found.id > low.id, found.id < high.id else {
      if let first { try append(first, through: RecordID(high.id.rawValue - 1), to: &text) }
      first = high
      return
    }
    parts.append((Point(found), high))
    parts.append((low, Point(found)))
  }

  /// Counts the records between two of the same day that have another day: a clock was wrong at the start of a boot, until
  /// the time became known.
  private func exclude(from low: Point, through high: Point) throws(DatabaseError) {
    var passed = low.id
    for start in try reader.bootStarts(after: low.id, through: high.id, limit: LogSlices.rows) {
      let before = RecordID(start.rawValue - 1)
      guard start > passed,
        let found = try reader.firstDated(after: before, through: high.id).map(Point.init),
        found.day != low.day
      else { continue }
      let end = try returnOfDay(low.day, after: found, through: high)
      excluded += end.rawValue - found.id.rawValue
      passed = end
    }
  }

  /// The first record after a run of another day, by bisection.
  private func returnOfDay(
    _ day: Int, after wrong: Point, through high: Point
  ) throws(DatabaseError) -> RecordID {
    var (low, end) = (wrong.id, high.id)
    while low.rawValue + 1 < end.rawValue {
      let middle = RecordID(low.rawValue + (end.rawValue - low.rawValue) / 2)
      guard let found = try reader.lastDated(through: middle).map(Point.init), found.id > low else {
        low = middle
        continue
      }
      if found.day == day { end = found.id } else { low = middle }
    }
    return end
  }

  private func append(
    _ first: Point, through end: RecordID, to text: inout [UInt8]
  ) throws(DatabaseError) {
    let name = String(
      Timestamp(CalendarDate(daysSince1970: min(max(first.day, -719_162), 2_932_896))).iso8601().prefix(10))
    text.append(count == 0 ? "\n{\"day\":" : ",\n{\"day\":")
    text.appendJSONString(name)
    text.append(key: "from")
    text.append(LocalTime.midnight(of: first.day).milliseconds)
    text.append(key: "to")
    text.append(LocalTime.midnight(of: first.day + 1).milliseconds)
    text.append(key: "first_id")
    text.append(first.id.rawValue)
    text.append(key: "records")
    text.append(max(end.rawValue - first.id.rawValue + 1 - excluded, 0))
    excluded = 0
    if let places = try reader.places(after: RecordID(first.id.rawValue - 1), through: end) {
      text.append(key: "trips")
      text.append(Int64(places.trips))
      text.append(key: "distance_m")
      text.appendDecimal(places.millimetres, decimals: 3)
      text.append(key: "visits")
      text.append(Int64(places.arrivals))
    }
    if let charge = charges[name] {
      text.append(key: "charge_mAh")
      text.appendDecimal(Int64((min(max(charge, -1e9), 1e9) * 1000).rounded()), decimals: 3)
    }
    text.append("}")
    count += 1
  }
}
