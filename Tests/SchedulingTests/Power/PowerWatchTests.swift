import DaySupport
import Quantities
import Testing
import TextSnapshots
@testable import Scheduling

/// The power level on a simulated clock, with a reading a minute.
struct PowerDrill {
  var watch: PowerWatch
  var now = Moment.zero + .seconds(100)
  private(set) var stages: [PowerStage] = []
  var actions: [PowerWatch.Action] = []

  init(_ rules: PowerRules?) { watch = PowerWatch(rules) }

  mutating func handle(_ readings: [PowerReading]) {
    for reading in readings {
      now = now + .seconds(60)
      if let due = watch.nextTimeout, due <= now { actions += watch.handleTimeout(now: now) }
      actions += watch.take(reading, now: now)
      if stages.last != watch.stage { stages.append(watch.stage) }
    }
  }

  mutating func handle(percent: [Double], _ state: BatteryState = .unplugged) {
    handle(percent.map { PowerReading(state, percent: $0) })
  }

  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let due = watch.nextTimeout, due <= end {
      now = max(now, due)
      actions += watch.handleTimeout(now: now)
      if stages.last != watch.stage { stages.append(watch.stage) }
    }
    now = end
  }

  var changes: Int { actions.filter { if case .changed = $0 { true } else { false } }.count }
}

@Suite struct PowerWatchTests {
  static let texts = TextSnapshot("tracking")

  static let causes: [(name: String, cause: PowerCause)] = [
    ("not read", .unread), ("restored", .restored), ("charge", .charge(14.9, limit: 15)),
    ("voltage", .voltage(12.1, limit: 12.2)), ("temperature", .temperature(-21, limit: -20)),
    ("charger", .charger), ("no reading", .silence(.seconds(3600))),
    ("constant reading", .standstill(.seconds(86_400))),
  ]

  @Test(arguments: causes.indices)
  func everyCauseOfALevelIsExplained(index: Int) {
    let (name, cause) = Self.causes[index]
    #expect(cause.text == Self.texts.expected("power level: \(name)", cause.text))
  }

  @Test func aDrainingBatteryBecomesLowAndThenRecordsItsLastPosition() {
    var drill = PowerDrill(.usual)
    drill.handle(percent: stride(from: 30, through: 4, by: -0.5).map { $0 })
    #expect(drill.stages == [.normal, .low, .lastPosition])
    #expect(drill.actions == [.changed(from: .normal), .changed(from: .low), .takeLastPosition])
    #expect(drill.watch.waitsForPosition)
    drill.actions += drill.watch.positionKept(now: drill.now)
    #expect(drill.watch.stage == .survival && drill.actions.last == .switchReceiverOff)
    #expect(drill.watch.cause == .charge(4, limit: 11))
  }

  @Test func theWaitForTheLastPositionTimesOut() {
    var drill = PowerDrill(.usual)
    drill.handle(percent: [5, 5, 5])
    #expect(drill.watch.stage == .lastPosition)
    drill.wait(PowerWatch.lastPositionLimit)
    #expect(drill.watch.stage == .survival && drill.actions.last == .switchReceiverOff)
  }

  @Test(arguments: [15, 6] as [Double])
  func aBatteryThatOscillatesAtAThresholdDoesNotFlap(limit: Double) {
    var drill = PowerDrill(.usual)
    drill.handle(percent: [limit + 3, limit + 3, limit + 3])
    for _ in 0..<500 {
      drill.handle(percent: [
        limit - 0.5, limit - 0.5, limit - 0.5, limit + 1.5, limit + 1.5, limit + 1.5, limit + 1.5,
      ])
    }
    #expect(drill.changes <= (limit == 6 ? 2 : 1), "\(drill.stages)")
  }

  @Test func aWeakChargerThatComesAndGoesDoesNotFlap() {
    var drill = PowerDrill(.usual)
    drill.handle(percent: [5, 5, 5])
    drill.wait(.seconds(200))
    for _ in 0..<200 {
      drill.handle(percent: [5.5, 6, 6.5, 7, 7.5], .charging)
      drill.handle(percent: [7, 6.5, 6, 5.5, 5])
    }
    #expect(drill.changes == 1 && drill.watch.stage == .survival)
  }

  @Test func aSingleBadReadingChangesNothing() {
    var drill = PowerDrill(.usual)
    for _ in 0..<50 { drill.handle(percent: [60, 60, 2, 2, 60]) }
    #expect(drill.stages == [.normal] && drill.actions.isEmpty)
  }

  @Test func chargingRestoresTheLevelStepByStep() {
    var drill = PowerDrill(.usual)
    drill.handle(percent: [5, 5, 5])
    drill.wait(.seconds(200))
    drill.handle(percent: [5, 6, 7, 8, 8.5, 9, 9.5, 10], .charging)
    #expect(drill.watch.stage == .low)
    drill.handle(percent: [15, 16, 17, 18, 19], .charging)
    #expect(drill.watch.stage == .normal)
    #expect(drill.stages == [.normal, .lastPosition, .survival, .low, .normal])
  }

  @Test func aFullBatteryIsAlwaysNormal() {
    var drill = PowerDrill(.usual)
    drill.handle(percent: [5, 5, 5])
    drill.handle([PowerReading](repeating: PowerReading(.full, percent: 5), count: 3))
    #expect(drill.watch.level == .normal && drill.watch.cause == .charger)
  }

