import PostgreSQL
import Quantities
import Records

/// The locations, visits, trips and events of one device in the order of its log, read from one snapshot of the database.
///
/// The order is that of the log files, then of the record numbers. Records of programs without numbers are in order of
/// time. The connection is in a transaction until ``end()``, and can do nothing else.
public final class DeviceHistory {
  private let database: BlockingConnection
  private let name: String
  /// The number of rows that the cursor has passed.
  private var passed: Int64 = 0

  /// Begins at `period`, or at the records that explain its first gap (``DeviceLead``). Returns nil if there is no such
  /// device.
  public init?(
    _ database: BlockingConnection, device name: String, in period: DevicePeriod
  ) throws(PostgresError) {
    guard let number = try DeviceLead.number(of: name, database) else { return nil }
    self.database = database
    self.name = name
    try database.run(
      """
      BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      DECLARE history SCROLL CURSOR FOR \(Self.selection(number, period));
      """)
  }

  /// Ends the transaction.
  public func end() throws(PostgresError) { try database.run("ROLLBACK") }

  /// The records after a position, at most `limit`; none at the end. The first record has the position 1.
  public func records(after position: Int64, limit: Int) throws(PostgresError) -> [DeviceRecord] {
    if position != passed { try database.query("MOVE ABSOLUTE \(position) IN history") }
    guard let rows = try database.query("FETCH FORWARD \(limit) FROM history") else { return [] }
    passed = position + Int64(rows.rowCount)
    return (0..<rows.rowCount).map { row in
      DeviceRecord(
        position: position + Int64(row) + 1, number: rows.integer(row, Column.record) ?? 0,
        record: RowReader(rows: rows, row: row, device: name).record)
    }
  }

  // MARK: SQL

  private static func selection(_ device: Int64, _ period: DevicePeriod) -> String {
    func time(_ time: Timestamp) -> String { "to_timestamp(\(time.milliseconds) / 1000.0)" }
    var condition = "device = \(device)"
    if let from = period.from { condition += " AND time >= \(time(from))" }
    if let to = period.to { condition += " AND time < \(time(to))" }
    if let skipped = period.skipped {
      condition += " AND NOT (coalesce(log, 0) = \(skipped.log) AND record <= \(skipped.through))"
    }
    let parts = [location, visit, trip, event].map { table in
      "SELECT \(table.kind), coalesce(log, 0) AS log, record, time, \(table.columns) "
        + "FROM outrider.\(table.name) WHERE \(condition)"
    }
    return """
      SELECT * FROM (\(parts.joined(separator: "\nUNION ALL "))) AS r
      ORDER BY log, CASE WHEN record < 0 THEN extract(epoch FROM time) ELSE record END, record, time
      """
  }

  private typealias Table = (name: String, kind: Int64, columns: String)

  private static let deviceState = "battery_percent, battery_state, wifi, extra ->> 'device_id'"

  private static let location: Table = (
    "location", RowReader.location,
    """
    latitude_e7, longitude_e7, horizontal_accuracy_mm, altitude_mm, speed_mmps, course_mdeg, vertical_accuracy_mm,
    speed_accuracy_mmps, course_accuracy_mdeg, motion, fix, satellites, accuracy_source, time_quality, reasons,
    hdop_tenths, steps, trip AS time1, NULL::timestamptz AS time2, NULL::bigint AS number1, NULL::bigint AS number2,
    NULL::bool AS flag1, NULL::bool AS flag2, NULL::text AS text1, NULL::text AS text2, NULL::text AS text3,
    \(deviceState)
    """
  )

  private static func nulls(_ count: Int, _ type: String) -> String {
    [String](repeating: "NULL::\(type)", count: count).joined(separator: ", ")
  }

  private static let visit: Table = (
    "visit", RowReader.visit,
    """
    latitude_e7, longitude_e7, horizontal_accuracy_mm, radius_mm, \(nulls(5, "int")), \(nulls(7, "smallint")), NULL::int,
    arrival_time, departure_time, \(nulls(2, "bigint")), \(nulls(2, "bool")), \(nulls(3, "text")), \(deviceState)
    """
  )

