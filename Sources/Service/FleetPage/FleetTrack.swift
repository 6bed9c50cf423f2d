import HTTPServer
import History
import PostgreSQL
import Quantities
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
  static let longestPause: Int64 = 120_000
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
        time.magnitude <= FleetTrack.latest
      else { return nil }
      self.init(time: time, record: record)
    }
  }

  private struct Gap {
    var from: Int64
    var to: Int64?
    var reason: String
    var sentence: String
  }

  fileprivate static let latest: UInt64 = 253_402_300_799_999

  let device: String
  private let from: Int64
  private let to: Int64
  private let resolution: Int64
  private let limit: Int
  private let after: Position

  /// Reads the query; `offset` is that of local days from UTC in seconds.
  init(_ request: HTTPRequest, now: Timestamp, offset: Int64) throws(Problem) {
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
      from = midnight.milliseconds &- offset &* 1000
      to = from &+ Self.dayLength &- 1
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

  /// The rows of the page, the location before them, the reasons of gaps, visits and trips.
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
          AND l.time > $2 - interval '7 days' AND (l.time, l.record) <= ($2, $3::int8)
        ORDER BY l.time DESC, l.record DESC LIMIT 1
        """, [name] + position),
      PostgresCommand(
        """
        SELECT from_time, to_time, reason, detail FROM fleet.gap
        WHERE device = $1::text AND from_time <= $3::timestamptz AND coalesce(to_time, from_time) >= $2::timestamptz
        ORDER BY from_time LIMIT \(Self.mostGaps)
        """, [name, start, end]),
      PostgresCommand(
        """
        SELECT DISTINCT ON (arrival_time) record, arrival_time, departure_time, latitude_e7, longitude_e7
        FROM outrider.visit WHERE device = \(Self.id) AND arrival_time <= $3::timestamptz
          AND coalesce(departure_time, time) >= $2::timestamptz
        ORDER BY arrival_time, departure_time DESC NULLS LAST LIMIT \(Self.mostStops)
        """, [name, start, end]),
      PostgresCommand(
        """
        SELECT record, start_time, end_time, mode, distance_mm FROM outrider.trip
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
    var gaps: [UInt8] = []
    var path = PathThinner<TrackColumns.Point>(
      resolution > 0 ? PathSimplification(tolerance: Double(resolution), longestRun: Self.run) : nil)
    let explained = Self.explanations(results[3])
    var last = Self.point(results[2], 0)
    var (count, gapCount) = (0, 0)
    var next = rows.rowCount == Self.mostRows ? Self.position(rows, rows.rowCount - 1) : nil
    func write(_ points: [TrackColumns.Point]) {
      for point in points { columns.add(point, to: &text) }
      count += points.count
    }
    for row in 0..<rows.rowCount {
      guard let point = Self.point(rows, row) else { continue }
      if let last, point.time &- last.time > Self.longestPause {
        write(path.finish())
        Self.append(from: last, to: point, explained, to: &gaps)
        gapCount += 1
      }
      last = point
      write(path.take(point, at: point.coordinate))
      if count + path.pending >= limit || gapCount >= Self.mostGaps {
        let isLast = row == rows.rowCount - 1 && rows.rowCount < Self.mostRows
        next = isLast ? nil : Self.position(rows, row)
        break
      }
    }
    write(path.finish())
    columns.finish(to: &text)
    text.append("],\n\"gaps\":[")
    text += gaps
    text.append("],\n\"visits\":[")
    Self.appendVisits(results[4], to: &text)
    text.append("],\"trips\":[")
    Self.appendTrips(results[5], to: &text)
    text.append("],\"events\":[],\"undated\":0")
    text.append(key: "count")
    text.append(Int64(count))
    text.append(key: "next")
    if let next { text.appendJSONString(next.text) } else { text.append("null") }
    text.append("}\n")
    return text
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

  private static func explanations(_ rows: QueryResult) -> [Gap] {
    (0..<rows.rowCount).compactMap { row in
      guard let from = rows.time(row, 0)?.milliseconds else { return nil }
      return Gap(
        from: from, to: rows.time(row, 1)?.milliseconds, reason: rows.text(row, 2) ?? "",
        sentence: rows.text(row, 3) ?? "")
    }
  }

  /// The explanation that covers most of a pause; one without an end covers nothing, but counts if there is no other.
  private static func explanation(of pause: ClosedRange<Int64>, _ gaps: [Gap]) -> Gap? {
    gaps.filter { $0.from <= pause.upperBound && ($0.to ?? $0.from) >= pause.lowerBound }
      .max { cover($0, pause) < cover($1, pause) }
  }

  private static func cover(_ gap: Gap, _ pause: ClosedRange<Int64>) -> Int64 {
    min(gap.to ?? gap.from, pause.upperBound) &- max(gap.from, pause.lowerBound)
  }

  private static func append(
    from start: TrackColumns.Point, to end: TrackColumns.Point, _ explained: [Gap], to text: inout [UInt8]
  ) {
    let found = explanation(of: start.time...end.time, explained)
    let reason = found?.reason ?? "unknown"
    let words = reason.split(separator: "_").joined(separator: " ")
    let none = "no event explains this gap; records may still be on the device"
    text.append(text.isEmpty ? "{\"from\":" : ",\n{\"from\":")
    text.append(start.time)
    text.append(key: "to")
    text.append(end.time)
    text.append(key: "metres")
    text.append(Int64(start.coordinate.distance(to: end.coordinate).rounded()))
    text.append(key: "reason")
    text.appendJSONString(reason)
    text.append(key: "sentence")
    text.appendJSONString(
      found.map { $0.sentence.isEmpty ? words : "\(words): \($0.sentence)" } ?? none)
    for (key, value) in [
      ("lat_from", start.coordinate.latitudeE7), ("lon_from", start.coordinate.longitudeE7),
      ("lat_to", end.coordinate.latitudeE7), ("lon_to", end.coordinate.longitudeE7),
    ] as [(StaticString, Int32)] {
      text.append(key: key)
      text.append(Int64(value))
    }
    text.append("}")
  }

  private static func appendVisits(_ rows: QueryResult, to text: inout [UInt8]) {
    for row in 0..<rows.rowCount {
      text.append(row == 0 ? "{\"id\":" : ",\n{\"id\":")
      text.append(optional: rows.integer(row, 0))
      text.append(key: "from")
      text.append(optional: rows.time(row, 1)?.milliseconds)
      text.append(key: "to")
      text.append(optional: rows.time(row, 2)?.milliseconds)
      text.append(key: "open")
      text.append(rows.time(row, 2) == nil ? "true" : "false")
      text.append(key: "lat")
      text.append(optional: rows.integer(row, 3))
      text.append(key: "lon")
      text.append(optional: rows.integer(row, 4))
      text.append("}")
    }
  }

  private static func appendTrips(_ rows: QueryResult, to text: inout [UInt8]) {
    for row in 0..<rows.rowCount {
      text.append(row == 0 ? "{\"id\":" : ",\n{\"id\":")
      text.append(optional: rows.integer(row, 0))
      text.append(key: "from")
      text.append(optional: rows.time(row, 1)?.milliseconds)
      text.append(key: "to")
      text.append(optional: rows.time(row, 2)?.milliseconds)
      text.append(key: "mode")
      text.appendJSONString(rows.text(row, 3) ?? "")
      text.append(key: "distance_m")
      text.append(optional: rows.integer(row, 4).map { $0 / 1000 })
      text.append(key: "open")
      text.append("false}")
    }
  }
}
