import Chips
import Energy
import Foundation
import LocalAPI
import LoggerConfiguration
import Quantities
import Settings
import Simulation
import Store
import TestSupport
import Testing
import TextSnapshots
import Tracking
@testable import Daemon

/// The ledger of a logger: its inputs, and its survival of a restart.
@Suite struct EnergyTests {
  static let host = "host_idle: { mA: 75, V: 5, source: 'test' }"
  static let receiver = [
    "receiver_acquiring: { mA: 13, V: 3, source: 'test' }",
    "receiver_tracking: { mA: 10, V: 3, source: 'test' }",
    "receiver_sleeping: { mA: 0.04, V: 3, source: 'test' }",
  ]
  static let figures = [
    "supply=battery", "gauge={ chip: 'max17048', bus: '/dev/none', capacity_mAh: 10000 }",
    energy([host] + receiver),
  ]

  static func energy(_ figures: [String]) -> String { "energy={ \(figures.joined(separator: ", ")) }" }

  static func configuration(_ overrides: [String], directory: String = "/nowhere") throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil,
      overrides: ["storage.directory=\(directory)", "storage.allow_volatile=true", "api.enabled=false"]
        + overrides,
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  @Test func boardCurrentsAreConvertedToTheBatteryVoltage() throws {
    let currents = BoardCurrents(try Self.configuration(Self.figures))
    #expect(currents.supply == .battery(cells: 1))
    #expect(currents[.hostBase].map { abs($0 - 119.2) < 0.1 } == true)
    #expect(currents[.receiver(.searching)] == 13 && currents[.receiver(.settling)] == 10)
    #expect(currents[.receiver(.backup)] == 0.04 && currents[.accelerometer] == nil)
    let mains = BoardCurrents(try Self.configuration([Self.energy([Self.host])]))
    #expect(mains.supply.volts == 5 && mains[.hostBase] == 75)
  }

  @Test func receiverCurrentsRequireAllThreeFigures() throws {
    #expect(ReceiverCurrents(try Self.configuration(Self.figures).energy)?.searching == 13)
    for missing in Self.receiver.indices {
      var some = Self.receiver
      some.remove(at: missing)
      let configuration = try Self.configuration([Self.energy(some)])
      #expect(ReceiverCurrents(configuration.energy) == nil)
      #expect(TrackerSettings(configuration).currents == .neoM8N)
    }
    #expect(TrackerSettings(try Self.configuration(Self.figures)).currents.tracking == 10)
  }

  @Test func withoutCurrentsTheReportNamesTheMissingSettings() throws {
    var ledger = EnergyLedger(BoardCurrents(try Self.configuration([])), now: .zero)
    ledger.record(.host, drawing: .hostBase, now: .zero)
    ledger.record(.receiver, drawing: .receiver(.tracking), now: .zero)
    ledger.record(.radio, drawing: .radioSending, now: .zero)
    let report = StatusReport.Energy(ledger.account(now: .zero + .seconds(60)), try Self.configuration([]))
    #expect(report.missing == ["energy.receiver_tracking", "energy.host_idle", "energy.modem_sending"])
    #expect(report.shares.allSatisfy { $0.charge_mAh == nil && $0.time_s == 60 })
    let reason = try #require(report.gauge_trouble)
    #expect(reason == TextSnapshot("daemon").expected("energy: no measured charge on mains", reason))
    #expect(report.total_mAh == 0)
    #expect(StatusReport.Energy(json: report.json ?? []) == report)
  }