  private static let trip: Table = (
    "trip", RowReader.trip,
    """
    \(nulls(9, "int")), \(nulls(7, "smallint")), steps, start_time, end_time, duration_ms, distance_mm, is_manual,
    is_reconstructed, mode, ending, NULL::text, \(deviceState)
    """
  )

  private static let event: Table = (
    "event", RowReader.event,
    """
    \(nulls(9, "int")), \(nulls(7, "smallint")), NULL::int, \(nulls(2, "timestamptz")), value, NULL::bigint,
    \(nulls(2, "bool")), kind, detail, fields::text, \(nulls(2, "smallint")), \(nulls(2, "text"))
    """
  )
}

/// A record of a device with its place in a ``DeviceHistory``.
public struct DeviceRecord: Equatable, Sendable {
  /// The place, from 1 on.
  public var position: Int64
  /// The number in the device's log; negative for programs without numbers.
  public var number: Int64
  /// Nil for a row that this version cannot read, such as an event of a later one.
  public var record: StoredRecord?

  /// The record with its position as id, so that ids increase from record to record.
  public var atPosition: StoredRecord? { record.map { stored(as: position, $0) } }

  private func stored(as id: Int64, _ record: StoredRecord) -> StoredRecord {
    StoredRecord(id: RecordID(id), boot: record.boot, record: record.record)
  }
}

/// The part of a device's records that is read.
public struct DevicePeriod: Equatable, Sendable {
  /// The first time; nil for the first record.
  public var from: Timestamp?
  /// The end, which is excluded; nil for none.
  public var to: Timestamp?
  /// Records of a log, through a number, that are left out.
  var skipped: (log: Int64, through: Int64)? {
    get { skippedLog.map { ($0, skippedThrough) } }
    set { (skippedLog, skippedThrough) = (newValue?.log, newValue?.through ?? 0) }
  }
  private var skippedLog: Int64?
  private var skippedThrough: Int64 = 0

  public init(from: Timestamp? = nil, to: Timestamp? = nil) { (self.from, self.to) = (from, to) }
}

/// The columns of the cursor.
private enum Column {
  static let kind = 0
  static let log = 1
  static let record = 2
  static let time = 3
  static let latitude = 4
  static let longitude = 5
  static let horizontalAccuracy = 6
  static let altitude = 7
  static let speed = 8
  static let course = 9
  static let verticalAccuracy = 10
  static let speedAccuracy = 11
  static let courseAccuracy = 12
  static let motion = 13
  static let fix = 14
  static let satellites = 15
  static let accuracySource = 16
  static let timeQuality = 17
  static let reasons = 18
  static let dilution = 19
  static let steps = 20
  static let time1 = 21
  static let time2 = 22
  static let number1 = 23
  static let number2 = 24
  static let flag1 = 25
  static let flag2 = 26
  static let text1 = 27
  static let text2 = 28
  static let text3 = 29
  static let batteryPercent = 30
  static let batteryState = 31
  static let wifi = 32
  static let deviceID = 33
}

/// Makes a record of a row.
private struct RowReader {
  static let location: Int64 = 1
  static let visit: Int64 = 2
  static let trip: Int64 = 3
  static let event: Int64 = 4

  let rows: QueryResult
  let row: Int
  /// The name of the device, unless the row has another one.
  let device: String

  var record: StoredRecord? {
    guard let kind = rows.integer(row, Column.kind), let time = rows.time(row, Column.time),
      let number = rows.integer(row, Column.record), let body = body(kind)
    else { return nil }
    let quality = small(Column.timeQuality).flatMap(ClockQuality.init) ?? .receiver
    // Numbers of different logs are those of different starts.
    return StoredRecord(
      id: RecordID(number), boot: rows.integer(row, Column.log) ?? 0,
      record: LogRecord(moment: .zero, time: time, timeQuality: quality, body: body))
  }

