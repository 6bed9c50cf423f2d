import Chips
import Energy
import GNSSProtocol
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Store
import TestSupport
import Testing
import Uplink
@testable import Daemon

/// The logger on a battery that runs down.
@Suite struct PowerTests {
  static func configuration(_ overrides: [String] = []) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil,
      overrides: ["storage.directory=/nowhere", "storage.allow_volatile=true", "api.enabled=false"]
        + overrides,
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  static func fix(_ second: Int64) -> Fix {
    var fix = Fix()
    let time = Timestamp(milliseconds: 1_774_087_200_000 + second * 1000)
    (fix.timestamp, fix.millisecondOfDay) = (time, Int32(time.millisecondOfDay))
    fix.kind = .threeDimensional
    (fix.latitude, fix.longitude) = (52.5 + Double(second) * 1e-5, 13.4)
    return fix
  }

  static func condition(_ percent: Double, _ state: BatteryState = .unplugged) -> BatteryCondition {
    var condition = BatteryCondition()
    (condition.state, condition.percent, condition.doubt) = (state, percent, nil)
    return condition
  }

  @Test func thePowerLevelsFollowTheSupply() throws {
    #expect(PowerRules(try Self.configuration()) == nil, "mains are unlimited")
    #expect(
      PowerRules(try Self.configuration(["supply=vehicle"])) == nil, "the battery of the vehicle is unknown")
    let vehicle = try #require(
      PowerRules(try Self.configuration(["supply=vehicle", "power.low_V=12.2", "power.critical_V=11.9"])))
    #expect(vehicle.charge == nil && vehicle.voltage?.low == 12.2)
    #expect(vehicle.voltage.map { abs($0.gap - 12.2 * 0.03) < 1e-9 } == true)
    let battery = try #require(
      PowerRules(try Self.configuration(["supply=battery", "gauge={power_supply: 'B', cells: 2}"])))
    #expect(battery.charge == PowerRules.Limits(low: 15, critical: 6, resume: 20, leastGap: 1))
    #expect(battery.voltageWithoutCharge?.critical == 6.6 && battery.voltage == nil)
    let off = try #require(
      PowerRules(try Self.configuration(["supply=battery", "power.low=off", "power.critical=off"])))
    #expect(off.charge == nil && off.voltageWithoutCharge == nil)
  }

  @Test func aDieTemperatureIsNoCellTemperature() {
    var condition = Self.condition(50)
    (condition.temperature, condition.temperatureSource) = (-40, .die)
    #expect(PowerReading(condition).temperature == nil)
    condition.temperatureSource = .battery
    #expect(PowerReading(condition).temperature == -40)
  }

  @Test func aCriticalBatterySendsItsLastPositionOnly() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let configuration = try Self.configuration([
      "storage.directory=\(bench.directory)/log", "supply=battery", "send_interval=10m",
      "storage.commit_interval=1s", "main.tracking_mode=both",
      "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]",
    ])
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    #expect(
      logger.status.power == StatusReport.Power(level: "normal", reason: PowerCause.unread.text))
    let destination = try #require(configuration.effectiveDestinations(duringTrip: false).first)
    func process(_ percent: Double, _ state: BatteryState = .unplugged) {
      for _ in 0..<3 { logger.power.process(Self.condition(percent, state), now: bench.loop.now) }
    }
    process(12)
    #expect(logger.power.stage == .low)
    #expect(logger.delivery.deliverySettings(of: destination).sendInterval == .seconds(1800))
    process(5)
    #expect(logger.power.stage == .lastPosition)
    // A first fix without accuracy settles after a time.
    for second in 0..<15 {
      logger.tracking.process(
        .epoch(Self.fix(Int64(second)), systemClock: Timestamp(milliseconds: 0)),
        now: bench.loop.now + .seconds(second))
    }
    #expect(logger.power.stage == .survival)
    #expect(logger.delivery.deliverySettings(of: destination).sendInterval == nil)
    #expect(try bench.run { server.requests.contains { !LoggerTests.times($0).isEmpty } })
    #expect(try bench.run { logger.status.destinations.first?.delivered ?? 0 > 0 })
    #expect(logger.status.power?.level == "critical")
    #expect(logger.delivery.isSendingLast)
    process(40)
    #expect(logger.power.stage == .normal && !logger.delivery.isSendingLast)
    #expect(logger.delivery.deliverySettings(of: destination).sendInterval == .seconds(600))
    logger.stop()
    let events = try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 1000)
      .compactMap {
        if case .event(let event) = $0.record.body, event.kind == .powerLevel { event.fields } else { nil }
      }
    #expect(
      events == [
        [.previousLevel: "normal", .level: "low", .cause: "charge", .percent: 12, .limit: "15"],
        [.previousLevel: "low", .level: "critical", .cause: "charge", .percent: 5, .limit: "6"],
        [.previousLevel: "critical", .level: "normal", .cause: "charge", .percent: 40, .limit: "20"],
      ])
  }

  // MARK: The battery budget

  static let field = [
    "supply=battery", "gauge={ chip: 'max17048', bus: '/dev/none', capacity_mAh: 10000 }",
    "power.last_until=2027-03-01",
  ]

  @Test func theBudgetFollowsTheBattery() throws {
    let rules = try #require(PowerBudget.Rules(try Self.configuration(Self.field)))
    #expect(rules.capacity == Charge(milliampereHours: 10_000) && rules.reserve == 0.1)
    #expect(rules.until == Timestamp(iso8601: "2027-03-01T00:00:00Z"))
    #expect(PowerBudget.Rules(try Self.configuration(["supply=battery"])) == nil, "its capacity is unknown")
    let kernel = try Self.configuration([
      "supply=battery", "gauge={power_supply: 'B'}", "power.capacity_mAh=500", "power.critical=20",
      "power.low=25",
    ])
    #expect(PowerBudget.Rules(kernel)?.capacity.milliampereHours == 500)
    #expect(PowerBudget.Rules(kernel)?.reserve == 0.2 && PowerBudget.Rules(kernel)?.until == nil)
    #expect(PowerBudget.Rules(try Self.configuration(Self.field + ["supply=mains"])) == nil)
  }

  @Test func theUnexplainedDifferenceIsUsedAndCannotBeSaved() throws {
    var account = ChargeAccount(start: nil, supplyVolts: 3.7)
    account.duration = .seconds(86_400)
    #expect(PowerUse(account, Self.condition(50), capacity: 1000) == nil)
    var entry = ChargeAccount.Entry()
    entry.charge = Charge(milliampereHours: 20)
    account.entries = [.receiver(.tracking): entry, .receiver(.backup): entry, .hostBase: entry]
    account.seenByGauge = Charge(milliampereHours: 80)
    account.explained = Charge(milliampereHours: 60)
    let use = try #require(PowerUse(account, Self.condition(50), capacity: 1000))
    #expect(use.drawn.milliampereHours == 80 && use.sampled.milliampereHours == 20)
    #expect(use.remaining?.milliampereHours == 500 && use.ran == .seconds(86_400))
  }

  @Test func theStatusShowsTheDateTheFactorAndTheRange() throws {
    let bench = try HTTPBench.simulated()
    let logger = try Logger(
      loop: bench.loop,
      configuration: try Self.configuration(Self.field + ["storage.directory=\(bench.directory)/log"]),
      journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    let now = bench.loop.now
    logger.tracking.process(.epoch(Self.fix(0), systemClock: Timestamp(milliseconds: 0)), now: now)
    logger.tracking.process(
      .epoch(Self.fix(1), systemClock: Timestamp(milliseconds: 0)), now: now + .seconds(1))
    for day in 0..<3 {
      let drawn = Double(day) * 120
      logger.tracking.process(
        .powerUse(
          PowerUse(
            remaining: Charge(milliampereHours: 9000 - drawn), drawn: Charge(milliampereHours: drawn),
            sampled: Charge(milliampereHours: drawn * 0.9), ran: .seconds(day * 86_400))),
        now: now + .seconds(1))
    }
    let power = try #require(logger.status.power)
    #expect(power.last_until == "2027-03-01T00:00:00Z" && power.stretch.map { $0 > 2 } == true)
    let days = try #require(power.days_left)
    #expect(
      days.fewest < days.likeliest && days.likeliest < days.most
        && days.most_if_sampled_least > days.likeliest)
    #expect(power.budget?.contains("the battery lasts until power.last_until") == true, "\(power)")
    let home = "destinations=[{ name: 'home', kind: 'overland', url: 'http://127.0.0.1/x' }]"
    let destination = try #require(
      try Self.configuration([home]).effectiveDestinations(duringTrip: false).first)
    #expect(logger.delivery.deliverySettings(of: destination).sendInterval.map { $0 > .seconds(600) } == true)
    logger.stop()
    let events = try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 1000).filter
    {
      if case .event(let event) = $0.record.body { event.kind == .powerBudget } else { false }
    }
    #expect(events.count == 2)
  }
}
