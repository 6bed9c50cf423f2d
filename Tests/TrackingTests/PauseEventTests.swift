import Quantities
import Records
import Testing

@testable import Tracking

/// The events of the automatic pause.
@Suite struct PauseEventTests {
  private static func day(pauses: Bool = true, scheme: ReceiverScheme? = .high) -> PlannedDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.scheme = scheme
    settings.pausesAtRest = pauses
    return PlannedDay(settings)
  }

  private static func told(_ day: PlannedDay) -> [EventRecord] {
    day.drill.events.filter { [.trackingPaused, .trackingResumed].contains($0.kind) }
  }

  private static func drive(_ day: inout PlannedDay, _ seconds: Int) {
    day.speed = 15
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(seconds)
    day.speed = 0
    day.tell(.evidence(.accelerometer, isActive: false))
  }

  @Test(arguments: [ReceiverScheme.high, .within(metres: 20)])
  func everyPauseIsLoggedOnceAtItsStartAndOnceAtItsEnd(_ scheme: ReceiverScheme) {
    var day = Self.day(scheme: scheme)
    day.pass(3 * 3600)
    #expect(Self.told(day).map(\.kind) == [.trackingPaused], "once, despite position checks")
    Self.drive(&day, 120)
    day.pass(3600)
    let told = Self.told(day)
    #expect(told.map(\.kind) == [.trackingPaused, .trackingResumed, .trackingPaused])
    #expect(told[1].value.map { (10_000...11_000).contains($0) } == true, "the duration of the pause")
  }

  @Test func withoutAutomaticPauseNothingIsLogged() {
    var day = Self.day(pauses: false, scheme: .significant)
    day.pass(3600)
    Self.drive(&day, 600)
    day.pass(3600)
    #expect(Self.told(day).isEmpty)
  }

  /// A false wake-up of the receiver, without reception.
  @Test func aContinuingPauseIsNotLoggedAgain() {
    var day = Self.day()
    day.pass(600)
    day.hasSky = false
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(300)
    day.tell(.evidence(.accelerometer, isActive: false))
    day.pass(600)
    #expect(Self.told(day).map(\.kind) == [.trackingPaused])
  }

  @Test func switchingAutomaticPauseOffEndsThePause() {
    var day = Self.day()
    day.pass(600)
    var settings = day.drill.tracker.settings
    (settings.scheme, settings.pausesAtRest) = (nil, false)
    day.tell(.settings(settings, changed: ["main.pause_automatically"]))
    #expect(Self.told(day).map(\.kind) == [.trackingPaused, .trackingResumed])
  }

  @Test func switchingTrackingOffLogsNoEndOfAPause() {
    var day = Self.day()
    day.pass(600)
    var settings = day.drill.tracker.settings
    (settings.isTracking, settings.keepsLocations, settings.pausesAtRest) = (false, false, false)
    day.tell(.settings(settings, changed: ["tracking"]))
    day.pass(60)
    #expect(Self.told(day).map(\.kind) == [.trackingPaused])
  }

  @Test func aPauseDuringATripByHandIsLogged() {
    var settings = TrackerSettings(deviceID: "van")
    settings.manualTripScheme = .high
    var day = PlannedDay(settings)
    day.tell(.trip(.start(.car)))
    Self.drive(&day, 300)
    day.pass(600)
    #expect(Self.told(day).map(\.kind) == [.trackingPaused, .trackingResumed])
    #expect(day.drill.tracker.runningTrip == nil && day.state.isPowered)
  }
}
