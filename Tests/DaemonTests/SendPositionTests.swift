import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import TestSupport
import Testing
@testable import Daemon

/// Sending by hand, with a fresh position.
@Suite struct SendPositionTests {
  static func logger(
    _ bench: HTTPBench, _ server: ScriptedServer, _ talker: ModuleTalker?, _ more: [String],
    journal: Journal = LoggerTests.quiet
  ) throws -> Logger {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=200ms", "send_interval=1h",
        "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]",
      ] + (talker.map { ["receiver.port=\($0.terminal.path)"] } ?? []) + more,
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    return try Logger(loop: bench.loop, configuration: configuration, journal: journal)
  }

  private static func isAwaited(_ outcome: ControlOutcome) throws -> Bool {
    guard case .done(let text) = outcome else {
      Issue.record("\(outcome)")
      return false
    }
    let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return try #require(answer?["position_awaited"] as? Bool)
  }

  @Test func aSleepingReceiverIsWokenForAFreshPositionAndSleepsAgain() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let talker = try ModuleTalker(loop: bench.loop, .ublox10)
    let logger = try Self.logger(bench, server, talker, ["main.tracking_mode=off"])
    logger.start()
    defer { logger.stop() }
    // After the acquisition that sets the time.
    #expect(try bench.run(for: .seconds(60)) { talker.module.isAsleep && logger.supervision.isReady })
    #expect(
      logger.tracking.tracker.fixes.clock.quality == .receiver && logger.tracking.tracker.locations.count == 0
    )
    #expect(try Self.isAwaited(logger.send(to: nil)))
    #expect(try bench.run(for: .seconds(60)) { logger.status.destinations.first?.delivered ?? 0 > 0 })
    #expect(
      logger.tracking.tracker.locations.count == 1
        && server.requests.contains { LoggerTests.times($0).count == 1 })
    #expect(try !Self.isAwaited(logger.send(to: nil)), "the last position is fresh")
    #expect(try bench.run(for: .seconds(60)) { talker.module.isAsleep })
  }

  @Test func aFailedAcquisitionIsNotRepeatedSoonAndNoneStartsAtACriticalBattery() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let talker = try ModuleTalker(loop: bench.loop, .ublox10)
    let logger = try Self.logger(bench, server, talker, ["main.tracking_mode=off", "supply=battery"])
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let now = bench.loop.now
    #expect(logger.delivery.requestPosition(for: ["home"], now: now).isAwaited)
    #expect(
      logger.delivery.requestPosition(for: ["home"], now: now + .seconds(90)).isAwaited,
      "the acquisition still runs")
    logger.delivery.sendCheckIn()
    #expect(!logger.delivery.requestPosition(for: ["home"], now: now + .seconds(200)).isAwaited)
    #expect(logger.delivery.requestPosition(for: ["home"], now: now + .seconds(301)).isAwaited)
    logger.delivery.sendCheckIn()
    logger.delivery.follow(.survival, now: now)
    #expect(!logger.delivery.requestPosition(for: ["home"], now: now + .seconds(1000)).isAwaited)
    #expect(!logger.delivery.requestPosition(for: [], now: now + .seconds(1000)).isAwaited)
  }

  @Test func withoutAReceiverNoPositionIsAwaited() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let logger = try Self.logger(bench, server, nil, [])
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    #expect(try !Self.isAwaited(logger.send(to: nil)))
  }
}
