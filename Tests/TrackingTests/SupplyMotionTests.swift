import Quantities
import Testing
@testable import Scheduling
import Tracking

@Suite struct SupplyMotionTests {
  /// Rules for an alternator, from 13.1 V on.
  private static func supplyMotion(charger: Bool = false) -> SupplyMotion {
    var rules = SupplyRules()
    rules.voltage = 13.1
    rules.reactsToCharger = charger
    return SupplyMotion(rules: rules)
  }

  private static func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }

  /// Passes readings, lets time pass to `end`, and returns the changes with their seconds.
  private static func reported(
    _ supplyMotion: inout SupplyMotion, _ readings: [(Int64, SupplyReading?)], until end: Int64
  ) -> [String] {
    var lines: [String] = []
    func record(_ changes: [SupplyMotion.Change], _ now: Moment) {
      for change in changes {
        let state = change.isActive.map { $0 ? "moves" : "quiet" } ?? "lost"
        lines.append("\(change.source) \(state) \(now.nanoseconds / 1_000_000_000)")
      }
    }
    for (index, (at, reading)) in readings.enumerated() {
      record(supplyMotion.take(reading, now: second(at)), second(at))
      let next = index + 1 < readings.count ? second(readings[index + 1].0) : second(end)
      while let due = supplyMotion.nextTimeout, due < next {
        record(supplyMotion.handleTimeout(now: due), due)
      }
    }
    return lines
  }

  private static func volts(_ voltage: Double) -> SupplyReading { SupplyReading(voltage: voltage) }

  @Test func aVoltageCountsOnceItHeldAndItsEndCountsAfterAMinute() {
    var supplyMotion = Self.supplyMotion()
    let reported = Self.reported(
      &supplyMotion, [(0, Self.volts(12.5)), (100, Self.volts(13.9)), (600, Self.volts(12.6))], until: 900)
    #expect(reported == ["voltage quiet 60", "voltage moves 280", "voltage quiet 660"])
  }

  @Test func aSurgeAndAStallingEngineAreNoChange() {
    var supplyMotion = Self.supplyMotion()
    let reported = Self.reported(
      &supplyMotion,
      [
        (0, Self.volts(14)), (170, Self.volts(12.5)), (175, Self.volts(14)), (400, Self.volts(11)),
        (450, Self.volts(14)), (460, Self.volts(12.95)),
      ], until: 900)
    #expect(reported == ["voltage moves 355"], "12.95 V is above the release level of 12.9 V")
  }

  @Test func aChargerCountsAfterAMinute() {
    var supplyMotion = Self.supplyMotion(charger: true)
    let reported = Self.reported(
      &supplyMotion, [(0, SupplyReading(isCharging: true)), (300, SupplyReading(isCharging: false))],
      until: 900)
    #expect(reported == ["charger moves 60", "charger quiet 360"])
    var ignoring = Self.supplyMotion()
    #expect(Self.reported(&ignoring, [(0, SupplyReading(isCharging: true))], until: 900).isEmpty)
  }

  @Test func aLostGaugeDoesNotCount() {
    var supplyMotion = Self.supplyMotion()
    let reported = Self.reported(&supplyMotion, [(0, Self.volts(14)), (300, nil)], until: 9000)
    #expect(reported == ["voltage moves 180", "voltage lost 300"])
    #expect(!supplyMotion.isMoving && supplyMotion.nextTimeout == nil)
  }

  @Test func anUnconfirmedSupplyCountsForHalfAnHour() {
    var supplyMotion = Self.supplyMotion()
    let reported = Self.reported(&supplyMotion, [(0, Self.volts(14))], until: 100_000)
    #expect(reported == ["voltage moves 180", "voltage quiet 1980"])
    let flapping = Self.reported(
      &supplyMotion, [(100_000, Self.volts(12)), (100_100, Self.volts(14))], until: 110_000)
    #expect(flapping.isEmpty, "a battery that is topped up repeatedly")
    let morning = Self.reported(
      &supplyMotion, [(110_000, Self.volts(12)), (150_000, Self.volts(14))], until: 150_200)
    #expect(morning == ["voltage moves 150180"])
  }

  @Test func motionConfirmsTheSupply() {
    var supplyMotion = Self.supplyMotion()
    _ = Self.reported(&supplyMotion, [(0, Self.volts(14))], until: 1900)
    supplyMotion.confirm(now: Self.second(1900))
    #expect(supplyMotion.nextTimeout == Self.second(3700))
    #expect(Self.reported(&supplyMotion, [(1901, Self.volts(14.1))], until: 3699).isEmpty)
  }

  @Test func aDriveRestoresAnIgnoredSupplyButADoorDoesNot() {
    var supplyMotion = Self.supplyMotion()
    _ = Self.reported(&supplyMotion, [(0, Self.volts(14))], until: 5000)
    supplyMotion.confirm(now: Self.second(5000))
    #expect(supplyMotion.nextTimeout == nil && !supplyMotion.isMoving && supplyMotion.isHigh)
    supplyMotion.confirm(byFix: true, now: Self.second(5001))
    #expect(supplyMotion.handleTimeout(now: Self.second(5001)) == [.init(source: .voltage, isActive: true)])
  }

  @Test func changedRulesApplyImmediately() {
    var supplyMotion = Self.supplyMotion()
    _ = Self.reported(&supplyMotion, [(0, Self.volts(12.8))], until: 200)
    var rules = supplyMotion.rules
    (rules.voltage, rules.voltageHold) = (12.7, .zero)
    #expect(supplyMotion.adopt(rules, now: Self.second(200)) == [.init(source: .voltage, isActive: true)])
    rules.voltage = nil
    #expect(supplyMotion.adopt(rules, now: Self.second(201)) == [.init(source: .voltage, isActive: nil)])
  }
}

@Suite struct SupplyTrackerTests {
  private static func settings() -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.supplyMotion.voltage = 13.1
    return settings
  }

  @Test func aStartingEngineWakesTheReceiverAndALostGaugeLetsItSleep() {
    let day = ScheduledDay(Self.settings())
    day.pass(300)
    #expect(day.state == .backup)
    day.handle(.supply(SupplyReading(voltage: 14)))
    day.pass(170)
    #expect(day.state == .backup)
    day.pass(20)
    #expect(day.state.isPowered && day.drill.tracker.motion.evidence.isMoving)
    day.handle(.supply(nil))
    #expect(!day.drill.tracker.motion.evidence.isMoving)
    day.pass(120)
    #expect(day.state == .backup)
  }

  @Test func aParkedCarThatIsToppedUpLetsTheReceiverSleep() {
    let day = ScheduledDay(Self.settings())
    day.handle(.supply(SupplyReading(voltage: 14)))
    day.pass(1500)
    #expect(day.state.isPowered)
    day.pass(900)
    #expect(day.state == .backup && !day.drill.tracker.motion.evidence.isMoving)
  }

  @Test func fixesOnASmoothMotorwayConfirmTheSupply() {
    let day = ScheduledDay(Self.settings())
    day.handle(.supply(SupplyReading(voltage: 14)))
    day.pass(200)
    day.speed = 30
    day.pass(3600)
    #expect(day.state.isPowered && day.drill.tracker.motion.evidence.isMoving)
    day.speed = 0
    day.pass(1740)
    #expect(day.drill.tracker.motion.evidence.isMoving)
  }
}
