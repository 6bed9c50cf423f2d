import Database
import Quantities
import Records
import Testing

@testable import Store

/// Visits, trips, actions and the trip of a location read back as they were written, are sent, and are dated with the
/// boot that wrote them.
@Suite struct DetailRecordTests {
  static let base: Int64 = 1_780_000_000_000

  static func location(_ number: Int) throws -> LocationRecord {
    guard case .location(var location) = fix(number, wifi: "net \"x\"\n").body else {
      throw DatabaseError.damaged(path: "", "no location")
    }
    location.trip = .utc(Timestamp(milliseconds: base))
    location.steps = 1234
    location.reasons = [.distance, .angle]
    location.statistics = TrackingStatistics(
      pauses: true, activity: .air, desiredAccuracy: .kilometres3, mode: .both)
    return location
  }

  static func device(_ wifi: String = "") -> DeviceState {
    DeviceState(deviceID: "van", batteryState: .charging, batteryPercent: 41, wifi: wifi)
  }

  static func record(_ body: LogRecord.Body, number: Int = 5, dated: Bool = true) -> LogRecord {
    LogRecord(
      moment: Moment(nanoseconds: Int64(number) * 1_000_000_000),
      time: dated ? Timestamp(milliseconds: base + Int64(number) * 1000) : nil, timeQuality: .receiver,
      body: body)
  }

  static func visit(_ arrival: Instant?, _ departure: Instant? = nil) throws -> VisitRecord {
    var visit = VisitRecord(
      coordinate: try #require(Coordinate(latitude: 52, longitude: -13)), arrival: arrival,
      departure: departure, device: device())
    visit.horizontalAccuracyMillimetres = 4000
    visit.radiusMillimetres = 25_000
    return visit
  }

  static func trip(start: Instant, end: Instant) throws -> TripRecord {
    var trip = TripRecord(
      mode: .gondola, start: start, end: end, durationMilliseconds: 3_600_000,
      distanceMillimetres: 40_000_000_000, isManual: true, ending: .pause, device: device("home"))
    trip.startLocation = TripRecord.Location(try location(1), time: start)
    var tripLocation = try location(2)
    tripLocation.trip = nil
    tripLocation.steps = nil
    tripLocation.reasons = .period
    tripLocation.statistics = nil
    trip.endLocation = TripRecord.Location(tripLocation, time: end)
    trip.steps = 17
    return trip
  }

  static func all() throws -> [LogRecord] {
    let start = Instant.utc(Timestamp(milliseconds: base))
    let end = Instant.utc(Timestamp(milliseconds: base + 3_600_000))
    var bare = TripRecord(
      mode: .car, start: start, end: end, durationMilliseconds: 0, distanceMillimetres: 0, isManual: false,
      ending: .noFix, device: device())
    bare.endLocation = nil
    let tripLocation = try #require(Coordinate(latitude: -1, longitude: 179))
    return [
      record(.location(try location(3))), record(.visit(try visit(start))),
      record(.visit(try visit(start, end))), record(.visit(try visit(nil))),
      record(.trip(try trip(start: start, end: end))), record(.trip(bare)),
      record(.action(ActionRecord(.exitedPauseRegion, at: tripLocation, device: device("n")))),
    ]
  }

