import Database
import History
import Quantities

/// Reads the locations of one device from the table `features`, in order of time, a bounded number at a time.
struct CollectedPoints {
  /// The place of a location in the order: its time, and its row among those of the same time.
  struct Position: Equatable {
    var time: Int64
    var row: Int64

    /// The text of `next` and `after`.
    var text: String { "\(time)-\(row)" }

    init(time: Int64, row: Int64) { (self.time, self.row) = (time, row) }

    /// Reads ``text``; nil for anything else.
    init?(_ text: String) {
      guard let dash = text.lastIndex(of: "-"), let time = Int64(text[..<dash]),
        let row = Int64(text[text.index(after: dash)...]), row >= 0
      else { return nil }
      self.init(time: time, row: row)
    }
  }

  /// A device that has sent locations.
  struct Device: Equatable {
    /// The name; nil for locations without one.
    var name: String?
    /// The time of its first and last location.
    var first: Int64
    var last: Int64
  }

  /// The most devices that are listed.
  static let mostDevices = 500

  private static let located = """
    kind = 'location' AND time_ms IS NOT NULL AND latitude_e7 IS NOT NULL AND longitude_e7 IS NOT NULL
    """
  private static let columns = """
    rowid, time_ms, latitude_e7, longitude_e7, altitude_m, speed_mps, course_deg, horizontal_accuracy_m, motion,
    battery_level
    """
  private static let following = """
    SELECT \(columns) FROM features
    WHERE \(located) AND device_id IS ?1 AND (time_ms, rowid) > (?2, ?3) AND time_ms <= ?4
    ORDER BY time_ms, rowid LIMIT ?5
    """
  private static let preceding = """
    SELECT \(columns) FROM features
    WHERE \(located) AND device_id IS ?1 AND (time_ms, rowid) <= (?2, ?3)
    ORDER BY time_ms DESC, rowid DESC LIMIT 1
    """
  /// Each name is the least one above the name before, so that the index is entered once a device.
  private static let names = """
    WITH RECURSIVE known(name) AS (
      SELECT min(device_id) FROM features WHERE \(located)
      UNION ALL
      SELECT (SELECT min(device_id) FROM features WHERE \(located) AND device_id > known.name)
      FROM known WHERE known.name IS NOT NULL LIMIT \(mostDevices + 1))
    SELECT name FROM known WHERE name IS NOT NULL
    """
  private static let span = """
    SELECT (SELECT min(time_ms) FROM features WHERE \(located) AND device_id IS ?1),
      (SELECT max(time_ms) FROM features WHERE \(located) AND device_id IS ?1)
    """

  private let connection: Connection

  init(_ table: FeatureTable) { connection = table.connection }

  /// All devices, the one with the newest location first.
  func devices() throws(DatabaseError) -> [Device] {
    var names: [String?] = [nil]
    for row in try connection.rows(Self.names) { names.append(row.first?.text) }
    var devices: [Device] = []
    for name in names {
      if let device = try device(name) { devices.append(device) }
    }
    return devices.sorted { $0.last > $1.last }
  }

  /// A device by its name; nil if it has sent no location.
  func device(_ name: String?) throws(DatabaseError) -> Device? {
    let row = try connection.firstRow(Self.span, [name.map { .text($0) } ?? .null])
    guard let row, row.count == 2, let first = row[0].integer, let last = row[1].integer else { return nil }
    return Device(name: name, first: first, last: last)
  }

  /// The next locations after a position, through a time, and the position of the last row; nil at the end.
  func next(
    of device: String?, after position: Position, through end: Int64, limit: Int
  ) throws(DatabaseError) -> (points: [TrackColumns.Point], last: Position)? {
    let (points, last) = try points(
      Self.following,
      [
        device.map { .text($0) } ?? .null, .integer(position.time), .integer(position.row), .integer(end),
        .integer(Int64(limit)),
      ])
    return last.map { (points, $0) }
  }

  /// The location at a position or the last one before; nil if there is none, or if its coordinates are impossible.
  func last(of device: String?, through position: Position) throws(DatabaseError) -> TrackColumns.Point? {
    try points(
      Self.preceding, [device.map { .text($0) } ?? .null, .integer(position.time), .integer(position.row)]
    ).points.first
  }

  /// Rows with impossible coordinates are left out.
  private func points(
    _ sql: String, _ values: [ColumnValue]
  ) throws(DatabaseError) -> (points: [TrackColumns.Point], last: Position?) {
    let statement = try connection.statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    var points: [TrackColumns.Point] = []
    var last: Position?
    while try statement.step() {
      guard let row = statement[0].integer, let time = statement[1].integer,
        let latitude = statement[2].integer, let longitude = statement[3].integer
      else { continue }
      last = Position(time: time, row: row)
      let place = TrackPoint(
        time: Timestamp(milliseconds: time), latitudeE7: latitude, longitudeE7: longitude)
      guard let coordinate = place.coordinate else { continue }
      var point = TrackColumns.Point(id: row, time: place.time, coordinate: coordinate)
      // As given: negative is unknown, except for the altitude.
      point.altitude = Self.whole(Self.real(statement[4]), 10)
      point.speed = Self.whole(Self.known(statement[5]), 100)
      point.course = Self.whole(Self.known(statement[6]), 10).map { $0 % 3600 }
      point.accuracy = Self.whole(Self.known(statement[7]), 10)
      point.motion = Self.motion(statement[8].text ?? "")
      point.battery = Self.whole(Self.known(statement[9]).flatMap { $0 > 1 ? nil : $0 }, 100)
      points.append(point)
    }
    return (points, last)
  }

  private static func real(_ value: ColumnValue) -> Double? {
    if case .real(let number) = value { number } else { nil }
  }

  /// A value that is not negative.
  private static func known(_ value: ColumnValue) -> Double? { real(value).flatMap { $0 < 0 ? nil : $0 } }

  /// A value in a smaller unit; nil if it is impossible.
  private static func whole(_ value: Double?, _ factor: Double) -> Int64? {
    guard let value, value.isFinite, value.magnitude < 1e9 else { return nil }
    return Int64((value * factor).rounded())
  }

  /// The index of the most telling of several motion states.
  private static func motion(_ words: String) -> Int64 {
    let words = words.split(separator: ",")
    for (word, index) in [
      ("cycling", 4), ("automotive_navigation", 5), ("automotive", 5), ("driving", 5), ("walking", 2),
      ("running", 3),
      ("stationary", 1),
    ] as [(Substring, Int64)] where words.contains(word) {
      return index
    }
    return 0
  }
}
