import FleetStore
import HTTPServer
import History
import PostgreSQL
import Quantities
import Records
import System
import WebAccess

/// The track of a device in a period, in the columns of the logger's `GET /track`.
///
/// One page reads a bounded number of rows; `next` continues it.
struct FleetTrack {
  /// The most rows that one page reads: a few milliseconds of this thread.
  static let mostRows = 10_000
  /// The most points of one page.
  static let mostPoints = 10_000
  /// The time between two points from which it is a gap, as in the histories of the logger.
  private static let longestPause = Duration.seconds(120)
  private static let mostGaps = 1000
  private static let mostStops = 500
  private static let run = 200
  private static let dayLength: Int64 = 86_400_000

  static let parameters: Set = ["device", "day", "from", "to", "resolution_m", "limit", "after"]

  /// The fixes and keep reasons by their number, as the view `location` names them.
  private static let fixes = [
    "none", "2D", "3D", "differential", "RTK float", "RTK fixed", "dead reckoning",
  ]
  private static let reasons = [
    "event", "transition", "period", "distance", "angle", "speed", "ceiling", "beginning",
  ]

  /// The place of a location in the order.
  private struct Position {
    var time: Int64
    var record: Int64

    var text: String { "\(time).\(record)" }

    init(time: Int64, record: Int64) { (self.time, self.record) = (time, record) }

    init?(_ text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let time = Int64(parts[0]), let record = Int64(parts[1]),
        time >= FleetTrack.earliest, time.magnitude <= FleetTrack.latest
      else { return nil }
      self.init(time: time, record: record)
    }
  }

  /// The years 1 to 9999 in milliseconds; PostgreSQL has no time before 4713 BC.
  fileprivate static let earliest: Int64 = -62_135_596_800_000
  fileprivate static let latest: UInt64 = 253_402_300_799_999

  let device: String
  private let from: Int64
  private let to: Int64
  private let resolution: Int64
  private let limit: Int
  private let after: Position

  /// Reads the query. A day is a local one of this host.
  init(_ request: HTTPRequest, now: Timestamp) throws(Problem) {
    guard let device = request.queryValue("device") else {
      throw Problem(400, "device: the name of a device is required")
    }
    self.device = device
    resolution = try request.wholeNumber("resolution_m", in: 0...100_000) ?? 0
    limit = Int(
      try request.wholeNumber("limit", in: 1...Int64(Self.mostPoints)) ?? Int64(Self.mostPoints))
    let (start, end) = (try request.time("from"), try request.time("to"))
    if let text = request.queryValue("day") {
      guard start == nil, end == nil else { throw Problem(400, "day: give a day, or from and to") }
      guard text.utf8.count == 10, let midnight = Timestamp(iso8601: "\(text)T00:00:00Z") else {
        throw Problem(400, "day: expected a day such as 2026-03-01")
      }
      from = LocalTime.midnight(of: midnight.day).milliseconds
      to = LocalTime.midnight(of: midnight.day + 1).milliseconds &- 1
    } else {
      to = end?.milliseconds ?? max(now.milliseconds, start?.milliseconds ?? 0)
      from = start?.milliseconds ?? to &- Self.dayLength
    }
    guard from <= to else { throw Problem(400, "to: must not be before from") }
    if let text = request.queryValue("after") {
      guard let position = Position(text) else {
        throw Problem(400, "after: expected the value of next in the page before")
      }
      after = position
    } else {
      after = Position(time: from, record: .min)
    }
  }

  // MARK: Reading

  private static let columns = """
    l.record, l.time, l.latitude_e7, l.longitude_e7, l.altitude_mm, l.speed_mmps, l.course_mdeg,
      l.horizontal_accuracy_mm, l.motion, l.fix, l.reasons, l.battery_percent
    """
  private static let id = "(SELECT id FROM outrider.device WHERE name = $1::text)"

