import Quantities
import Settings
import Simulation
import SystemLoop
import TestSupport
import Testing

@testable import Daemon
@testable import Tracking

/// A logger whose receiver searches under a roof.
@Suite struct HeardSatelliteTests {
  @Test func thePlanIsToldWhatTheReceiverHearsWhileItSearchesAndNoLonger() throws {
    let bench = try HTTPBench()
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
    #expect(try bench.run(for: .seconds(30)) { logger.tracker.plan?.search.isTold ?? false })
    #expect(logger.line?.hearsSignals == true)
    #expect(try bench.run(for: .seconds(40)) { logger.tracker.kept > 0 })
    #expect(logger.line?.hearsSignals == false)
  }
}
