import Collector
import Database
import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon

/// OwnTracks messages of the logger, received by the collector.
@Suite struct OwnTracksCollectorTests {
  /// The stored value of a location and the expected value of the message; nil: the key is absent.
  struct Row {
    var accuracy: (stored: Int32?, sent: Int)
    var speed: (stored: Int32?, sent: Int?)
    var course: (stored: Int32?, sent: Int?)
    var altitude: (stored: Int32?, sent: Int?)
    var battery: (stored: UInt8?, sent: Int?)
  }

  /// Home Assistant drops a message with an `acc` below 1; `vel` is in km/h.
  static let rows = [
    Row(
      accuracy: (4200, 4), speed: (13_470, 48), course: (87_000, 87), altitude: (39_000, 39),
      battery: (100, 100)),
    Row(accuracy: (0, 1), speed: (nil, nil), course: (nil, nil), altitude: (nil, nil), battery: (nil, nil)),
    Row(
      accuracy: (nil, 100), speed: (0, 0), course: (359_600, 360), altitude: (-3600, -4), battery: (29, 29)),
    Row(accuracy: (400, 1), speed: (27_778, 100), course: (0, 0), altitude: (34_500, 35), battery: (0, 0)),
  ]

  static let first = Timestamp(milliseconds: 1_772_360_102_750)

  static func record(_ number: Int) throws -> LogRecord {
    let row = rows[number % rows.count]
    let coordinate = try #require(
      Coordinate(latitudeE7: 525_418_194 + Int32(number), longitudeE7: -133_619_121))
    var location = LocationRecord(coordinate: coordinate, deviceID: "fleet/van7")
    location.horizontalAccuracyMillimetres = row.accuracy.stored
    location.speedMillimetresPerSecond = row.speed.stored
    location.courseMillidegrees = row.course.stored
    location.altitudeMillimetres = row.altitude.stored
    location.batteryPercent = row.battery.stored
    return LogRecord(
      moment: .zero, time: first + .seconds(Int64(number)), timeQuality: .receiver, body: .location(location))
  }

  static func freePort(_ bench: HTTPBench) throws -> UInt16 {
    let server = try ScriptedServer(bench.loop, [])
    defer { server.stop() }
    return server.port
  }

  @Test func everyLocationIsCollectedOnceDespiteOutagesOfTheCollector() throws {
    let bench = try HTTPBench()
    let count = 40
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(try (0..<count).map(Self.record), urgent: false))
    _ = writer.handle(.close)
    let port = try Self.freePort(bench)
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "send_interval=1h",
        "destinations=[{ name: \"home\", kind: \"owntracks\", url: \"http://127.0.0.1:\(port)/pub\", logging_mode: \"all\" }]",
      ], fallbacks: Fallbacks(deviceID: "fleet/van7", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    defer { logger.stop() }
    var home: StatusReport.Destination? { logger.status.destinations.first }
    #expect(try bench.run { home?.trouble?.contains("no connection") == true })

    let collector = try Collector(
      loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: port),
      directory: bench.directory + "/collected")
    defer { collector.stop() }
    let database = bench.directory + "/collected/collector.db"
    let other = try Connection(path: database)
    try other.execute("BEGIN IMMEDIATE")
    logger.delivery.pipelines["home"]?.delivery?.sendNow()
    #expect(try bench.run { logger.delivery.pipelines["home"]?.delivery?.machine.lastRefusal?.kind == .busy })
    try other.execute("ROLLBACK")
    logger.delivery.pipelines["home"]?.delivery?.sendNow()
    #expect(try bench.run { home?.delivered == count })

    let collected = try Connection(path: database, access: .readOnly).rows(
      "SELECT time_ms, device_id, body FROM features ORDER BY time_ms")
    try #require(collected.count == count)
    for (number, row) in collected.enumerated() {
      let expected = Self.rows[number % Self.rows.count]
      let seconds = (Self.first.milliseconds + Int64(number) * 1000) / 1000
      #expect(row[0] == .integer(seconds * 1000) && row[1] == .text("fleet/van7"))
      guard case .text(let body) = row[2] else {
        Issue.record("no text")
        return
      }
      let message = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
      #expect(message["_type"] as? String == "location")
      #expect(message["topic"] as? String == "owntracks/fleet/van7")
      #expect(body.contains(#""tst":\#(seconds),"#), "whole seconds since 1970: \(body)")
      let coordinate = [message["lat"] as? Double ?? 0, message["lon"] as? Double ?? 0]
      #expect(
        abs(coordinate[0] - 52.5418194 - Double(number) * 1e-7) < 1e-9 && coordinate[1] == -13.3619121,
        "\(body)")
      #expect(message["acc"] as? Int == expected.accuracy.sent && expected.accuracy.sent >= 1, "\(body)")
      #expect(message["vel"] as? Int == expected.speed.sent, "\(body)")
      #expect(message["cog"] as? Int == expected.course.sent, "\(body)")
      #expect(message["alt"] as? Int == expected.altitude.sent, "\(body)")
      #expect(message["batt"] as? Int == expected.battery.sent, "\(body)")
    }
  }
}
