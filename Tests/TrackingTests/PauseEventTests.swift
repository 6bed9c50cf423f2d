import Quantities
import Records
import Testing
import Scheduling
import Tracking

/// The events of the automatic pause.
@Suite struct PauseEventTests {
  private static func day(pauses: Bool = true, policy: TrackingPolicy? = .high) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = policy
    settings.pausesWhileStationary = pauses
    return ScheduledDay(settings)
  }

  private static func reported(_ day: ScheduledDay) -> [EventRecord] {
    day.drill.events.filter { [.trackingPaused, .trackingResumed].contains($0.kind) }
  }

  private static func drive(_ day: ScheduledDay, _ seconds: Int) {
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(seconds)
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
  }

  @Test(arguments: [TrackingPolicy.high, .within(metres: 20)])
  func everyPauseIsLoggedOnceAtItsStartAndOnceAtItsEnd(_ policy: TrackingPolicy) {
    let day = Self.day(policy: policy)
    day.pass(3 * 3600)
    #expect(Self.reported(day).map(\.kind) == [.trackingPaused], "once, despite position checks")
    Self.drive(day, 120)
    day.pass(3600)
    let reported = Self.reported(day)
    #expect(reported.map(\.kind) == [.trackingPaused, .trackingResumed, .trackingPaused])
    #expect(reported[1].value.map { (10_000...11_000).contains($0) } == true, "the duration of the pause")
  }

  @Test func withoutAutomaticPauseNothingIsLogged() {
    let day = Self.day(pauses: false, policy: .significant)
    day.pass(3600)
    Self.drive(day, 600)
    day.pass(3600)
    #expect(Self.reported(day).isEmpty)
  }

  /// A false wake-up of the receiver, without reception.
  @Test func aContinuingPauseIsNotLoggedAgain() {
    let day = Self.day()
    day.pass(600)
    day.hasReception = false
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(300)
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(600)
    #expect(Self.reported(day).map(\.kind) == [.trackingPaused])
  }

  @Test func switchingAutomaticPauseOffEndsThePause() {
    let day = Self.day()
    day.pass(600)
    var settings = day.drill.tracker.settings
    (settings.policy, settings.pausesWhileStationary) = (nil, false)
    day.handle(.settings(settings, changed: ["main.pause_automatically"]))
    #expect(Self.reported(day).map(\.kind) == [.trackingPaused, .trackingResumed])
  }

  @Test func switchingTrackingOffLogsNoEndOfAPause() {
    let day = Self.day()
    day.pass(600)
    var settings = day.drill.tracker.settings
    (settings.isTracking, settings.keepsLocations, settings.pausesWhileStationary) = (false, false, false)
    day.handle(.settings(settings, changed: ["tracking"]))
    day.pass(60)
    #expect(Self.reported(day).map(\.kind) == [.trackingPaused])
  }

  @Test func aPauseDuringATripByHandIsLogged() {
    var settings = TrackerSettings(deviceID: "van")
    settings.manualTripPolicy = .high
    let day = ScheduledDay(settings)
    day.handle(.trip(.start(.car)))
    Self.drive(day, 300)
    day.pass(600)
    #expect(Self.reported(day).map(\.kind) == [.trackingPaused, .trackingResumed])
    #expect(day.drill.tracker.places.trips.running == nil && day.state.isPowered)
  }
}
