import FleetStore
import Formats
import Foundation
import History
import PostgreSQLSupport
import Quantities
import Records
import Store
import Testing

@testable import outrider_collector

/// `fleet track` writes the file that `outrider export` writes on the device.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct FleetTrackTests {
  static let utc = WallClock { _ in .zero }

  /// Two days with trips, a visit, a restart and a gap.
  static let days: [LogRecord] = {
    var days = [DeviceDay.event(0, .started)]
    func drive(_ seconds: Range<Int>, trip: Int? = nil) {
      for second in stride(from: seconds.lowerBound, to: seconds.upperBound, by: 10) {
        days += DeviceDay.location(second, metres: second) {
          $0.trip = trip.map { .utc(DeviceDay.midnight + .seconds($0)) }
        }
      }
    }
    drive(30_000..<36_000, trip: 30_000)
    days.append(DeviceDay.record(36_010, .trip(trip(30_000, 36_000, .car))))
    if let place = Coordinate(latitudeE7: 525_000_000, longitudeE7: 138_000_000) {
      var visit = VisitRecord(
        coordinate: place, arrival: .utc(DeviceDay.midnight + .seconds(36_100)),
        device: DeviceState(deviceID: "van-17"))
      days.append(DeviceDay.record(36_400, .visit(visit)))
      visit.departure = .utc(DeviceDay.midnight + .seconds(40_000))
      days.append(DeviceDay.record(40_010, .visit(visit)))
    }
    drive(40_020..<41_000)
    days.append(DeviceDay.event(41_005, .started))
    drive(41_010..<42_000)
    drive(43_000..<44_000)
    drive(86_000..<87_000, trip: 86_000)
    days.append(DeviceDay.record(87_010, .trip(trip(86_000, 87_000, .walk))))
    drive(100_000..<101_000)
    return days
  }()

  static func trip(_ start: Int, _ end: Int, _ mode: TripMode) -> TripRecord {
    TripRecord(
      mode: mode, start: .utc(DeviceDay.midnight + .seconds(start)),
      end: .utc(DeviceDay.midnight + .seconds(end)),
      durationMilliseconds: Int64(end - start) * 1000, distanceMillimetres: 5_000_000, isManual: false,
      ending: .stop,
      device: DeviceState(deviceID: "van-17"))
  }

  /// The bytes that the device's export writes for the same period.
  static func device(_ day: DeviceDay, _ period: DevicePeriod, _ format: ExportFormat) throws -> [UInt8] {
    var request = ExportRequest()
    (request.from, request.to, request.hasPrivacyZones) = (period.from, period.to, true)
    let limits = [period.from, period.to].compactMap { $0.map(utc.text) }.joined(separator: " to ")
    let title = ExportTitle(
      creator: "Outrider \(Release.version)", name: limits.isEmpty ? "van-17" : "van-17 \(limits)",
      created: DeviceDay.midnight, zone: "UTC")
    var export = TrackExport(
      request, as: format, title: title, clock: utc,
      after: try period.from.map { try day.reader.lastID(before: $0) } ?? .zero,
      through: try period.to.map { try day.reader.lastID(before: $0) })
    var text: [UInt8] = []
    while !export.isOver {
      let page = try day.reader.records(after: export.position, limit: 333)
      text += export.take(page, through: page.last?.id)
    }
    return text
  }

  static let formats: [ExportFormat] = [
    .gpx, .geoJSON, .csv(ExportColumn.allCases.filter { $0 != .boot && $0 != .moment }),
  ]

  @Test(arguments: [(nil, nil), (0, 86_400), (86_400, 172_800), (35_000, 43_500)] as [(Int?, Int?)])
  func theFileIsThatOfTheDevice(from: Int?, to: Int?) throws {
    let day = try DeviceDay(Self.days)
    let period = DevicePeriod(
      from: from.map { DeviceDay.midnight + .seconds($0) }, to: to.map { DeviceDay.midnight + .seconds($0) })
    for format in Self.formats {
      let history = try #require(try DeviceHistory(day.sql, device: "van-17", in: period))
      var written: [UInt8] = []
      let count = try FleetTrackCommand.export(
        history, of: "van-17", period, as: format, Self.utc, now: DeviceDay.midnight
      ) { bytes in written += bytes }
      try history.end()
      let expected = try Self.device(day, period, format)
      #expect(count > 0)
      #expect(
        String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self), "\(format)")
    }
  }

  @Test func aDayIsWrittenToAFileThatAppearsWhenItIsComplete() throws {
    let day = try DeviceDay(Self.days)
    let path = "\(day.directory)/day.gpx"
    try day.run("track", "van-17", "--day", "2026-11-22", "--output", path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // Two trips, and what lies between them: a new segment after the restart and after each gap.
    #expect(text.components(separatedBy: "<trk>").count == 4)
    #expect(text.components(separatedBy: "<trkseg>").count == 6)
    #expect(text.contains("2026-11-22T23:59:50") && !text.contains("2026-11-23T00:00:1"))
    #expect(throws: FleetCommand.Failure.self) {
      try day.run("track", "van-17", "--day", "2026-11-22", "--output", path)
    }
    try day.run("track", "van-17", "--day", "2026-11-23", "--output", path, "--force")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("2026-11-23T03:46:40"))
    #expect(throws: FleetCommand.Failure.self) {
      try day.run("track", "van-17", "--day", "2025-01-01", "--output", "\(day.directory)/none.gpx")
    }
    #expect(throws: FleetCommand.Failure.self) {
      try day.run("track", "van-18", "--output", "\(day.directory)/none.csv")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: day.directory)
    #expect(files.filter { $0.contains("none") || $0.contains("part") } == [])
    guard let schema = Self.schema, let validator = Self.validator else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: validator)
    process.arguments = ["--nonet", "--noout", "--schema", schema, path]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "the GPX file is not valid against \(schema)")
  }

  @Test func recordsOfProgramsWithoutNumbersAreInOrderOfTime() throws {
    let day = try DeviceDay([])
    try day.sql.run(
      """
      SELECT outrider.make_partition('location', '2026-11-22', 1);
      INSERT INTO outrider.location (time, record, device, latitude_e7, longitude_e7, received_s)
        SELECT '2026-11-22T10:00:00Z'::timestamptz + n * interval '1 minute', -((n * 7919) % 1000) - 1, id,
          525000000 + n, 133000000, 0
        FROM outrider.device, generate_series(1, 30) AS n;
      """)
    let path = "\(day.directory)/phone.csv"
    try day.run("track", "van-17", "--output", path)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
      .dropFirst()
    let times = lines.map { String($0.split(separator: ",")[1]) }
    #expect(times.count == 30 && times == times.sorted())
    try day.run("track", "van-17", "--output", "\(day.directory)/phone.gpx")
    let text = try String(contentsOfFile: "\(day.directory)/phone.gpx", encoding: .utf8)
    #expect(
      text.components(separatedBy: "<trkpt").count == 31
        && text.components(separatedBy: "<trkseg>").count == 2)
  }

  @Test(arguments: [
    (["track", "van-17"], "--format: required; available: gpx, geojson, csv"),
    (["track", "van-17", "--format", "shp"], "--format: no format \"shp\"; available: gpx, geojson, csv"),
    (
      ["track", "van-17", "--format", "gpx", "--day", "1.4."],
      "--day: expected today, yesterday or a day such as 2026-11-22, got \"1.4.\""
    ),
    (
      ["track", "van-17", "--format", "gpx", "--day", "today", "--from", "2026-11-22"],
      "--day: not together with --from or --to"
    ),
    (
      ["track", "van-17", "--format", "gpx", "--from", "2026-11-22", "--to", "2026-11-22"],
      "--to: must be later than --from"
    ),
  ])
  func aWrongCommandLineIsExplained(words: [String], message: String) throws {
    let address = try PostgresServer.common().address
    do {
      _ = try FleetCommand.run(
        (words + ["--database", address])[...], environment: { _ in nil }, print: { _ in })
      Issue.record("no failure")
    } catch let misuse as Arguments.Misuse {
      #expect(misuse.message == message)
    }
  }

  @Test func daysAreLocalOnRequest() throws {
    let arguments = try Arguments(["--day", "2026-10-25"], FleetTrackCommand.action.options)
    let berlin = WallClock {
      $0 < Timestamp(milliseconds: 1_792_890_000_000) ? .seconds(7200) : .seconds(3600)
    }
    let period = try FleetTrackCommand.period(arguments, berlin, now: DeviceDay.midnight)
    #expect(period.from?.iso8601() == "2026-10-24T22:00:00Z")
    #expect(period.to?.iso8601() == "2026-10-25T23:00:00Z")
  }

  static let schema: String? = {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let shared =
      ProcessInfo.processInfo.environment["OUTRIDER_SHARED"]
      ?? package.deletingLastPathComponent().appendingPathComponent("shared").path
    let file = shared + "/face/gpx.xsd"
    return FileManager.default.fileExists(atPath: file) ? file : nil
  }()
  static let validator = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}
