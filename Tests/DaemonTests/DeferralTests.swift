import Devices
import Quantities
import Settings
import TestSupport
import Testing
import Tracking
@testable import Daemon

/// Deferral: epochs in the buffer of the line, with the data of a real receiver on a pseudo-terminal.
@Suite struct DeferralTests {
  @Test func deferredPositionsArriveTogetherAndComplete() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { _ in }
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "receiver.port=\(talker.terminal.path)", "main.min_time=200ms", "main.deferred=30m",
        "destinations=[]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    var (turn, readings) = (0, Set<Int>())
    var times: [Int64] = []
    bench.loop.everyTurn { _ in turn += 1 }
    logger.outputs.kept = { record in
      readings.insert(turn)
      if let time = record.time { times.append(time.milliseconds) }
    }
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run(for: .seconds(30)) { logger.receiver.line?.isCoalescing == true })
    (readings, times) = ([], [])
    #expect(try bench.run(for: .seconds(30)) { times.count >= 55 })
    #expect(readings.count <= 8)
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { $0 == 200 }, "\(steps)")

    // A request gets the present position, with all buffered ones.
    let before = times.count
    #expect(try bench.run(for: .seconds(5)) { logger.receiver.line?.isCoalescing == true })
    logger.tracking.process(.positionRequested, now: bench.loop.now)
    #expect(logger.tracking.tracker.summary.latencyBudget == .zero)
    #expect(try bench.run(for: .seconds(1)) { times.count > before })
  }

  @Test func bufferedEpochsAreHandledBeforeLaterEvents() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "main.min_time=1s",
        "main.deferred=10km", "destinations=[]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    var times: [Int64] = []
    logger.outputs.kept = { if let time = $0.time { times.append(time.milliseconds) } }
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run(for: .seconds(40)) { logger.receiver.line?.isBatching == true })
    let before = times.count
    try bench.run(for: .seconds(7))
    #expect(times.count == before && logger.receiver.line?.isBatching == true)
    // A reading of the battery does not request the buffered epochs, the ignition does.
    logger.tracking.process(.battery(Battery(state: .unknown, percent: 80)), now: bench.loop.now)
    try bench.run(for: .seconds(2))
    #expect(times.count == before && logger.tracking.hasDeferredEvents)
    logger.tracking.process(.ignition(true), now: bench.loop.now)
    #expect(logger.tracking.hasDeferredEvents)
    #expect(try bench.run(for: .seconds(3)) { !logger.tracking.hasDeferredEvents })
    #expect(times.count >= before + 8 && logger.receiver.line?.isBatching == true)
    // A request gets the present position, and the receiver sends by itself until then.
    try bench.run(for: .seconds(3))
    let asked = times.count
    logger.tracking.process(.positionRequested, now: bench.loop.now)
    #expect(try bench.run(for: .seconds(5)) { times.count >= asked + 4 })
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { $0 == 1000 }, "\(steps)")
  }
}