  /// The device, the rows of the page, the location before them, the records of its gaps, the newest time, visits, trips.
  var commands: [PostgresCommand] {
    let (name, end) = (PostgresParameter.text(device), PostgresParameter.time(Timestamp(milliseconds: to)))
    let start = PostgresParameter.time(Timestamp(milliseconds: from))
    let position: [PostgresParameter] = [
      .time(Timestamp(milliseconds: after.time)), .int8(after.record),
    ]
    return [
      PostgresCommand("SELECT id FROM outrider.device WHERE name = $1::text", [name]),
      PostgresCommand(
        """
        SELECT \(Self.columns) FROM outrider.location l WHERE l.device = \(Self.id) AND l.time >= $2::timestamptz
          AND (l.time, l.record) > ($2, $3::int8) AND l.time <= $4::timestamptz
        ORDER BY l.time, l.record LIMIT \(Self.mostRows)
        """, [name] + position + [end]),
      PostgresCommand(
        """
        SELECT \(Self.columns) FROM outrider.location l WHERE l.device = \(Self.id) AND l.time <= $2::timestamptz
          AND (l.time, l.record) <= ($2, $3::int8)
        ORDER BY l.time DESC, l.record DESC LIMIT 1
        """, [name] + position),
      DeviceGapRecords.command(
        device: device, after: Timestamp(milliseconds: after.time), after.record,
        to: Timestamp(milliseconds: to), limit: Self.mostRows),
      DeviceGapRecords.newest(device: device),
      PostgresCommand(
        """
        SELECT DISTINCT ON (arrival_time) record, arrival_time, departure_time, latitude_e7, longitude_e7
        FROM outrider.visit WHERE device = \(Self.id) AND arrival_time <= $3::timestamptz
          AND coalesce(departure_time, time) >= $2::timestamptz
        ORDER BY arrival_time, departure_time DESC NULLS LAST LIMIT \(Self.mostStops)
        """, [name, start, end]),
      PostgresCommand(
        """
        SELECT record, start_time, end_time, mode, distance_mm, ending FROM outrider.trip
        WHERE device = \(Self.id) AND start_time <= $3::timestamptz AND end_time >= $2::timestamptz
        ORDER BY start_time LIMIT \(Self.mostStops)
        """, [name, start, end]),
    ]
  }

  // MARK: The answer

  /// The JSON of the page from the results of ``commands``.
  func answer(_ results: [QueryResult]) throws(Problem) -> [UInt8] {
    guard results.count == commands.count else { throw Problem(503, "the database answered incompletely") }
    guard results[0].rowCount > 0 else { throw Problem(404, "no device of this name") }
    let rows = results[1]
    var text = head
    var columns = TrackColumns()
    var path = PathThinner<TrackColumns.Point>(
      resolution > 0 ? PathSimplification(tolerance: Double(resolution), longestRun: Self.run) : nil)
    var last = Self.point(results[2], 0)
    let gaps = self.gaps(results[3], newest: results[4].time(0, 0), after: last)
    let mostTime = gaps.count > Self.mostGaps ? gaps[Self.mostGaps].from.milliseconds : .max
    var count = 0
    var next = rows.rowCount == Self.mostRows ? Self.position(rows, rows.rowCount - 1) : nil
    func write(_ points: [TrackColumns.Point]) {
      for point in points { columns.add(point, to: &text) }
      count += points.count
    }
    for row in 0..<rows.rowCount {
      guard let point = Self.point(rows, row) else { continue }
      if let last, point.time &- last.time > Self.longestPause.wholeMilliseconds { write(path.finish()) }
      last = point
      write(path.take(point, at: point.coordinate))
      if count + path.pending >= limit || point.time >= mostTime {
        let isLast = row == rows.rowCount - 1 && rows.rowCount < Self.mostRows
        next = isLast ? nil : Self.position(rows, row)
        break
      }
    }
    write(path.finish())
    columns.finish(to: &text)
    var lists = PlaceLists()
    // The gap after the last point of a page is found by the next page.
    for gap in gaps where next.map({ gap.from.milliseconds < $0.time }) ?? true {
      // Only a device knows its privacy zones.
      lists.add(gap, hasPrivacyZones: false)
    }
    Self.addVisits(results[5], to: &lists)
    Self.addTrips(results[6], to: &lists)
    text.append("],\n\"gaps\":")
    text += lists.gapList
    text.append(",\n\"visits\":")
    text += lists.visitList
    text.append(",\n\"trips\":")
    text += lists.tripList
    text.append(",\"events\":[],\"undated\":0")
    text.append(key: "count")
    text.append(Int64(count))
    text.append(key: "next")
    if let next { text.appendJSONString(next.text) } else { text.append("null") }
    text.append("}\n")
    return text
  }

