import Foundation
import HTTPClient
import Quantities
import Records
import Scheduling
import Settings
import TestSupport
import Testing
@testable import Daemon

/// The sign of life for a monitor: with the sends, and without a session of its own.
@Suite struct HeartbeatTests {
  /// A logger whose log has records for one destination.
  private static func logger(
    _ bench: HTTPBench, _ server: ScriptedServer, _ monitor: ScriptedServer, _ more: [String] = []
  ) throws -> Logger {
    LoggerTests.fill(bench, count: 20)
    let configuration = try PowerTests.configuration(
      [
        "storage.directory=\(bench.directory)/log", "send_interval=5m", "storage.commit_interval=0s",
        "destinations=[{ name: 'home', kind: 'overland', url: '\(server.url())' }]",
        "heartbeat.url=\(monitor.url("/ping/key"))",
      ] + more)
    return try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
  }

  @Test func itGoesWithASend() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let monitor = try ScriptedServer(bench.loop, [.answer(200, body: "OK")])
    let logger = try Self.logger(bench, server, monitor)
    // Without a receiver logging does not work; its absence is not noticed yet.
    logger.start()
    #expect(try bench.run { !monitor.requests.isEmpty })
    #expect(!server.requests.isEmpty, "the send came first")
    #expect(monitor.requests.first?.line == "GET /ping/key HTTP/1.1")
    #expect(try bench.run { logger.status.heartbeat?.last_success_age_s != nil })
    let report = try #require(logger.status.heartbeat)
    #expect(report.healthy && report.trouble == nil && report.every_s == 3600)
    #expect(!report.url.contains("key"))
    #expect(!logger.settings.contains("/ping/key"))
    // Sends within the hour take none along.
    logger.heartbeat.sendEnded()
    #expect(monitor.requests.count == 1)
    logger.stop()
  }

  @Test func itNeverOpensASessionOfTheRadio() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let monitor = try ScriptedServer(bench.loop, [.answer(200, body: "OK")])
    var wasUp: [Bool] = []
    let logger = try NetworkTests.logger(
      bench, server,
      try NetworkTests.programs(bench) + ["heartbeat.url=\(monitor.url("/ping"))", "heartbeat.every=60s"]
    ) { radio in
      monitor.onRequest = { wasUp.append(radio.schedule.isUp) }
    }
    logger.start()
    #expect(try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] })
    let radio = try #require(logger.delivery.radio)
    #expect(try bench.run { !radio.schedule.isOn })
    let (sessions, before) = (radio.schedule.sessions, monitor.requests.count)
    wasUp = []
    // Due at once, whatever happened before.
    logger.heartbeat.start()
    // The radio is off: nothing is switched, and no host is kept awake or woken.
    logger.heartbeat.sendEnded()
    #expect(!radio.schedule.isOn && radio.schedule.sessions == sessions && monitor.requests.count == before)
    #expect(
      logger.hostSituation.needs.allSatisfy { $0.at > bench.loop.now + .seconds(600) }, "the host sleeps on")
    // In the session of a send it goes along, and the session lasts until it has its answer.
    let token = radio.requestNetwork {}
    #expect(try bench.run { radio.schedule.isUp })
    logger.heartbeat.sendEnded()
    radio.done(token)
    #expect(try bench.run { monitor.requests.count == before + 1 })
    #expect(wasUp == [true], "\(logger.status.heartbeat as Any)")
    #expect(try bench.run { !radio.schedule.isOn })
    #expect(radio.schedule.sessions == sessions + 1)
    #expect(NetworkTests.calls(bench) == ["down", "up", "down", "up", "down"])
    logger.stop()
  }

  @Test func aFaultIsReportedWithItsReason() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let monitor = try ScriptedServer(bench.loop, [.answer(200, body: "OK")])
    let logger = try Self.logger(bench, server, monitor)
    logger.heartbeat.outputs.faults = { ["receiver: no data for 10 s", "store: disk is full"] }
    logger.start()
    #expect(try bench.run { !monitor.requests.isEmpty })
    #expect(monitor.requests.first?.line == "POST /ping/key/fail HTTP/1.1")
    #expect(
      NotificationHookTests.text(monitor.requests.first) == "receiver: no data for 10 s\nstore: disk is full")
    logger.stop()
  }

  @Test func aFailingMonitorIsShownAndAskedAgain() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let monitor = try ScriptedServer(bench.loop, [.answer(500), .answer(200)])
    let logger = try Self.logger(bench, server, monitor)
    logger.start()
    #expect(try bench.run { logger.status.heartbeat?.trouble == "status 500" })
    #expect(try bench.run(for: .seconds(4000)) { logger.status.heartbeat?.last_success_age_s != nil })
    #expect(monitor.requests.count == 2 && logger.status.heartbeat?.trouble == nil)
    logger.stop()
  }

  @Test func withTheMasterSwitchOffNothingIsSent() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let monitor = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try Self.logger(bench, server, monitor, ["tracking=false"])
    logger.start()
    try bench.run(for: .seconds(7200))
    #expect(monitor.requests.isEmpty)
    logger.stop()
  }

  static let addresses: [(url: String, failing: String)] = [
    ("https://hc-ping.com/uuid", "https://hc-ping.com/uuid/fail"), ("https://h/p/", "https://h/p/fail"),
    ("https://h/p?key=1", "https://h/p/fail?key=1"), ("https://h", "https://h/fail"),
    ("https://h/p#x", "https://h/p/fail#x"),
  ]
  @Test(arguments: addresses) func theAddressOfAFailureHasASuffix(url: String, failing: String) {
    #expect(HeartbeatController.failing(url) == failing)
  }
}
