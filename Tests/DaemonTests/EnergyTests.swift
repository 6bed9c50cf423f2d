import Chips
import Energy
import Foundation
import LocalAPI
import Quantities
import Settings
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon

/// The ledger of a logger: what it is fed with, and that it outlives the program.
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

  @Test func theBoardsFiguresAreReckonedAtTheBattery() throws {
    let currents = BoardCurrents(try Self.configuration(Self.figures))
    #expect(currents.supply == .battery(cells: 1))
    #expect(currents[.hostBase].map { abs($0 - 119.2) < 0.1 } == true)
    #expect(currents[.receiver(.searching)] == 13 && currents[.receiver(.settling)] == 10)
    #expect(currents[.receiver(.backup)] == 0.04 && currents[.accelerometer] == nil)
    let mains = BoardCurrents(try Self.configuration([Self.energy([Self.host])]))
    #expect(mains.supply.volts == 5 && mains[.hostBase] == 75)
  }

  @Test func aReceiverWithoutAllThreeFiguresHasNone() throws {
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

  @Test func withoutFiguresTheReportNamesTheSettingsThatAreMissing() throws {
    var book = EnergyBook(BoardCurrents(try Self.configuration([])), now: .zero)
    book.note(.host, does: .hostBase, now: .zero)
    book.note(.receiver, does: .receiver(.tracking), now: .zero)
    book.note(.radio, does: .radioSending, now: .zero)
    let report = StatusReport.Energy(book.account(now: .zero + .seconds(60)), try Self.configuration([]))
    #expect(report.missing == ["energy.receiver_tracking", "energy.host_idle", "energy.modem_sending"])
    #expect(report.shares.allSatisfy { $0.charge_mAh == nil && $0.time_s == 60 })
    #expect(report.total_mAh == 0 && report.gauge_trouble == "the box does not run from a battery")
    #expect(StatusReport.Energy(json: report.json ?? []) == report)
  }

  @Test func theLedgerGoesOnAfterARestart() throws {
    let bench = try HTTPBench()
    let configuration = try Self.configuration(Self.figures, directory: bench.directory + "/log")
    var before = ChargeAccount(start: nil, supplyVolts: 3.7)
    do {
      let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
      logger.start()
      #expect(try bench.run { logger.storeState.isOpen })
      let now = bench.loop.now
      // An hour of a receiver, told as if it had been.
      logger.energyDuty.book.note(.receiver, does: .receiver(.tracking), now: now + .seconds(-3600))
      logger.noteEnergy(condition(percent: 80), now: now)
      logger.noteEnergy(condition(percent: 79), now: now)
      logger.stop()
      before = logger.energyDuty.book.account(now: bench.loop.now)
    }
    #expect(before.seenByGauge.map { abs($0.milliampereHours - 100) < 1e-6 } == true)
    let notes = try LogReader(directory: bench.directory + "/log").notes()
    #expect(notes[.energy]?.hasPrefix("energy 1\n") == true)
    let next = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    next.start()
    #expect(try bench.run { next.storeState.isOpen })
    let after = next.energy(since: nil)
    #expect(after.gauge_mAh == 100)
    #expect(
      after.shares.first { $0.name == "receiver_tracking" }?.charge_mAh.map { abs($0 - 10) < 0.1 } == true)
    next.stop()
  }

  /// What was once told twice at a start, and so counted twice.
  @Test func theWayEverTravelledIsTheSameAfterARestart() throws {
    let bench = try HTTPBench()
    let configuration = try Self.configuration([], directory: bench.directory + "/log")
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.note(.tracker, "outrider 1\nway\t5000"))
    _ = writer.handle(.close)
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.storeState.isOpen })
    #expect(logger.tracker.lifetimeMillimetres == 5000)
    logger.stop()
  }

  @Test func aChargingBatteryTellsNothingOfWhatIsDrawn() throws {
    let bench = try HTTPBench()
    let logger = try Logger(
      loop: bench.loop,
      configuration: try Self.configuration(Self.figures, directory: bench.directory + "/log"),
      journal: LoggerTests.quiet)
    let now = bench.loop.now
    logger.noteEnergy(condition(percent: 50, .charging), now: now)
    logger.noteEnergy(condition(percent: 60, .charging), now: now)
    #expect(logger.energy(since: nil).gauge_mAh == nil)
    var doubtful = condition(percent: 40)
    doubtful.doubt = .jumped
    logger.noteEnergy(doubtful, now: now)
    #expect(logger.energy(since: nil).gauge_mAh == nil)
    logger.stop()
  }

  private func condition(percent: Double, _ state: BatteryState = .unplugged) -> BatteryCondition {
    var condition = BatteryCondition()
    (condition.state, condition.percent, condition.doubt) = (state, percent, nil)
    return condition
  }
}