  /// The gaps of the page, oldest first; also one that is in progress at its start. `newest` is the end of the records of
  /// the device.
  private func gaps(
    _ rows: QueryResult, newest: Timestamp?, after last: TrackColumns.Point?
  ) -> [GapSearch.Gap] {
    let floor = Timestamp(milliseconds: last.map(\.time) ?? after.time)
    var window = GapWindow(
      longest: Self.longestPause, floor: floor, last: Timestamp(milliseconds: to))
    let records = DeviceGapRecords.records(rows)
    let gaps = records.flatMap { window.take($0) } + window.finish(at: newest)
    return gaps.sorted { $0.from < $1.from }
  }

  private var head: [UInt8] {
    var text: [UInt8] = []
    text.append("{\"device\":")
    text.appendJSONString(device)
    text.append(key: "from")
    text.append(iso8601: Timestamp(milliseconds: from))
    text.append(key: "to")
    text.append(iso8601: Timestamp(milliseconds: to))
    text.append(key: "resolution_m")
    text.append(resolution)
    for (key, words) in [
      ("motions", TrackColumns.motions), ("fixes", Self.fixes), ("reasons", Self.reasons),
    ] as [(StaticString, [String])] {
      text.append(key: key)
      text += Array("[\(words.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
    }
    text.append(",\n\"points\":[")
    return text
  }

  private static func position(_ rows: QueryResult, _ row: Int) -> Position? {
    guard let record = rows.integer(row, 0), let time = rows.time(row, 1) else { return nil }
    return Position(time: time.milliseconds, record: record)
  }

  /// A row as a point; nil if there is none, or if its coordinates are impossible.
  private static func point(_ rows: QueryResult, _ row: Int) -> TrackColumns.Point? {
    guard let record = rows.integer(row, 0), let time = rows.time(row, 1),
      let latitude = rows.integer(row, 2), let longitude = rows.integer(row, 3),
      let coordinate = Coordinate(
        latitudeE7: Int32(clamping: latitude), longitudeE7: Int32(clamping: longitude))
    else { return nil }
    var point = TrackColumns.Point(id: record, time: time, coordinate: coordinate)
    point.altitude = rows.integer(row, 4).map { $0 / 100 }
    point.speed = rows.integer(row, 5).map { $0 / 10 }
    point.course = rows.integer(row, 6).map { $0 / 100 % 3600 }
    point.accuracy = rows.integer(row, 7).map { $0 / 100 }
    point.motion = motion(rows.integer(row, 8) ?? 0)
    point.fix = rows.integer(row, 9).flatMap { fixes.indices.contains(Int($0)) ? $0 : nil }
    point.kept = rows.integer(row, 10).flatMap { bits in
      let index = bits.trailingZeroBitCount
      return reasons.indices.contains(index) ? Int64(index) : nil
    }
    point.battery = rows.integer(row, 11)
    return point
  }

  /// The index of the most telling motion state of a set: bits walking, running, cycling, driving, stationary.
  private static func motion(_ bits: Int64) -> Int64 {
    for (bit, index) in [(4, 4), (8, 5), (1, 2), (2, 3), (16, 1)] as [(Int64, Int64)] where bits & bit != 0 {
      return index
    }
    return 0
  }

  private static func addVisits(_ rows: QueryResult, to lists: inout PlaceLists) {
    for row in 0..<rows.rowCount {
      guard let id = rows.integer(row, 0) else { continue }
      var coordinate: Coordinate?
      if let latitude = rows.integer(row, 3), let longitude = rows.integer(row, 4) {
        coordinate = Coordinate(
          latitudeE7: Int32(clamping: latitude), longitudeE7: Int32(clamping: longitude))
      }
      lists.add(visit: id, from: rows.time(row, 1), to: rows.time(row, 2), at: coordinate)
    }
  }

  private static func addTrips(_ rows: QueryResult, to lists: inout PlaceLists) {
    for row in 0..<rows.rowCount {
      guard let id = rows.integer(row, 0), let start = rows.time(row, 1) else { continue }
      lists.add(
        trip: id, start: start, end: rows.time(row, 2), mode: rows.text(row, 3),
        metres: rows.integer(row, 4).map { max($0, 0) / 1000 }, reason: rows.text(row, 5))
    }
  }
}