  @Test func withoutAKnownChargeTheCellVoltageDecides() {
    var drill = PowerDrill(.usual)
    drill.handle([3.7, 3.5, 3.44, 3.43, 3.42].map { PowerReading(.unplugged, voltage: $0) })
    #expect(drill.watch.level == .low && drill.watch.cause == .voltage(3.42, limit: 3.45))
    // If the charge is known, a voltage that sags under load does not count.
    drill.handle([3.3, 3.3, 3.3].map { PowerReading(.unplugged, percent: 40, voltage: $0) })
    #expect(drill.watch.level == .normal)
  }

  @Test func aSetVoltageLimitCountsInAdditionToTheCharge() {
    var rules = PowerRules.usual
    rules.voltage = PowerRules.Limits(low: 12.2, critical: 11.9, resume: 12.6, leastGap: 0.1)
    var drill = PowerDrill(rules)
    drill.handle([12.1, 12.1, 12.1].map { PowerReading(.unplugged, percent: 80, voltage: $0) })
    #expect(drill.watch.cause == .voltage(12.1, limit: 12.2))
    drill.handle([11.8, 11.8, 11.8].map { PowerReading(.unknown, voltage: $0) })
    #expect(drill.watch.level == .critical)
    drill.handle([12.35, 12.35, 12.35].map { PowerReading(.unknown, voltage: $0) })
    #expect(drill.watch.level == .low)
    drill.handle([12.7, 12.7, 12.7].map { PowerReading(.unknown, voltage: $0) })
    #expect(drill.watch.level == .normal)
  }

  @Test(arguments: [-21, 61] as [Double])
  func cellsOutsideTheirTemperatureRangeAreLow(degrees: Double) {
    var drill = PowerDrill(.usual)
    let outside = PowerReading(.unplugged, percent: 80, temperature: degrees)
    drill.handle([outside, outside, outside])
    #expect(drill.watch.level == .low)
    guard case .temperature(degrees, _) = drill.watch.cause else {
      Issue.record("\(drill.watch.cause)")
      return
    }
    let near = PowerReading(.unplugged, percent: 80, temperature: degrees * 0.97)
    drill.handle([near, near, near, near])
    #expect(drill.watch.level == .low, "hysteresis of 3 °C")
    let inside = PowerReading(.unplugged, percent: 80, temperature: 10)
    drill.handle([inside, inside, inside])
    #expect(drill.watch.level == .normal)
  }

  @Test func withoutAReadingTheLevelIsNormalWithThatCause() {
    #expect(PowerWatch(.usual).level == .normal && PowerWatch(.usual).cause == .unread)
    var drill = PowerDrill(.usual)
    drill.handle(percent: [5, 5, 5])
    drill.wait(.seconds(3500))
    #expect(drill.watch.level == .critical)
    drill.wait(.seconds(200))
    #expect(drill.watch.level == .normal && drill.watch.cause == .silence(.seconds(3600)))
    drill.handle([PowerReading(.unknown), PowerReading(.unknown)])
    #expect(drill.watch.level == .normal)
  }

  @Test func aStuckGaugeIsIgnoredUntilItsReadingChanges() {
    var drill = PowerDrill(.usual)
    let stuck = PowerReading(.unplugged, percent: 3, voltage: 3.31)
    drill.handle([PowerReading](repeating: stuck, count: 24 * 60 + 2))
    #expect(drill.watch.level == .normal)
    guard case .standstill = drill.watch.cause else {
      Issue.record("\(drill.watch.cause)")
      return
    }
    drill.handle([PowerReading](repeating: stuck, count: 3 * 24 * 60))
    #expect(drill.changes == 2, "critical, and then normal")
    drill.handle([3.3, 3.29, 3.28].map { PowerReading(.unplugged, percent: 3, voltage: $0) })
    #expect(drill.watch.level == .critical)
  }

  @Test func aLevelSurvivesARestartWithoutAnotherLastPosition() {
    var watch = PowerWatch(.usual)
    watch.restore(.critical, now: .zero)
    #expect(watch.stage == .survival && watch.cause == .restored)
    #expect(watch.nextTimeout == Moment.zero + PowerRules.readingTimeout)
    var other = PowerWatch(nil)
    other.restore(.critical, now: .zero)
    #expect(other.stage == .normal, "no reading could end it")
  }

  @Test func withoutLimitsTheLevelIsNormal() {
    var drill = PowerDrill(nil)
    drill.handle(percent: [1, 1, 1, 1])
    #expect(drill.watch.level == .normal)
    drill = PowerDrill(.usual)
    drill.handle(percent: [1, 1, 1, 1])
    #expect(drill.watch.change(nil, now: drill.now) == [.changed(from: .critical)])
    #expect(drill.watch.level == .normal)
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func forAnyReadingsALevelChangesOnlyAfterConsecutiveReadings(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var drill = PowerDrill(.usual)
    for _ in 0..<2000 {
      let before = drill.watch.level
      var reading = PowerReading(BatteryState.allCases.randomElement(using: &random) ?? .unknown)
      if Bool.random(using: &random) { reading.percent = .random(in: -10...130, using: &random) }
      if Bool.random(using: &random) { reading.voltage = .random(in: 0...5, using: &random) }
      if Bool.random(using: &random) { reading.temperature = .random(in: -80...200, using: &random) }
      let changes = drill.changes
      drill.handle([reading])
      #expect(drill.changes - changes == (before == drill.watch.level ? 0 : 1))
      #expect(
        (drill.watch.stage == .survival || drill.watch.stage == .lastPosition)
          == (drill.watch.level == .critical))
    }
  }
}
