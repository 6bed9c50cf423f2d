import Quantities
import Records
import Testing
import Scheduling
@testable import Tracking

/// The tracking policy of a trip replaces the ordinary one from its start to its end.
@Suite struct TripPolicyTests {
  private static let seldom = TrackingPolicy(
    moving: .sparse(metres: 1000, shortest: .seconds(300), check: .seconds(900)), stationary: .asMoving)

  private static func settings() -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .within(metres: 20)
    settings.tripPolicy = .own(.high)
    settings.trips.isAutomatic = true
    return settings
  }

  @Test func anAutomaticTripHasItsOwnPolicy() {
    let day = ScheduledDay(Self.settings())
    day.pass(600)
    #expect(day.drill.tracker.receiver.schedule?.policy == .within(metres: 20))
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.handle(.motion(.driving))
    day.pass(200)
    #expect(day.drill.tracker.summary.isTripRunning && day.drill.tracker.receiver.schedule?.policy == .high)
    let before = day.drill.locations.count
    day.pass(100)
    #expect(day.drill.locations.count >= before + 98, "a record every second")
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.handle(.motion(.stationary))
    day.pass(1300)
    #expect(
      !day.drill.tracker.summary.isTripRunning
        && day.drill.tracker.receiver.schedule?.policy == .within(metres: 20))
    #expect(day.state == .backup)
    #expect(day.drill.records.filter { if case .trip = $0.body { true } else { false } }.count == 1)
  }

  @Test func aTripByHandMayBeSparse() {
    var settings = Self.settings()
    settings.policy = nil
    settings.trips.isAutomatic = false
    settings.manualTripPolicy = Self.seldom
    let day = ScheduledDay(settings)
    day.speed = 20
    day.pass(100)
    #expect(day.drill.locations.count >= 98)
    day.handle(.trip(.start(.train)))
    let before = day.drill.locations.count
    day.pass(3600)
    #expect((5...20).contains(day.drill.locations.count - before), "\(day.drill.locations.count - before)")
    day.handle(.trip(.stop))
    let after = day.drill.locations.count
    day.pass(100)
    #expect(day.state.isPowered && day.drill.locations.count >= after + 95)
  }

  /// A trip that ends while stationary, and one that begins and ends there, do not move the next position check.
  @Test func theEndOfATripDoesNotPostponeThePositionCheck() throws {
    let day = ScheduledDay(Self.settings())
    day.pass(600)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.handle(.motion(.driving))
    day.pass(300)
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.handle(.motion(.stationary))
    day.pass(120)
    #expect(day.state == .backup && day.drill.tracker.receiver.schedule?.policy == .high)
    let due = try #require(day.drill.tracker.summary.scheduleTimeout)
    while day.drill.tracker.summary.isTripRunning, day.drill.now < due { day.pass(1) }
    #expect(day.drill.tracker.receiver.schedule?.policy == .within(metres: 20))
    #expect(day.drill.tracker.summary.scheduleTimeout == due)
  }

  /// A trip by hand begins while the receiver reads ephemerides, long before any movement.
  @Test func aSparseTripByHandLetsTheReceiverSleepWheneverItBegins() {
    var settings = Self.settings()
    settings.manualTripPolicy = Self.seldom
    let day = ScheduledDay(settings)
    day.pass(20)
    #expect(day.state == .tracking)
    day.handle(.trip(.start(.car)))
    let powered = (0..<3600).count { _ in
      day.pass(1)
      return day.state.isPowered
    }
    #expect(powered < 600, "\(powered) s")
  }

  @Test func thePolicyOfATripContinuesAfterARestart() {
    let day = ScheduledDay(Self.settings())
    day.pass(60)
    day.handle(.trip(.start(.car)))
    #expect(day.drill.tracker.receiver.schedule == nil)
    day.pass(60)
    day.handle(.stopping)
    guard
      case .save(let text)? = day.drill.actions.last(where: { if case .save = $0 { true } else { false } })
    else {
      Issue.record("nothing was saved")
      return
    }
    let drill = Drill(Self.settings())
    drill.handle(.restored(text))
    drill.handle(.started(lastLocation: nil))
    #expect(drill.tracker.summary.isTripRunning && drill.tracker.receiver.schedule == nil)
  }

  @Test func recordsOfATripContainItsSettings() throws {
    var settings = Self.settings()
    settings.policy = nil
    settings.statistics = TrackingStatistics(
      pauses: true, activity: .other, desiredAccuracy: .kilometre1, mode: .both)
    settings.tripStatistics = TrackingStatistics(
      pauses: true, activity: .fitness, desiredAccuracy: .best, mode: .standard)
    let day = ScheduledDay(settings)
    func reported() -> TrackingStatistics? {
      guard case .location(let location)? = day.drill.locations.last?.body else { return nil }
      return location.statistics
    }
    day.pass(10)
    #expect(reported() == settings.statistics)
    day.handle(.trip(.start(.run)))
    day.pass(10)
    #expect(reported() == settings.tripStatistics)
    day.handle(.trip(.stop))
    day.pass(10)
    #expect(reported() == settings.statistics)
  }
}
