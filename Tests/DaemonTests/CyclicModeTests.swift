import Quantities
import Settings
import TestSupport
import Testing
@testable import Daemon
import Scheduling
@testable import Tracking

/// A moving logger with a receiver that offers cyclic tracking.
@Suite struct CyclicModeTests {
  @Test(arguments: ["auto", "off"])
  func aReceiverTracksCyclicallyWhileMovingIfAllowed(value: String) throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "receiver.cyclic=\(value)",
        "main.tracking_mode=both", "main.pause_automatically=true", "main.desired_accuracy=best",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    defer { logger.stop() }
    // The ephemerides have been read, and one fix a second is required.
    let isTracking = try bench.run(for: .seconds(100)) {
      logger.tracking.tracker.receiver.schedule.map {
        ($0.ephemerides.age(now: bench.loop.now) ?? .seconds(9999)) < .seconds(60)
      }
        ?? false
        && (logger.tracking.tracker.summary.receiverState == .cyclic
          || logger.tracking.tracker.summary.receiverState == .tracking)
    }
    #expect(isTracking && logger.tracking.tracker.summary.hasCyclicMode)
    let isCyclic = try bench.run(for: .seconds(value == "auto" ? 60 : 5)) {
      logger.receiver.line?.isInCyclicMode ?? false
    }
    #expect(isCyclic == (value == "auto"))
    try bench.run(for: .seconds(3))
    let shares = logger.energy(since: nil).shares.map(\.name)
    #expect(shares.contains("receiver_cyclic") == (value == "auto"), "\(shares)")
  }
}
