import Energy
import Quantities
import Records
import Testing
import Scheduling
@testable import Tracking

extension ScheduledDay {
  /// Passes readings of a gauge, one a minute.
  func read(_ percent: [Double], _ state: BatteryState = .unplugged) {
    for value in percent {
      handle(.power(PowerReading(state, percent: value)))
      pass(60)
    }
  }

  convenience init(spared policy: TrackingPolicy?) {
    self.init(policy)
    var settings = drill.tracker.settings
    settings.power = .usual
    handle(.settings(settings, changed: ["power.low"]))
  }

  var levels: [EventFields] { drill.events.filter { $0.kind == .powerLevel }.map(\.fields) }
}

@Suite struct PowerTrackerTests {
  @Test func aCriticalBatteryRecordsOneLastPositionAndTheReceiverStaysOff() {
    let day = ScheduledDay(spared: .high)
    day.pass(600)
    let before = day.drill.locations.count
    day.read([5, 5, 5, 5])
    #expect(day.drill.tracker.summary.powerStage == .survival)
    #expect(day.drill.locations.count == before + 1)
    #expect(
      day.levels == [
        [.previousLevel: "normal", .level: "critical", .cause: "charge", .percent: 5, .limit: "6"]
      ])
    let orders = day.orders
    day.speed = 10
    day.handle(.evidence(.accelerometer, isActive: true))
    for _ in 0..<120 { day.read([4]) }
    #expect(day.state == .backup && day.orders == orders, "neither motion nor a check wakes the receiver")
    #expect(day.drill.locations.count == before + 1)
    day.read([8, 9, 10, 11, 12], .charging)
    #expect(day.drill.tracker.summary.powerStage == .low)
    day.pass(120)
    #expect(day.drill.locations.count > before + 1, "recording resumes")
  }

  @Test func aLowBatteryIsSampledSparselyEvenIfTheReceiverWasAlwaysOn() {
    let day = ScheduledDay(spared: nil)
    day.speed = 3
    day.handle(.evidence(.accelerometer, isActive: true))
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
    let day = ScheduledDay(spared: .high)
    day.handle(.trip(.start(.bicycle)))
    day.read([14, 14, 14])
    let before = day.drill.locations.count
    day.read([12])
    #expect(day.drill.locations.count >= before + 59)
    day.read([5, 5, 5, 5])
    #expect(day.state == .backup)
  }

  @Test func aCheckInDuringSurvivalGetsAPositionAndTheReceiverSleepsAgain() {
    let day = ScheduledDay(spared: .high)
    day.read([5, 5, 5, 5])
    let before = day.drill.locations.count
    for isMoving in [false, true] {
      day.handle(.checkIn)
      day.handle(.evidence(.accelerometer, isActive: isMoving))
      day.pass(120)
      #expect(day.state == .backup)
    }
    #expect(day.drill.locations.count == before + 2)
  }

  @Test func theLevelSurvivesARestart() throws {
    let day = ScheduledDay(spared: .high)
    day.read([5, 5, 5, 5])
    let saved = day.drill.actions.compactMap { if case .save(let text) = $0 { text } else { nil } }
    let text = try #require(saved.last)
    #expect(text.contains("power\tcritical"))
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.power = .usual
    let next = Drill(settings)
    next.handle(.restored(text))
    next.handle(.started(lastLocation: nil))
    #expect(next.tracker.summary.powerStage == .survival)
    #expect(next.tracker.summary.receiverState == .backup)
    next.wait(.seconds(3601))
    #expect(next.tracker.summary.powerStage == .normal, "without a gauge the device continues")
    #expect(next.tracker.summary.receiverState == .searching)
  }

  @Test func aBudgetLengthensTheCheckIntervalsAndSurvivesARestart() throws {
    let day = ScheduledDay(spared: .high)
    var settings = day.drill.tracker.settings
    settings.budget = PowerBudget.Rules(
      capacity: Charge(milliampereHours: 1000), reserve: 0.1,
      until: Timestamp(milliseconds: 1_774_592_000_000))
    day.handle(.settings(settings, changed: ["power.last_until"]))
    day.pass(60)
    for step in 0..<4 {
      let drawn = Double(step) * 25
      day.handle(
        .powerUse(
          PowerUse(
            remaining: Charge(milliampereHours: 900 - drawn), drawn: Charge(milliampereHours: drawn),
            sampled: Charge(milliampereHours: drawn * 0.95), ran: .seconds(step * 6 * 3600))))
    }
    let budget = day.drill.tracker.power.budget
    #expect(budget.intervalFactor > 2 && budget.outlook == .lasts)
    let schedule = try #require(day.drill.tracker.receiver.schedule)
    #expect(schedule.policy == TrackingPolicy.high.lengthened(by: budget.intervalFactor))
    #expect(day.drill.events.contains { $0.kind == .powerBudget && ($0.fields.number(.interval) ?? 0) > 100 })
    let saved = day.drill.actions.compactMap { if case .save(let text) = $0 { text } else { nil } }
    let next = Drill(settings)
    next.handle(.restored(try #require(saved.last)))
    next.handle(.started(lastLocation: nil))
    #expect(abs(next.tracker.power.budget.intervalFactor - budget.intervalFactor) < 0.01)
  }
}
