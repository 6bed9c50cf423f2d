import Database
import Foundation
import Glibc
import Quantities
import Records
import Testing
import TextSnapshots

@testable import Store

/// The views are a stable interface for other programs.
@Suite struct ViewTests {
  static let texts = TextSnapshot("store")

  @Test func aLocationHasTheDocumentedColumns() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    var record = fix(1, wifi: "net")
    if case .location(var location) = record.body {
      location.motion = [.stationary, .driving]
      location.verticalAccuracyMillimetres = 4100
      location.speedAccuracyMillimetresPerSecond = 300
      location.courseAccuracyMillidegrees = 1500
      record.body = .location(location)
    }
    _ = try log.append([record, fix(2, dated: false)])
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    let row = try reader.firstRow(
      """
      SELECT id, time, latitude, longitude, altitude_m, speed_mps, course_deg, horizontal_accuracy_m,
        vertical_accuracy_m, motion, speed_accuracy_mps, course_accuracy_deg, fix, satellites, battery_state,
        battery_percent, wifi, device_id, accuracy_source, time_quality, boot, moment_ms FROM location
      """)
    #expect(
      row == [
        .integer(1), .integer(1_780_000_001_000), .real(52.0000001), .real(12.9999999), .real(34.001),
        .real(0.001), .real(0.001), .real(2.5), .real(4.1), .text("driving;stationary"), .real(0.3),
        .real(1.5),
        .text("3D"), .integer(11), .text("unplugged"), .integer(80), .text("net"), .text("van"),
        .text("receiver"), .text("receiver"), .integer(1), .integer(1000),
      ])
    #expect(try reader.firstRow("SELECT time FROM location WHERE id = 2") == [.null])
  }

  @Test func hdopHasAColumnAlsoInAnOlderLog() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append([fix(1)])
      try log.close()
    }
    // As the version before this column left it.
    let old = try Connection(path: scratch.path + "/outrider.db", access: .readWrite)
    try old.execute(
      "DROP VIEW location;" + LogViews.locationWithoutDilution
        + "DELETE FROM migration WHERE name = 'the dilution of a location'")
    let (log, _) = try scratch.open()
    var record = fix(2)
    if case .location(var location) = record.body {
      location.horizontalDilutionTenths = 8
      record.body = .location(location)
    }
    _ = try log.append([record])
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    #expect(
      try reader.rows("SELECT id, hdop FROM location") == [[.integer(1), .null], [.integer(2), .real(0.8)]])
    let stored = try LogReader(directory: scratch.path).records(after: .zero, limit: 2).map(\.record.body)
    #expect(stored == [fix(1).body, record.body])
  }

  /// The column is the last one, and an older log has it for every trip.
  @Test func reconstructedTripsHaveAColumnAlsoInAnOlderLog() throws {
    let scratch = try Scratch()
    let time = Instant.utc(Timestamp(milliseconds: DetailRecordTests.base))
    var trip = try DetailRecordTests.trip(start: time, end: time)
    do {
      let (log, _) = try scratch.open()
      _ = try log.append([DetailRecordTests.record(.trip(trip))])
      try log.close()
    }
    // As the version before this column left it.
    let old = try Connection(path: scratch.path + "/outrider.db", access: .readWrite)
    try old.execute(
      "DROP VIEW trip;" + LogViews.firstTrip
        + "DELETE FROM migration WHERE name = 'trips that are reconstructed'")
    let before = try old.rows("SELECT name FROM pragma_table_info('trip')")
    let (log, _) = try scratch.open()
    trip.isReconstructed = true
    _ = try log.append([DetailRecordTests.record(.trip(trip))])
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    #expect(try reader.rows("SELECT reconstructed FROM trip") == [[.integer(0)], [.integer(1)]])
    #expect(
      try reader.rows("SELECT name FROM pragma_table_info('trip')") == before + [[.text("reconstructed")]])
    let stored = try LogReader(directory: scratch.path).records(after: .zero, limit: 2).map(\.record.body)
    #expect(stored.last == .trip(trip) && stored.first != .trip(trip))
  }

  /// Values that a faulty or foreign program may have written.
  @Test(arguments: [("0", false), ("1", true), ("7", true), ("-1", true), ("null", false)])
  func aForeignValueOfReconstructedIsReadAsANumber(_ row: (mark: String, isReconstructed: Bool)) throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let time = Instant.utc(Timestamp(milliseconds: DetailRecordTests.base))
    var trip = try DetailRecordTests.trip(start: time, end: time)
    trip.isReconstructed = true
    let stored = StoredRecord(id: RecordID(1), boot: 1, record: DetailRecordTests.record(.trip(trip)))
    var columns = RecordRow.columns(of: stored, isLate: false)
    let detail = try #require(columns[25].text)
    columns[25] = .text(
      detail.replacingOccurrences(of: #""reconstructed":1"#, with: "\"reconstructed\":\(row.mark)"))
    columns[RecordRow.Column.checksum] = RecordRow.checksum(of: columns)
    guard case .record(let read, _) = RecordRow.read(columns), case .trip(let trip) = read.record.body else {
      return #expect(Bool(false), "the row is not read")
    }
    #expect(trip.isReconstructed == row.isReconstructed)
    withExtendedLifetime(log) {}
  }

  @Test func aReaderExplainsWhyItRejectsAnOlderLogOrAForeignFile() throws {
    let scratch = try Scratch()
    var refusals: [DatabaseError] = []
    for (name, steps) in [("older", Array(LogSchema.migrations.prefix(3))), ("foreign", [])] {
      let directory = scratch.path + "/" + name
      mkdir(directory, 0o700)
      let connection = try Connection(path: directory + "/outrider.db", access: .readWrite)
      try connection.execute("CREATE TABLE other (x INTEGER)")
      if !steps.isEmpty { try connection.migrate(steps) }
      let refusal = try #require(thrown(DatabaseError.self) { _ = try LogReader(directory: directory) })
      #expect(refusal.path == directory + "/outrider.db")
      refusals.append(refusal)
    }
    try #require(refusals.count == 2)
    #expect(refusals[0].message == Self.texts.expected("log of an older version", refusals[0].message))
    #expect(refusals[1].message == Self.texts.expected("not a log", refusals[1].message))
  }

  /// Reading from a given time, in a log of one record per second whose clock was temporarily wrong.
  @Test(arguments: [(50, 20, 12), (60, 30, 60), (30, 400, 100), (50, 1, 190), (50, 600, 300), (0, 500, 100)])
  func aRunOfWrongDatesDoesNotHideEarlierRecords(_ row: (from: Int, wrong: Int, length: Int)) throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let records = (1...1000).map { second -> LogRecord in
      let isWrong = (row.wrong + 100..<row.wrong + 100 + row.length).contains(second)
      var record = fix(second)
      if isWrong { record.time = record.time.map { $0 + .seconds(-30 * 86_400) } }
      return record
    }
    _ = try log.append(records)
    let reader = try LogReader(directory: scratch.path)
    let since = try #require(fix(row.from).time)
    let boundary = try reader.lastID(before: since)
    #expect(boundary == RecordID(max(Int64(row.from) - 1, 0)), "\(row)")
  }

  @Test func aBareLocationHasNullsAndAnEmptyMotion() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let coordinate = try #require(Coordinate(latitudeE7: -1, longitudeE7: 0))
    let bare = LocationRecord(coordinate: coordinate, deviceID: "")
    _ = try log.append([LogRecord(moment: .zero, time: nil, timeQuality: .none, body: .location(bare))])
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    #expect(
      try reader.firstRow("SELECT motion, altitude_m, satellites, wifi, latitude FROM location")
        == [.text(""), .null, .null, .text(""), .real(-1e-7)])
  }

  @Test func anEventHasTheDocumentedColumns() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([event(.clockSet, number: 3)])
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    #expect(
      try reader.firstRow("SELECT id, time, kind, detail, value, boot, moment_ms FROM event") == [
        .integer(1), .integer(1_780_000_003_000), .text("clock_set"), .text("d3"), .integer(7), .integer(1),
        .integer(3000),
      ])
  }

  @Test func theViewUsesTheNamesOfTheEnumerations() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let reader = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    func word(_ column: String, _ change: (inout LocationRecord) -> Void) throws -> String? {
      var record = fix(1)
      guard case .location(var location) = record.body else { return nil }
      change(&location)
      record.body = .location(location)
      _ = try log.append([record])
      return try reader.firstRow("SELECT \(column) FROM location ORDER BY id DESC LIMIT 1")?.first?.text
    }
    for kind in FixKind.allCases { #expect(try word("fix") { $0.fixKind = kind } == "\(kind.word)") }
    for state in BatteryState.allCases {
      #expect(try word("battery_state") { $0.batteryState = state } == "\(state.word)")
    }
    for source in AccuracySource.allCases {
      #expect(try word("accuracy_source") { $0.accuracySource = source } == "\(source.word)")
    }
    for (state, text) in MotionStates.words { #expect(try word("motion") { $0.motion = state } == "\(text)") }
  }

  @Test func aReaderSeesCommittedRecordsWhileAGroupIsBeingWritten() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([fix(1)])
    let reader = try LogReader(directory: scratch.path)
    try log.connection.transaction { () throws(DatabaseError) in
      _ = try log.insert([fix(2)])
      let seen = try? reader.status()
      #expect(seen?.count == 1)
    }
    log.recordAppended(1, queued: 1)
    #expect(try reader.status().count == 2)
    _ = try log.append([fix(3)])
    #expect(try reader.newestLocation()?.id == RecordID(3))
  }

  @Test func aClosedLogCanBeReadWithoutALogger() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append([fix(1), event(.stopped, number: 2)])
      try log.register(batchSizes: ["home": 5])
      try log.close()
    }
    let status = try LogReader(directory: scratch.path).status()
    #expect(status.ids == RecordID(1)...RecordID(2) && status.count == 2)
    #expect(status.destinations == [.init(name: "home", acknowledged: .zero, queued: 1)])
    #expect(
      status.newestLocation?.record == fix(1) && status.newestEvent?.record == event(.stopped, number: 2))
  }

  @Test func theQueueCountIsUpdatedWithoutARecount() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 5])
    func queued() throws -> Int? { try log.status().destinations.first?.queued }
    #expect(try queued() == 0)
    _ = try log.append((1...8).map { fix($0) } + [fix(9, dated: false), event(.started)])
    #expect(try queued() == 8)
    try log.acknowledge(try #require(try log.batch()))
    #expect(try queued() == 3)
    _ = try log.date(offset: 0, quality: .saved)
    #expect(try queued() == 4)
    #expect(try LogReader(directory: scratch.path).status().withoutNewest == log.status())
  }

  @Test func theOldestRecordOfAQueueIsNeitherAnEventNorUndatedNorAcknowledged() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 5])
    let (second, seventh) = (try #require(fix(2).time), try #require(fix(7).time))
    #expect(try log.oldestQueued() == [:])
    _ = try log.append([event(.started), fix(1, dated: false)] + (2...9).map { fix($0) })
    #expect(try log.oldestQueued() == ["home": second])
    try log.acknowledge(try #require(try log.batch()))
    #expect(try log.oldestQueued() == ["home": seventh])
    // A record that was dated later is sent later, but is older.
    _ = try log.date(offset: 1000, quality: .saved)
    #expect(try log.oldestQueued() == ["home": Timestamp(milliseconds: 2000)])
    while let batch = try log.batch() { try log.acknowledge(batch) }
    #expect(try log.oldestQueued() == [:])
  }

  @Test func textsAreTruncatedSoThatARowFitsInAPage() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    var record = fix(1, wifi: String(repeating: "ä", count: 50))
    if case .location(var location) = record.body {
      location.deviceID = String(repeating: "x", count: 5000)
      record.body = .location(location)
    }
    var wide = EventRecord(.started)
    wide.detail = String(repeating: "y", count: 5000)
    _ = try log.append([record, LogRecord(moment: .zero, time: nil, timeQuality: .none, body: .event(wide))])
    guard case .location(let location) = try log.newestLocation()?.record.body else {
      Issue.record("no location")
      return
    }
    #expect(location.wifi == String(repeating: "ä", count: 32) && location.deviceID.utf8.count == 128)
    guard case .event(let event) = try LogReader(directory: scratch.path).status().newestEvent?.record.body
    else {
      Issue.record("no event")
      return
    }
    #expect(event.detail.utf8.count == 800)
  }
}
