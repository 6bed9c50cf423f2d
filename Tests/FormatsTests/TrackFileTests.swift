import Foundation
import Quantities
import Records
import Testing

import Formats

@Suite struct TrackFileTests {
  static func records(at milliseconds: [Int64]) throws -> [LogRecord] {
    try milliseconds.map { time in
      var record = try OwnTracksMessageTests.van()
      record.time = Timestamp(milliseconds: time)
      return record
    }
  }

  static func files(
    _ records: [LogRecord], _ formats: [TrackFile.Format], uniqueID: String? = nil,
    after last: Timestamp? = nil
  ) -> [TrackFile] {
    var course = TrackFile.Course(longestPause: .seconds(300))
    course.last = last
    return TrackFile.files(records, formats, uniqueID: uniqueID, course: &course)
  }

  static func text(_ line: [UInt8]?) -> String { String(decoding: line ?? [], as: UTF8.self) }

  @Test func everyHourHasItsFile() throws {
    let records = try Self.records(at: [
      1_772_359_199_999, 1_772_359_200_000, 1_772_362_799_000, 1_772_362_800_000,
    ])
    let files = Self.files(records, [.geoJSON, .gpx])
    #expect(
      files.map(\.name) == [
        "2026-03-01T09.geojson", "2026-03-01T09.gpx", "2026-03-01T10.geojson", "2026-03-01T10.gpx",
        "2026-03-01T11.geojson", "2026-03-01T11.gpx",
      ])
    #expect(files.map(\.lines.count) == [1, 1, 2, 2, 1, 1])
  }

  @Test func everyLineStartsAndEndsWithItsMarkers() throws {
    for file in Self.files(try Self.allKinds(), TrackFile.Format.allCases) {
      #expect(
        file.lines.allSatisfy {
          $0.starts(with: file.mark) && $0.suffix(file.end.count).elementsEqual(file.end)
            && !$0.contains(UInt8(ascii: "\n"))
        })
      #expect(
        file.waypoints.allSatisfy {
          $0.starts(with: file.waypointMark)
            && $0.suffix(file.waypointEnd.count).elementsEqual(file.waypointEnd)
        })
    }
  }

  /// One record of every kind that files contain, within an hour.
  static func allKinds() throws -> [LogRecord] {
    var van = try OwnTracksMessageTests.van()
    if case .location(var location) = van.body {
      location.satellitesUsed = 11
      location.horizontalDilutionTenths = 8
      location.speedMillimetresPerSecond = 13_479
      location.courseMillidegrees = 87_125
      location.horizontalAccuracyMillimetres = 4321
      location.altitudeMillimetres = 39_456
      van.body = .location(location)
    }
    van.time = Timestamp(milliseconds: 1_772_360_102_250)
    guard case .location(let location) = van.body, let time = van.time else {
      Issue.record("no location")
      return []
    }
    let device = location.device
    var visit = VisitRecord(
      coordinate: location.coordinate, arrival: .utc(time), departure: nil, device: device)
    visit.horizontalAccuracyMillimetres = 7000
    var trip = TripRecord(
      mode: .car, start: .utc(time), end: .utc(time + .seconds(90)), durationMilliseconds: 90_000,
      distanceMillimetres: 1_234_567, isManual: false, ending: .stop, device: device)
    trip.endLocation = TripRecord.Location(location, time: .utc(time + .seconds(90)))
    let action = ActionRecord(.willTerminate, at: location.coordinate, device: device)
    func record(_ body: LogRecord.Body) -> LogRecord {
      LogRecord(moment: .zero, time: time, timeQuality: .receiver, body: body)
    }
    return [
      van, record(.visit(visit)), record(.trip(trip)), record(.action(action)),
      record(.event(EventRecord(.started))),
    ]
  }

  @Test func aTrackPointHasAllElementsOfTheSchema() throws {
    let files = Self.files(try Self.allKinds(), [.gpx])
    #expect(
      Self.text(files.first?.lines.first)
        == #"<trkpt lat="52.5418194" lon="13.3619121"><ele>39.456</ele><time>2026-03-01T10:15:02.250Z</time>"#
        + "<fix>3d</fix><sat>11</sat><hdop>0.8</hdop><extensions><gpxtpx:TrackPointExtension>"
        + "<gpxtpx:speed>13.479</gpxtpx:speed><gpxtpx:course>87.125</gpxtpx:course>"
        + "</gpxtpx:TrackPointExtension></extensions></trkpt>")
  }

  @Test func visitsTripsAndActionsAreWritten() throws {
    let files = Self.files(try Self.allKinds(), [.geoJSON, .gpx])
    let features = files.filter { $0.name.hasSuffix("geojson") }.flatMap(\.lines).map(Self.text)
    #expect(features.count == 4)
    for words in [#""action":"visit""#, #""type":"trip""#, #""action":"will_terminate""#] {
      #expect(features.filter { $0.contains(words) }.count == 1, "\(words)")
    }
    let waypoints = files.flatMap(\.waypoints).map(Self.text)
    #expect(waypoints.count == 3)
    for type in ["visit", "trip", "action"] {
      #expect(waypoints.filter { $0.contains("<type>\(type)</type>") }.count == 1, "\(type)")
    }
  }

  @Test func aFeatureHasTheDigitsOfTheLogAndTheIdentity() throws {
    let files = Self.files(try Self.allKinds(), [.geoJSON], uniqueID: "abc")
    let line = Self.text(files.first?.lines.first)
    for words in [
      #""timestamp":"2026-03-01T10:15:02.250Z""#, #""altitude":39.456,"#, #""speed":13.479,"#,
      #""course":87.125,"#, #""horizontal_accuracy":4.321,"#, #""unique_id":"abc""#,
    ] {
      #expect(line.contains(words), "\(words): \(line)")
    }
    #expect(files.flatMap(\.lines).allSatisfy { Self.text($0).contains(#""unique_id":"abc""#) })
  }

  @Test func aTrackIsInterruptedAtEveryGapAndAfterAStart() throws {
    let start: Int64 = 1_772_359_200_000
    let records = try Self.records(at: [0, 1000, 301_000, 601_001, 602_000, 600_000].map { start + $0 })
    let file = try #require(Self.files(records, [.gpx]).first)
    #expect(file.interrupted == [0, 3, 5])
    let next = Self.files(Array(records.prefix(1)), [.gpx], after: Timestamp(milliseconds: start - 1000))
    #expect(next.first?.interrupted == [])
  }

  @Test func undatedRecordsBelongToNoFile() throws {
    var record = try OwnTracksMessageTests.van()
    record.time = nil
    #expect(Self.files([record], [.geoJSON]).isEmpty)
  }

  /// The schema of GPX 1.1, which is stored with the recordings; nil if they are absent.
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

  @Test(
    .enabled(
      if: schema != nil && validator != nil,
      "xmllint or the schema in ../shared/face is absent: sudo apt-get install libxml2-utils"))
  func aFileIsValidByTheSchema() throws {
    let (schema, validator) = (try #require(Self.schema), try #require(Self.validator))
    let file = try #require(Self.files(try Self.allKinds(), [.gpx]).first { !$0.lines.isEmpty })
    var text = file.head
    for waypoint in file.waypoints { text += waypoint + [0x0A] }
    text += file.bridge
    for line in file.lines + [file.interruption] + file.lines { text += line + [0x0A] }
    text += file.tail
    let path = NSTemporaryDirectory() + "outrider-\(UUID().uuidString).gpx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text).write(to: URL(fileURLWithPath: path))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: validator)
    process.arguments = ["--nonet", "--noout", "--schema", schema, path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
