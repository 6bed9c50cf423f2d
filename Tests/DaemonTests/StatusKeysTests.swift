import Foundation
import GNSSProtocol
import History
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing
@testable import Daemon

/// The keys of the status that explain what the logger does.
@Suite struct StatusKeysTests {
  static func fix(_ second: Int64) -> Fix {
    var fix = PowerTests.fix(second)
    fix.latitude = 52.5 + Double(second) * 14 / 111_195
    (fix.horizontalAccuracy, fix.verticalAccuracy) = (3, 5)
    (fix.speed, fix.speedAccuracy, fix.course) = (14, 0.3, 90)
    (fix.satellitesUsed, fix.satellitesSeen, fix.horizontalDilution) = (9, 14, 0.8)
    return fix
  }

  static func logger(_ bench: HTTPBench, _ extra: [String] = []) throws -> Logger {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=2s",
      ] + extra, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    return logger
  }

  static func drive(_ logger: Logger, _ seconds: ClosedRange<Int64>, _ bench: HTTPBench) {
    for second in seconds {
      logger.tracking.process(
        .epoch(fix(second), systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    }
  }

  @Test func aDriveHasTheFiguresOfTheDayAndOfTheFix() throws {
    let bench = try HTTPBench.simulated()
    let logger = try Self.logger(bench)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    Self.drive(logger, 0...60, bench)
    let status = logger.status
    let position = try #require(status.position)
    #expect(position.private == nil && position.course_deg == 90 && position.vertical_accuracy_m == 5)
    #expect(position.speed_accuracy_mps == 0.3 && position.satellites == 9)
    #expect(status.time?.hasPrefix("2026-03-21T10:01:0") == true, "\(status.time ?? "-")")
    let today = try #require(status.today)
    #expect(today.day == "2026-03-21" && today.trips == 0 && today.sends == 0)
    #expect(today.records ?? 0 >= 61, "\(today)")
    #expect(abs((today.distance_m ?? 0) - 840) < 5, "\(today)")
    #expect(status.motion?.state == "driving" && status.motion?.confidence_value ?? 0 > 0)
    #expect(status.log.loss_bound_s == 2 && status.log.limit_bytes ?? 0 > 0)
    #expect(try bench.run(for: .seconds(5)) { logger.log.recordsWaiting == 0 })
    let log = logger.status.log
    #expect(log.last_flush_ms ?? -1 >= 0 && log.slowest_flush_ms ?? -1 >= log.last_flush_ms ?? 0, "\(log)")
    let process = try #require(status.process)
    #expect(process.cpu_s ?? 0 > 0 && process.resident_bytes ?? 0 > process.anonymous_bytes ?? 0)
    #expect(process.threads ?? 0 >= 2)
  }

  /// Another process cannot know what a part of the day contained.
  @Test func afterARestartTheFiguresOfADayThatBeganBeforeAreUnknown() throws {
    let bench = try HTTPBench.simulated()
    let first = try Self.logger(bench)
    #expect(try bench.run { first.supervision.isReady })
    Self.drive(first, 0...10, bench)
    #expect(first.status.today?.records != nil)
    first.stop()
    let second = try Self.logger(bench)
    defer { second.stop() }
    #expect(try bench.run { second.supervision.isReady })
    Self.drive(second, 20...30, bench)
    #expect(second.status.today?.day == "2026-03-21" && second.status.today?.records == nil)
    // A request of a person has the log read. The sends of another process stay unknown.
    second.requestReceived()
    #expect(try bench.run { second.status.today?.records != nil })
    let today = try #require(second.status.today)
    let stored = try LogReader(directory: second.logDirectory).records(after: .zero, limit: 1000).count
    #expect(today.records == stored + Int(second.log.recordsWaiting), "\(today)")
    #expect(abs((today.distance_m ?? 0) - 280) < 5 && today.trips == 0, "\(today)")
    #expect(today.sends == nil && today.bytes_sent == nil)
    second.requestReceived()
    #expect(second.status.today?.records == today.records, "read once")
    // The next day is counted from its beginning.
    Self.drive(second, 86_400...86_410, bench)
    #expect(second.status.today?.day == "2026-03-22")
    #expect(second.status.today?.records ?? 0 >= 11, "\(second.status.today as Any)")
  }

  @Test func insideAPrivacyZoneTheStatusHasNeitherPositionNorSky() throws {
    let bench = try HTTPBench.simulated()
    let zone = #"privacy_zones=[{name: "home", latitude: 52.5, longitude: 13.4, radius: "5km"}]"#
    let logger = try Self.logger(bench, [zone])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    Self.drive(logger, 0...10, bench)
    let status = logger.status
    let text = String(decoding: try #require(status.json), as: UTF8.self)
    #expect(text.contains(#""position":{"private":true}"#), "\(text)")
    #expect(status.sky == nil && !text.contains("14.0 m/s"), "\(text)")
    #expect(StatusReport(json: Array(text.utf8)) == status)
  }

  @Test(arguments: [false, true]) func theJoinedNetworkIsNamedOutsideOfPrivacyZones(isPrivate: Bool) throws {
    let bench = try HTTPBench.simulated()
    let zone = #"privacy_zones=[{name: "home", latitude: 52.5, longitude: 13.4, radius: "5km"}]"#
    let logger = try Self.logger(bench, isPrivate ? [zone] : [])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    Self.drive(logger, 0...10, bench)
    logger.tracking.process(.network(JoinedNetwork(name: "net", accessPoint: nil)), now: bench.loop.now)
    #expect(logger.status.ssid == (isPrivate ? nil : "net"))
    logger.tracking.process(.network(nil), now: bench.loop.now)
    #expect(logger.status.ssid == nil)
  }

  struct Off: Sendable, CustomTestStringConvertible {
    let settings: [String]
    let state: ReportedReceiverState
    let reason: String
    var testDescription: String { reason }
  }

  @Test(arguments: [
    Off(settings: [], state: .off, reason: "no receiver: set receiver.port or receiver.gpsd"),
    Off(settings: ["tracking=false"], state: .off, reason: "tracking is switched off"),
  ])
  func aReceiverThatIsNotUsedHasAReason(_ test: Off) throws {
    let bench = try HTTPBench.simulated()
    let logger = try Self.logger(bench, test.settings)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let tracker = try #require(logger.status.tracker)
    #expect(tracker.state == test.state && tracker.reason == test.reason)
  }

  @Test func theTrackerExplainsAcquisitionTrackingAndSleep() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let logger = try Self.logger(
      bench,
      [
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "main.tracking_mode=both",
        "main.pause_automatically=true",
      ])
    defer { logger.stop() }
    func tracker(_ state: ReportedReceiverState, within limit: Duration) throws -> StatusReport.Tracker? {
      #expect(
        try bench.run(for: limit) { logger.status.tracker?.state == state }, "\(logger.status.tracker as Any)"
      )
      return logger.status.tracker
    }
    let acquiring = try tracker(.acquiring, within: .seconds(30))
    #expect(acquiring?.reason == "search for the first position")
    #expect(acquiring?.acquisition_ends_in_s ?? 0 > 0 && acquiring?.next_check_in_s == nil)
    let asleep = try tracker(.asleep, within: .seconds(900))
    #expect(asleep?.reason.hasPrefix("asleep between two fixes; moving: ") == true, "\(asleep as Any)")
    #expect(asleep?.next_check_in_s ?? 0 > 0 && asleep?.next_check_reason == "next fix while moving")
    #expect(asleep?.since_s ?? 100 < 10 && asleep?.acquisition_ends_in_s == nil)
    #expect(asleep?.policy == "error_bounded")
  }

  @Test func aDestinationSaysWhatItWaitsFor() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(503) }
    let logger = try Self.logger(
      bench, ["destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]"])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    #expect(try bench.run(for: .seconds(20)) { logger.status.destinations.first?.waiting_for == "records" })
    Self.drive(logger, 0...5, bench)
    _ = logger.send(to: nil)
    #expect(try bench.run(for: .seconds(20)) { logger.status.destinations.first?.waiting_for == "backoff" })
    let home = try #require(logger.status.destinations.first)
    #expect(home.kind == "overland" && home.last_sent_age_s == nil && home.last_attempt_age_s ?? 100 < 20)
    #expect(home.next_in_s == home.next_send_in_s && home.next_in_s ?? 0 > 0)
  }
}
