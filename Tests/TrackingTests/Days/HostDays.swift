import DaySupport
import Energy
import Quantities
import Settings
import Testing
import Scheduling

/// Days of a device whose host sleeps between two tasks and is woken by motion.
@Suite struct HostDays {
  static func live(_ day: TrackedDay) {
    day.stop(.seconds(6 * 3600))
    day.drive(15_000, at: 15)
    day.stop(.seconds(9 * 3600))
    day.walk(1000, course: 180)
    day.stop(.seconds(3600))
    day.drive(15_000, at: 15, course: 270)
    day.stop(.seconds(6 * 3600))
  }

  @Test(arguments: [HostDepth.suspend, .halt])
  func aHostThatSleepsMostOfTheDayLosesNothing(depth: HostDepth) throws {
    let awake = TrackedDay(at: "2026-03-21T00:00:00Z")
    Self.live(awake)
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    let rules = HostRules(depth, currents: .zero2W, lead: .seconds(depth == .suspend ? 3 : 20))
    day.host = HostSchedule(rules, now: day.now)
    Self.live(day)
    #expect(day.trips.count == awake.trips.count && day.visits.count == awake.visits.count)
    #expect(day.points.count == awake.points.count)
    #expect(zip(day.points, awake.points).allSatisfy { abs(($0.time - $1.time).inSeconds) <= 25 })
    let down = day.hostWakings.reduce(Duration.zero) { $0 + ($1.slept ?? .zero) }
    let share = down / (day.now - (Moment.zero + .seconds(100)))
    #expect(share > 0.8, "\(share)")
    let shortest = try #require(rules.shortest)
    #expect(day.hostSleeps.allSatisfy { $0.planned >= shortest })
    // Only departures wake it before its alarm.
    #expect(day.hostWakings.filter { !$0.isAsPlanned }.count <= 3)
    #expect(day.hostSleeps.count < 60, "\(day.hostSleeps.count)")
  }

  @Test func aSensorThatCannotWakeTheHostKeepsItAwake() {
    let day = TrackedDay()
    #expect(
      day.tracker.hostSleepInhibitor(wakesOnMotion: true) == .receiver, "the first search is in progress")
    day.stop(.seconds(6 * 3600))
    #expect(day.tracker.hostSleepInhibitor(wakesOnMotion: true) == nil)
    #expect(day.tracker.hostSleepInhibitor(wakesOnMotion: false) == .motionCannotWake)
    day.drive(3000, at: 15)
    #expect(day.tracker.hostSleepInhibitor(wakesOnMotion: true) == .trip)
  }

  @Test func aDeviceWithoutSensorsMakesPositionChecks() throws {
    let day = TrackedDay(fitting: TrackedDay.Fitting(hasAccelerometer: false))
    day.stop(.seconds(6 * 3600))
    #expect(day.tracker.hostSleepInhibitor(wakesOnMotion: false) == nil)
    let look = try #require(day.tracker.hostNeeds.first { $0.purpose == .look })
    #expect(look.at - day.now <= .seconds(180))
  }

  @Test func aReceiverThatIsAlwaysOnKeepsTheHostAwake() {
    let day = TrackedDay(TrackedDay.settings(nil))
    day.stop(.seconds(3600))
    #expect(day.tracker.hostSleepInhibitor(wakesOnMotion: true) == .receiver)
  }
}
