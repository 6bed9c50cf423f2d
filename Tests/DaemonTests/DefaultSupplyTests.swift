import Chips
import Foundation
import Quantities
import Records
import Simulation
import Store
import TestSupport
import Testing
@testable import Daemon

/// The charge in records and requests if the configuration names a gauge and no `supply`.
@Suite struct DefaultSupplyTests {
  private static func logger(
    _ bench: HTTPBench, _ server: ScriptedServer, gauge: String, on bus: any I2CBus
  ) throws -> Logger {
    let configuration = try PowerTests.configuration([
      "storage.directory=\(bench.directory)/log", "storage.commit_interval=0s", "send_interval=1s",
      "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]",
      "gauge=\(gauge)",
    ])
    return try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet) {
      _, _ throws(I2CError) in bus
    }
  }

  private static func drive(_ logger: Logger, _ bench: HTTPBench, _ seconds: Range<Int64>) {
    for second in seconds {
      logger.tracking.process(
        .epoch(PowerTests.fix(second), systemClock: Timestamp(milliseconds: 0)),
        now: bench.loop.now + .seconds(second))
    }
    logger.log.commit(now: bench.loop.now)
  }

  /// State and level of each location, in the order of the requests.
  private static func levels(_ server: ScriptedServer) throws -> [(state: String, level: Double)] {
    try server.requests.flatMap { request -> [(state: String, level: Double)] in
      let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
      let features = body?["locations"] as? [[String: Any]] ?? []
      return features.compactMap { feature in
        let properties = feature["properties"] as? [String: Any]
        guard let state = properties?["battery_state"] as? String else { return nil }
        return (state, (properties?["battery_level"] as? NSNumber)?.doubleValue ?? .nan)
      }
    }
  }

  private static func logged(_ bench: HTTPBench) throws -> [UInt8?] {
    try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 1000).compactMap {
      if case .location(let location) = $0.record.body { location.batteryPercent } else { nil }
    }
  }

  @Test func theChargeIsThatOfTheGauge() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let bus = LiveBus(loop: bench.loop, lead: .seconds(60))
    let address = try #require(MAX17048.addresses.first)
    bus.bus.attach(VirtualMAX17048(track: CellTrack(percent: 63.4, rate: 0)), at: address)
    // STATUS without the reset indicator: the part was set up by an earlier run.
    _ = try bus.transfer(to: address, write: [0x1A, 0, 0], readCount: 0)
    let logger = try Self.logger(bench, server, gauge: "{ chip: 'max17048', bus: '/dev/i2c-1' }", on: bus)
    logger.start()
    #expect(
      try bench.run { logger.log.isOpen && logger.sensors.gauge?.snapshot.condition.percent != nil })
    Self.drive(logger, bench, 0..<5)
    let kept = Int(logger.tracking.tracker.locations.count)
    #expect(
      try bench.run { logger.status.destinations.first.map { $0.delivered >= kept } ?? false })
    logger.stop()
    let levels = try Self.levels(server)
    #expect(!levels.isEmpty && levels.allSatisfy { $0.level == 0.63 }, "\(levels)")
    let logged = try Self.logged(bench)
    #expect(!logged.isEmpty && logged.allSatisfy { $0 == 63 }, "\(logged)")
  }

  @Test(arguments: [
    "{ power_supply: 'no-such-battery' }", "{ chip: 'max17048', bus: '/dev/i2c-1' }",
  ])
  func theChargeIsUnknownUntilTheGaugeResponds(gauge: String) throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let logger = try Self.logger(bench, server, gauge: gauge, on: LiveBus(loop: bench.loop))
    logger.start()
    #expect(try bench.run { logger.log.isOpen && logger.sensors.gauge?.snapshot.loss != nil })
    Self.drive(logger, bench, 0..<5)
    let kept = Int(logger.tracking.tracker.locations.count)
    #expect(
      try bench.run { logger.status.destinations.first.map { $0.delivered >= kept } ?? false })
    logger.stop()
    let levels = try Self.levels(server)
    #expect(
      !levels.isEmpty && levels.allSatisfy { $0.state == "unknown" && $0.level == -1 }, "\(levels)")
    let logged = try Self.logged(bench)
    #expect(!logged.isEmpty && logged.allSatisfy { $0 == nil }, "\(logged)")
  }
}