  @Test func everyKindReadsBackAsItWasWritten() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let records = try Self.all()
    _ = try log.append(records)
    let read = try LogReader(directory: scratch.path).records(after: .zero, limit: 100)
    #expect(read.map(\.record) == records)
    let batch = try #require(try log.batch(size: 100))
    #expect(batch.records.map(\.record) == records)
    try log.register(batchSizes: ["home": 100])
    #expect(try log.status().destinations.first?.queued == records.count)
    try log.acknowledge(batch)
    #expect(try log.status().destinations.first?.queued == 0)
    #expect(try log.newestLocation()?.record == records[0])
  }

  @Test(arguments: [
    "trip_ms = trip_ms + 1", "steps = NULL", "reasons = 1", "tracking = NULL", "extra_crc = NULL",
    "trip_ms = NULL, steps = NULL, reasons = NULL, tracking = NULL", "detail = 'x'",
    "extra_crc = extra_crc + 1",
  ])
  func aChangedExtraColumnIsDamage(change: String) throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append(try Self.all())
    try log.connection.run("UPDATE record SET \(change) WHERE id = 1")
    var damaged: [RecordID] = []
    _ = try log.batch(for: "home", BatchRequest(size: 20), damaged: &damaged)
    #expect(damaged == [RecordID(1)])
  }

  @Test func instantsOnTheBootClockAreDatedWithTheRecord() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let start = Instant.boot(Moment(nanoseconds: 2_000_999_999))
    let end = Instant.boot(Moment(nanoseconds: 9_000_000_000))
    var inTrip = try Self.location(3)
    inTrip.trip = start
    let bodies: [LogRecord.Body] = [
      .location(inTrip), .visit(try Self.visit(start, end)), .trip(try Self.trip(start: start, end: end)),
    ]
    _ = try log.append(bodies.map { Self.record($0, dated: false) })
    #expect(
      try log.connection.rows("SELECT trip_start_time FROM location").first?.first == .null
        && log.connection.rows("SELECT arrival_time FROM visit").first?.first == .null)
    #expect(try log.date(offset: Self.base, quality: .receiver) == 3)
    let late = try #require(try log.batch())
    #expect(late.isLate && late.ids == [1, 2, 3])
    let startTime = Timestamp(milliseconds: Self.base + 2000)
    let endTime = Timestamp(milliseconds: Self.base + 9000)
    guard case .location(let location) = late.records[0].record.body,
      case .visit(let visit) = late.records[1].record.body, case .trip(let trip) = late.records[2].record.body
    else {
      Issue.record("other kinds")
      return
    }
    #expect(location.trip == .utc(startTime))
    #expect(visit.arrival == .utc(startTime) && visit.departure == .utc(endTime))
    #expect(trip.start == .utc(startTime) && trip.end == .utc(endTime))
    #expect(trip.startLocation?.time == .utc(startTime) && trip.endLocation?.time == .utc(endTime))
    // Records after the date are dated when they are written.
    _ = try log.append([Self.record(.location(inTrip), dated: false)])
    guard case .location(let next) = try log.newestLocation()?.record.body else {
      Issue.record("no location")
      return
    }
    #expect(next.trip == .utc(startTime))
  }

  @Test func theViewsHaveTheDocumentedColumns() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append(try Self.all())
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    #expect(
      try reader.firstRow("SELECT trip_start_time, steps, reasons FROM location")
        == [.integer(Self.base), .integer(1234), .text("distance;angle")])
    #expect(
      try reader.rows(
        """
        SELECT id, time, arrival_time, departure_time, latitude, longitude, horizontal_accuracy_m, radius_m,
          battery_state, battery_percent, wifi, device_id, boot, moment_ms FROM visit
        """)[1] == [
          .integer(3), .integer(Self.base + 5000), .integer(Self.base), .integer(Self.base + 3_600_000),
          .real(52), .real(-13), .real(4), .real(25), .text("charging"), .integer(41), .text(""),
          .text("van"),
          .integer(1), .integer(5000),
        ])
    #expect(
      try reader.rows(
        """
        SELECT id, time, start_time, end_time, mode, duration_s, distance_m, steps, start_latitude,
          start_longitude, end_latitude, end_longitude, is_manual, ending, battery_state, battery_percent,
          wifi, device_id, boot, moment_ms FROM trip
        """) == [
          [
            .integer(5), .integer(Self.base + 5000), .integer(Self.base), .integer(Self.base + 3_600_000),
            .text("gondola"), .real(3600), .real(40_000_000), .integer(17), .real(52.0000001),
            .real(12.9999999), .real(52.0000002), .real(12.9999998), .integer(1), .text("pause"),
            .text("charging"), .integer(41), .text("home"), .text("van"), .integer(1), .integer(5000),
          ],
          [
            .integer(6), .integer(Self.base + 5000), .integer(Self.base), .integer(Self.base + 3_600_000),
            .text("car"), .real(0), .real(0), .null, .null, .null, .null, .null, .integer(0), .text("no fix"),
            .text("charging"), .integer(41), .text(""), .text("van"), .integer(1), .integer(5000),
          ],
        ])
    #expect(
      try reader.firstRow("SELECT id, time, action, latitude, longitude, wifi, device_id FROM action") == [
        .integer(7), .integer(Self.base + 5000), .text("exited_pause_region"), .real(-1), .real(179),
        .text("n"), .text("van"),
      ])
    for (reason, word) in KeepReasons.words {
      var location = try Self.location(4)
      location.reasons = reason
      _ = try log.append([Self.record(.location(location))])
      #expect(
        try reader.firstRow("SELECT reasons FROM location ORDER BY id DESC LIMIT 1") == [.text("\(word)")])
    }
  }

  /// The statements that make a log of an earlier version from a new one.
  static let earlier = [
    """
    DROP VIEW event; ALTER TABLE record DROP COLUMN fields; ALTER TABLE record DROP COLUMN fields_crc;
    CREATE VIEW event AS SELECT id FROM record WHERE kind = 1;
    DELETE FROM migration WHERE name = 'fields of events';
    """,
    """
    DROP VIEW visit; DROP VIEW trip; DROP VIEW action; DROP VIEW location;
    ALTER TABLE record DROP COLUMN trip_ms; ALTER TABLE record DROP COLUMN steps;
    ALTER TABLE record DROP COLUMN reasons; ALTER TABLE record DROP COLUMN tracking;
    ALTER TABLE record DROP COLUMN extra_crc;
    CREATE VIEW location AS SELECT id FROM record WHERE kind = 0;
    DELETE FROM migration WHERE name = 'visits, trips and actions';
    """,
  ]

  /// A log of an earlier version can be read and continued, and its rows survive a salvage together with new ones.
  @Test(arguments: [1, 2]) func rowsWithoutTheExtraColumnsAreReadAndSalvaged(migrations: Int) throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append((1...4).map { fix($0) })
      for statements in Self.earlier.prefix(migrations) { try log.connection.execute(statements) }
      try log.close()
    }
    if migrations == 1 {
      let reader = try LogReader(directory: scratch.path)
      #expect(try reader.records(after: .zero, limit: 10).map(\.record) == (1...4).map { fix($0) })
      #expect(try reader.status().count == 4)
    }
    do {
      let (log, report) = try scratch.open()
      #expect(report.condition == .clean)
      _ = try log.append(try Self.all())
      #expect(try log.batch(size: 100)?.records.prefix(4).map(\.record) == (1...4).map { fix($0) })
      try log.connection.run("UPDATE cursor SET acknowledged = 9")
      try log.close()
    }
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 11)
    let read = try log.batch(size: 100)?.records.map(\.record)
    var expected = (1...4).map { fix($0) }
    expected += try Self.all()
    #expect(read == expected)
  }
}
