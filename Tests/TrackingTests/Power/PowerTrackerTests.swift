import Energy
import Quantities
import Records
import Testing

@testable import Tracking

extension PlannedDay {
  /// Passes readings of a gauge, one a minute.
  mutating func read(_ percent: [Double], _ state: BatteryState = .unplugged) {
    for value in percent {
      tell(.power(PowerReading(state, percent: value)))
      pass(60)
    }
  }

  init(spared scheme: ReceiverScheme?) {
    self.init(scheme)
    var settings = drill.tracker.settings
    settings.power = .usual
    tell(.settings(settings, changed: ["power.low"]))
  }

  var levels: [EventFields] { drill.events.filter { $0.kind == .powerLevel }.map(\.fields) }
}

@Suite struct PowerTrackerTests {
  @Test func aCriticalBatteryRecordsOneLastPositionAndTheReceiverStaysOff() {
    var day = PlannedDay(spared: .high)
    day.pass(600)
    let before = day.drill.locations.count
    day.read([5, 5, 5, 5])
    #expect(day.drill.tracker.powerStage == .survival)
    #expect(day.drill.locations.count == before + 1)
    #expect(
      day.levels == [
        [.previousLevel: "normal", .level: "critical", .cause: "charge", .percent: 5, .limit: "6"]
      ])
    let orders = day.orders
    day.speed = 10
    day.tell(.evidence(.accelerometer, isActive: true))
    for _ in 0..<120 { day.read([4]) }
    #expect(day.state == .backup && day.orders == orders, "neither motion nor a check wakes the receiver")
    #expect(day.drill.locations.count == before + 1)
    day.read([8, 9, 10, 11, 12], .charging)
    #expect(day.drill.tracker.powerStage == .low)
    day.pass(120)
    #expect(day.drill.locations.count > before + 1, "recording resumes")
  }

  @Test func aLowBatteryIsSampledSparselyEvenIfTheReceiverWasAlwaysOn() {
    var day = PlannedDay(spared: nil)
    day.speed = 3
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(600)
    #expect(day.orders == 0 && day.drill.locations.count > 590)
    day.read([14, 14, 14])
    let before = day.drill.locations.count
    for _ in 0..<120 { day.read([13]) }
    let kept = day.drill.locations.count - before
    #expect((2...26).contains(kept), "\(kept)")
    day.read([21, 21, 21])
    day.pass(60)
    #expect(day.state.isPowered)
    let restored = day.drill.locations.count
    day.pass(60)
    #expect(day.drill.locations.count >= restored + 59)
  }

  @Test func aTripByHandIsRecordedInFullUntilTheBatteryIsCritical() {
    var day = PlannedDay(spared: .high)
    day.tell(.trip(.start(.bicycle)))
    day.read([14, 14, 14])
    let before = day.drill.locations.count
    day.read([12])
    #expect(day.drill.locations.count >= before + 59)
    day.read([5, 5, 5, 5])
    #expect(day.state == .backup)
  }

  @Test func aCheckInDuringSurvivalGetsAPositionAndTheReceiverSleepsAgain() {
    var day = PlannedDay(spared: .high)
    day.read([5, 5, 5, 5])
    let before = day.drill.locations.count
    for isMoving in [false, true] {
      day.tell(.checkIn)
      day.tell(.evidence(.accelerometer, isActive: isMoving))
      day.pass(120)
      #expect(day.state == .backup)
    }
    #expect(day.drill.locations.count == before + 2)
  }

  @Test func theLevelSurvivesARestart() throws {
    var day = PlannedDay(spared: .high)
    day.read([5, 5, 5, 5])
    let saved = day.drill.actions.compactMap { if case .save(let text) = $0 { text } else { nil } }
    let text = try #require(saved.last)
    #expect(text.contains("power\tcritical"))
    var settings = TrackerSettings(deviceID: "van")
    settings.scheme = .high
    settings.power = .usual
    var next = Drill(settings)
    next.tell(.restored(text))
    next.tell(.started(lastLocation: nil))
    #expect(next.tracker.powerStage == .survival)
    #expect(next.tracker.receiverState == .backup)
    next.wait(.seconds(3601))
    #expect(next.tracker.powerStage == .normal, "without a gauge the device continues")
    #expect(next.tracker.receiverState == .searching)
  }

  @Test func aBudgetLengthensTheCheckIntervalsAndSurvivesARestart() throws {
    var day = PlannedDay(spared: .high)
    var settings = day.drill.tracker.settings
    settings.budget = PowerBudget.Rules(
      capacity: Charge(milliampereHours: 1000), reserve: 0.1,
      until: Timestamp(milliseconds: 1_774_592_000_000))
    day.tell(.settings(settings, changed: ["power.last_until"]))
    day.pass(60)
    for step in 0..<4 {
      let drawn = Double(step) * 25
      day.tell(
        .powerUse(
          PowerUse(
            remaining: Charge(milliampereHours: 900 - drawn), drawn: Charge(milliampereHours: drawn),
            sampled: Charge(milliampereHours: drawn * 0.95), ran: .seconds(step * 6 * 3600))))
    }
    let budget = day.drill.tracker.budget
    #expect(budget.stretch > 2 && budget.outlook == .lasts)
    let plan = try #require(day.drill.tracker.plan)
    #expect(plan.scheme == ReceiverScheme.high.stretched(by: budget.stretch))
    #expect(day.drill.events.contains { $0.kind == .powerBudget && ($0.fields.number(.interval) ?? 0) > 100 })
    let saved = day.drill.actions.compactMap { if case .save(let text) = $0 { text } else { nil } }
    var next = Drill(settings)
    next.tell(.restored(try #require(saved.last)))
    next.tell(.started(lastLocation: nil))
    #expect(abs(next.tracker.budget.stretch - budget.stretch) < 0.01)
  }

  @Test func aReceiverThatSleepsByATimerIsSwitchedOff() {
    var bench = PlanBench(.high)
    bench.pass(600)
    #expect(bench.state == .backup && bench.plan.nextTimeout != nil)
    let told = bench.plan.handle(.scheme(.off), now: bench.now)
    #expect(told == [.receiver(.backup, until: nil)] && bench.plan.nextTimeout == nil)
    let again = bench.plan.handle(.scheme(.off), now: bench.now)
    #expect(again.isEmpty)
  }
}
