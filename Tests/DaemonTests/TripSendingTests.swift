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

  /// Once at the start of the trip and once at its end, as in the app; the network that returns causes none.
  @Test func whileSendingIsOffATripCausesOneAttemptAtItsStartAndOneAtItsEnd() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(500)])
    server.answer = { _ in .answer(500) }
    let configuration = try PowerTests.configuration([
      "storage.directory=\(bench.directory)/log", "send_interval=off", "storage.commit_interval=1s",
      "destinations=[{ name: 'home', kind: 'overland', url: '\(server.url())' }]",
    ])
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.supervision.isReady })
    func move(_ seconds: Range<Int64>) {
      for second in seconds {
        let fix = PowerTests.fix(second)
        logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
      }
    }
    move(0..<3)
    try bench.run(for: .seconds(100))
    #expect(server.requests.count == 0)
    _ = logger.trip(.start(mode: "car"))
    move(3..<8)
    try bench.run(for: .seconds(300))
    #expect(server.requests.count <= 1)
    _ = logger.trip(.stop)
    try bench.run(for: .seconds(300))
    #expect(server.requests.count == 2)
    logger.delivery.networkReturned()
    try bench.run(for: .seconds(3600))
    #expect(server.requests.count == 2)
    logger.stop()
  }
}
