import LocalAPI
import Quantities
import Settings
import TestSupport
import Testing
import TextSnapshots
@testable import Daemon
@testable import Scheduling
@testable import Tracking

/// Signal strengths and satellites of the receiver.
@Suite struct ReceivedSatelliteTests {
  @Test func theTrackerGetsSignalStrengthsOnlyDuringAnAcquisition() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { options in
      options.starts.hot = .seconds(20)
      options.savedSpeed = 115_200
    }
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "main.tracking_mode=both",
        "main.pause_automatically=true", "main.desired_accuracy=best",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    defer { logger.stop() }
    #expect(
      try bench.run(for: .seconds(30)) { logger.tracking.tracker.receiver.schedule?.reportsSignal ?? false })
    #expect(logger.receiver.line?.reportsSignalStrength == true)
    #expect(try bench.run(for: .seconds(40)) { logger.tracking.tracker.locations.count > 0 })
    #expect(logger.receiver.line?.reportsSignalStrength == false)
  }

  @Test func theStatusHasTheSatellitesAfterAQuery() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    defer { logger.stop() }
    #expect(
      try bench.run(for: .seconds(60)) {
        logger.tracking.tracker.locations.count > 0 && logger.receiver.line?.state == .running
      })
    let reception = try #require(logger.status.reception)
    #expect(reception.fix == "3D" && reception.no_fix_s == nil && reception.satellites_used ?? 0 > 3)
    let before = reception.satellites_received
    #expect(logger.askForSatellites() == .done(#"{"asked": true}"#))
    #expect(
      try bench.run(for: .seconds(15)) {
        let now = logger.status.reception
        return now?.satellites_received ?? 0 > 0 && now?.satellites_age_s ?? 100 < 5
      }, "before: \(before ?? -1)")
    #expect(logger.receiver.line?.reportsSignalStrength == false, "the receiver is not queried repeatedly")
  }

  @Test func theLocalAPIQueriesTheReceiverAndTheStatusHasTheResult() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let running = try LocalAPITests.logger(
      on: bench, extra: ["receiver.port=\(talker.terminal.path)", "receiver.speed=115200"])
    let logger = running.logger
    defer { logger.stop() }
    #expect(
      try bench.run(for: .seconds(60)) {
        logger.tracking.tracker.locations.count > 0 && logger.receiver.line?.state == .running
      })
    let asked = bench.loop.now
    let answer = try LocalAPITests.ask(running, "POST", "/satellites")
    #expect(answer.status == 200 && answer.text == #"{"asked": true}"#, "\(answer.text)")
    #expect(
      try bench.run(for: .seconds(15)) {
        logger.status.reception?.satellites_age_s.map { $0 < (bench.loop.now - asked).inSeconds } ?? false
      })
    let status = StatusReport(json: try LocalAPITests.ask(running, "GET", "/status").body)
    let reception = try #require(status?.reception)
    #expect(reception.satellites_received ?? 0 > 0 && reception.strongest_dBHz ?? 0 > 0)
    #expect(try LocalAPITests.ask(running, "GET", "/satellites").status == 405)
    _ = try LocalAPITests.ask(running, "PATCH", "/settings", body: #"{"tracking": false}"#)
    let refused = try LocalAPITests.ask(running, "POST", "/satellites")
    #expect(refused.status == 409)
    #expect(
      refused.text == TextSnapshot("daemon").expected("satellites while tracking is off", refused.text))
  }
}
