import Quantities
import Settings
import TestSupport
import Testing
@testable import Daemon

/// Uploads at the end of a trip.
@Suite struct TripSendingTests {
  @Test func theEndOfATripIsSentImmediatelyWhateverTheInterval() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let configuration = try PowerTests.configuration([
      "storage.directory=\(bench.directory)/log", "send_interval=1d", "storage.commit_interval=10m",
      "destinations=[{ name: 'home', kind: 'overland', url: '\(server.url())' }]",
    ])
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.supervision.isReady })
    _ = logger.trip(.start(mode: "car"))
    for second in 0..<5 {
      let fix = PowerTests.fix(Int64(second))
      logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    }
    _ = logger.trip(.stop)
    func bodies() -> [String] { server.requests.map { String(decoding: $0.body, as: UTF8.self) } }
    #expect(try bench.run { bodies().contains { $0.contains(#""type":"trip""#) } })
    #expect(bodies().last?.contains(#""trip":"#) == false, "no trip is running")
    logger.stop()
  }
}
