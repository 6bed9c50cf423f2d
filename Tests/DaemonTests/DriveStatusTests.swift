import Foundation
import GNSSProtocol
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing
@testable import Daemon

/// A drive without an accelerometer in the status, the requests and the views of the log.
@Suite struct DriveStatusTests {
  /// 14 m/s to the north.
  private static func fix(_ second: Int64) -> Fix {
    var fix = PowerTests.fix(second)
    fix.latitude = 52.5 + Double(second) * 14 / 111_195
    (fix.horizontalAccuracy, fix.speed, fix.speedAccuracy, fix.course) = (3, 14, 0.3, 0)
    return fix
  }

  @Test func aDriveWithoutAnAccelerometerIsReportedWithTripMotionAndUploads() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=0s", "send_interval=1h",
        "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    _ = logger.trip(.start(mode: "car"))
    for second in 0...60 as ClosedRange<Int64> {
      logger.tracking.process(
        .epoch(Self.fix(second), systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    }
    logger.log.commit(now: bench.loop.now)
    #expect(try bench.run { logger.log.recordsWaiting == 0 })
    _ = logger.send(to: nil)
    #expect(try bench.run { logger.status.destinations.first.map { $0.delivered >= 61 } ?? false })
    let status = logger.status
    let motion = try #require(status.motion)
    #expect(motion.states == ["driving"] && motion.source == "speed", "\(motion)")
    #expect(["low", "medium"].contains(motion.confidence), "\(motion)")
    let trip = try #require(status.trip)
    #expect(trip.mode == "car" && trip.manual && abs(trip.distance_m - 840) < 20, "\(trip)")
    let duration = try #require(trip.duration_s)
    #expect((59...70).contains(duration) && trip.start?.hasPrefix("20") == true, "\(trip)")
    let home = try #require(status.destinations.first)
    #expect(home.last_answer == "accepted" && home.trouble == nil, "\(home)")
    let age = try #require(home.last_success_age_s)
    #expect((0...30).contains(age) && home.next_send_in_s == nil, "the queue is empty: \(home)")
    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
    #expect(bodies.contains(#""motion":["driving"]"#))
    let driving = try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 100)
      .count {
        if case .location(let location) = $0.record.body { location.motion == .driving } else { false }
      }
    #expect(driving >= 55, "\(driving)")
    // New records are sent in the next round.
    logger.tracking.process(
      .epoch(Self.fix(61), systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    logger.log.commit(now: bench.loop.now)
    #expect(
      try bench.run {
        logger.status.destinations.first?.next_send_in_s.map { (3000...3600).contains($0) } ?? false
      }, "\(String(describing: logger.status.destinations.first))")
  }
}