  @Test func theLedgerContinuesAfterARestart() throws {
    let bench = try HTTPBench.simulated()
    let configuration = try Self.configuration(Self.figures, directory: bench.directory + "/log")
    var before = ChargeAccount(start: nil, supplyVolts: 3.7)
    do {
      // An hour of a receiver, in the log of an earlier run.
      let end = bench.loop.now
      var ledger = EnergyLedger(BoardCurrents(configuration), now: end + .seconds(-3600))
      ledger.record(.receiver, drawing: .receiver(.tracking), now: end + .seconds(-3600))
      let writer = LogWriter(
        directory: bench.directory + "/log", allowVolatile: true,
        options: LogOptions(bootID: "before", clock: { .zero }))
      _ = writer.handle(.saveState(.energy, ledger.text(now: end)))
      _ = writer.handle(.close)
      let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
      logger.start()
      #expect(try bench.run { logger.log.isOpen })
      try bench.loop.advance(by: .seconds(1))
      let now = bench.loop.now
      logger.power.recordCharge(condition(percent: 80), now: now)
      logger.power.recordCharge(condition(percent: 79), now: now)
      logger.stop()
      before = logger.power.account(now: bench.loop.now)
    }
    #expect(before.seenByGauge.map { abs($0.milliampereHours - 100) < 1e-6 } == true)
    let savedStates = try LogReader(directory: bench.directory + "/log").savedStates()
    #expect(savedStates[.energy]?.hasPrefix("energy 1\n") == true)
    let next = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    next.start()
    #expect(try bench.run { next.log.isOpen })
    let after = next.energy(since: nil)
    #expect(after.gauge_mAh == 100)
    #expect(
      after.shares.first { $0.name == "receiver_tracking" }?.charge_mAh.map { abs($0 - 10) < 0.1 } == true)
    next.stop()
  }

  @Test func aLostAccelerometerDrawsNothingUntilItReturns() throws {
    let bench = try HTTPBench.simulated()
    let bus = LiveBus(loop: bench.loop)
    let address = try #require(I2CAddress(0x18))
    let start = bench.loop.now
    bus.bus.attach(VirtualLIS3DH(track: AccelerationTrack([(0, .stationary)], seed: 7)), at: address)
    bus.bus.vanish(address, during: start + .seconds(1)..<start + .seconds(4), keepingSupply: true)
    let configuration = try Self.configuration(
      Self.figures + [
        "accelerometer={ chip: \"lis3dh\", bus: \"/dev/i2c-1\" }",
        Self.energy(["accelerometer: { mA: 3600, V: 3.3, source: 'test' }"]),
      ], directory: bench.directory + "/log")
    let logger = try Logger(
      loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet
    ) { _, _ throws(I2CError) in bus }
    logger.start()
    defer { logger.stop() }
    func drawn() -> Charge {
      logger.power.account(now: bench.loop.now).entries[.accelerometer]?.charge ?? .zero
    }
    #expect(
      try bench.run { logger.sensors.accelerometer?.condition.activity == .sampling && drawn() > .zero })
    #expect(try bench.run(for: .seconds(20)) { logger.sensors.accelerometer?.isLost == true })
    #expect(try bench.run(for: .seconds(3)) { true })
    let atLoss = drawn()
    #expect(try bench.run(for: .seconds(20)) { logger.sensors.accelerometer?.isLost == false })
    // One second would be 1 mAh.
    #expect((drawn() - atLoss).milliampereHours < 0.2, "the time of the loss is not charged")
    #expect(try bench.run { drawn() > atLoss })
  }

  @Test func theUseOfTheProgramIsInTheLedger() throws {
    let bench = try HTTPBench.simulated()
    let configuration = try Self.configuration(
      Self.figures + [Self.energy(["host_core: { mA: 75, V: 5, source: 'test' }"])],
      directory: bench.directory + "/log")
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    for _ in 0..<100 { logger.power.countFlush() }
    var burned = 0.0
    for number in 1...2_000_000 { burned += Double(number).squareRoot() }
    #expect(burned > 0)
    let energy = logger.energy(since: nil)
    let processor = try #require(energy.shares.first { $0.name == "processor" })
    #expect(processor.charge_mAh != nil)
    let storage = try #require(energy.shares.first { $0.name == "storage" })
    #expect(storage.charge_mAh == nil && storage.time_s >= 1)
    #expect(energy.missing.contains("energy.storage_writing") && !energy.missing.contains("energy.host_core"))
    #expect(energy.grain == "local day")
    let again = logger.energy(since: nil).shares.first { $0.name == "storage" }
    #expect(again?.time_s == storage.time_s, "every flush is counted once")
    logger.stop()
  }

  @Test func theBoardFileSetsTheTailTimeOfTheModem() throws {
    let configuration = try Self.configuration([
      "energy={ modem_tail: { mA: 160, V: 5, source: 'test' }, modem_tail_lasts: '12s' }"
    ])
    let currents = BoardCurrents(configuration)
    #expect(currents.radioTail == .seconds(12) && currents[.radioTail] == 160)
    #expect(BoardCurrents(try Self.configuration([])).radioTail == nil)
  }

  /// It was once reported twice at a start, and so counted twice.
  @Test func theTotalDistanceIsTheSameAfterARestart() throws {
    let bench = try HTTPBench.simulated()
    let configuration = try Self.configuration([], directory: bench.directory + "/log")
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.saveState(.tracker, "outrider 1\nway\t5000"))
    _ = writer.handle(.close)
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    #expect(logger.tracking.tracker.places.lifetime.millimetres == 5000)
    logger.stop()
  }

  @Test func aChargingBatteryIsNoMeasurementOfTheUse() throws {
    let bench = try HTTPBench.simulated()
    let logger = try Logger(
      loop: bench.loop,
      configuration: try Self.configuration(Self.figures, directory: bench.directory + "/log"),
      journal: LoggerTests.quiet)
    let now = bench.loop.now
    logger.power.recordCharge(condition(percent: 50, .charging), now: now)
    logger.power.recordCharge(condition(percent: 60, .charging), now: now)
    #expect(logger.energy(since: nil).gauge_mAh == nil)
    var doubtful = condition(percent: 40)
    doubtful.doubt = .jumped
    logger.power.recordCharge(doubtful, now: now)
    #expect(logger.energy(since: nil).gauge_mAh == nil)
    logger.stop()
  }

  private func condition(percent: Double, _ state: BatteryState = .unplugged) -> BatteryCondition {
    var condition = BatteryCondition()
    (condition.state, condition.percent, condition.doubt) = (state, percent, nil)
    return condition
  }
}