  private func body(_ kind: Int64) -> LogRecord.Body? {
    switch kind {
    case Self.location: locationRecord.map { .location($0) }
    case Self.visit: visitRecord.map { .visit($0) }
    case Self.trip: tripRecord.map { .trip($0) }
    default: eventRecord.map { .event($0) }
    }
  }

  private var locationRecord: LocationRecord? {
    guard let coordinate else { return nil }
    let kind = small(Column.fix).flatMap(FixKind.init) ?? .threeDimensional
    var location = LocationRecord(coordinate: coordinate, fixKind: kind, deviceID: device)
    location.device = state
    location.altitudeMillimetres = int(Column.altitude)
    location.speedMillimetresPerSecond = int(Column.speed)
    location.courseMillidegrees = int(Column.course)
    location.horizontalAccuracyMillimetres = int(Column.horizontalAccuracy)
    location.verticalAccuracyMillimetres = int(Column.verticalAccuracy)
    location.speedAccuracyMillimetresPerSecond = int(Column.speedAccuracy)
    location.courseAccuracyMillidegrees = int(Column.courseAccuracy)
    location.accuracySource = small(Column.accuracySource).flatMap(AccuracySource.init) ?? AccuracySource.none
    location.satellitesUsed = small(Column.satellites)
    location.horizontalDilutionTenths = rows.integer(row, Column.dilution).flatMap { UInt16(exactly: $0) }
    location.motion = MotionStates(rawValue: small(Column.motion) ?? 0)
    location.reasons = KeepReasons(
      rawValue: rows.integer(row, Column.reasons).flatMap { UInt16(exactly: $0) } ?? 0)
    location.steps = int(Column.steps)
    location.trip = instant(Column.time1)
    return location
  }

  private var visitRecord: VisitRecord? {
    guard let coordinate else { return nil }
    var visit = VisitRecord(
      coordinate: coordinate, arrival: instant(Column.time1), departure: instant(Column.time2), device: state)
    visit.horizontalAccuracyMillimetres = int(Column.horizontalAccuracy)
    visit.radiusMillimetres = int(Column.altitude)
    return visit
  }

  private var tripRecord: TripRecord? {
    guard let start = instant(Column.time1), let end = instant(Column.time2),
      let mode = rows.text(row, Column.text1).flatMap(TripMode.init(rawValue:))
    else { return nil }
    let word = rows.text(row, Column.text2)
    var trip = TripRecord(
      mode: mode, start: start, end: end,
      durationMilliseconds: rows.integer(row, Column.number1) ?? 0,
      distanceMillimetres: rows.integer(row, Column.number2) ?? 0,
      isManual: rows.bool(row, Column.flag1) ?? false,
      ending: TripRecord.Ending.allCases.first { "\($0.word)" == word } ?? .stop, device: state)
    trip.steps = int(Column.steps)
    trip.isReconstructed = rows.bool(row, Column.flag2) ?? false
    return trip
  }

  private var eventRecord: EventRecord? {
    guard let kind = rows.text(row, Column.text1).flatMap(EventKind.init(rawValue:)) else { return nil }
    return EventRecord(
      kind, detail: rows.text(row, Column.text2) ?? "", value: rows.integer(row, Column.number1),
      fields: rows.text(row, Column.text3).map(EventFieldsReader.fields) ?? [:])
  }

  private var coordinate: Coordinate? {
    guard let latitude = int(Column.latitude), let longitude = int(Column.longitude) else { return nil }
    return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }

  private var state: DeviceState {
    DeviceState(
      deviceID: rows.text(row, Column.deviceID) ?? device,
      batteryState: small(Column.batteryState).flatMap(BatteryState.init) ?? .unknown,
      batteryPercent: small(Column.batteryPercent), wifi: rows.text(row, Column.wifi) ?? "")
  }

  private func int(_ column: Int) -> Int32? { rows.integer(row, column).flatMap { Int32(exactly: $0) } }
  private func small(_ column: Int) -> UInt8? { rows.integer(row, column).flatMap { UInt8(exactly: $0) } }
  private func instant(_ column: Int) -> Instant? { rows.time(row, column).map { .utc($0) } }
}
