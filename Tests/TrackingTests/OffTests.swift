import Quantities
import Records
import Testing
import Scheduling
import Tracking

/// Tracking mode off without other use of positions: the receiver sleeps, and requests are answered.
@Suite struct OffTests {
  private static func day(_ change: (inout TrackerSettings) -> Void = { _ in }) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = false
    settings.policy = .off
    change(&settings)
    return ScheduledDay(settings)
  }

  /// The seconds of `seconds` in which the receiver is on.
  private static func powered(_ day: ScheduledDay, _ seconds: Int) -> Int {
    (0..<seconds).count { _ in
      day.pass(1)
      return day.state.isPowered
    }
  }

  @Test func afterOneSearchForTheTimeTheReceiverSleepsDespiteMotion() {
    let day = Self.day()
    #expect(day.state == .searching)
    #expect((1...20).contains(Self.powered(day, 60)) && day.state == .backup)
    #expect(day.drill.tracker.fixes.clock.quality == .receiver)
    #expect(
      day.drill.events.contains { $0.kind == .receiverAsleep && $0.fields.text(.cause) == "no_locations" })
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    #expect(Self.powered(day, 7200) == 0)
    #expect(day.drill.locations.isEmpty && day.drill.tracker.summary.scheduleTimeout == nil)
    #expect(day.drill.tracker.hostSleepInhibitor(wakesOnMotion: true) == .motion)
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(60)
    #expect(day.drill.tracker.hostSleepInhibitor(wakesOnMotion: false) == nil)
  }

  @Test func withoutReceptionTheSearchForTheTimeIsRetriedWithBackOff() {
    let day = Self.day()
    day.hasReception = false
    let first = Self.powered(day, 3600)
    let later = Self.powered(day, 3600)
    #expect((60...900).contains(first) && later < first, "\(first) s, \(later) s")
    day.hasReception = true
    day.pass(3700)
    #expect(day.drill.tracker.fixes.clock.quality == .receiver)
    #expect(Self.powered(day, 7200) == 0)
  }

  @Test(arguments: [20, 60, 400]) func fixesWithoutADateDoNotEndTheSearchForTheTime(_ seconds: Int) {
    let day = Self.day()
    day.isUndated = true
    let undated = Self.powered(day, seconds)
    #expect(day.drill.tracker.fixes.clock.quality == .none && undated <= 200)
    day.isUndated = false
    day.pass(600)
    #expect(day.drill.tracker.fixes.clock.quality == .receiver)
    #expect(Self.powered(day, 7200) == 0)
  }

  /// A position without a date answers a request, and the search for the time continues.
  @Test func aRequestBeforeTheTimeIsKnownIsAnswered() {
    let day = Self.day()
    day.isUndated = true
    day.pass(5)
    day.handle(.positionRequested)
    day.pass(30)
    #expect(day.drill.locations.count == 1 && day.drill.tracker.fixes.clock.quality == .none)
    day.pass(1000)
    day.isUndated = false
    day.pass(3000)
    #expect(day.drill.tracker.fixes.clock.quality == .receiver && day.drill.locations.count == 1)
    #expect(Self.powered(day, 7200) == 0)
  }

  @Test func aKnownTimeIsNotSearchedFor() {
    let day = ScheduledDay(nil as TrackingPolicy?)
    day.pass(10)
    #expect(day.state.isPowered)
    var settings = day.drill.tracker.settings
    (settings.keepsLocations, settings.policy) = (false, .off)
    day.handle(.settings(settings, changed: ["main.tracking_mode"]))
    #expect(day.state == .backup && Self.powered(day, 600) == 0)
  }

  @Test(arguments: [TrackerEvent.checkIn, .positionRequested])
  func aRequestGetsOnePositionAndTheReceiverSleepsAgain(_ event: TrackerEvent) {
    let day = Self.day()
    day.pass(600)
    for count in 1...2 {
      day.handle(event)
      #expect(day.state == .searching)
      #expect(Self.powered(day, 120) <= 20)
      #expect(day.drill.locations.count == count && day.state == .backup)
    }
  }

  @Test func aTripByHandIsRecordedAndTheReceiverSleepsAfterwards() {
    let day = Self.day()
    day.pass(600)
    day.handle(.trip(.start(.car)))
    day.speed = 15
    day.pass(300)
    #expect(day.drill.locations.count > 290)
    day.handle(.trip(.stop))
    let count = day.drill.locations.count
    #expect(Self.powered(day, 600) == 0 && day.drill.locations.count == count)
  }

  @Test func aReceiverThatCannotSleepIsReadButNotRecorded() {
    let day = Self.day()
    day.pass(60)
    for _ in 0..<120 {
      day.pass(1)
      day.speak()
    }
    #expect(day.state == .backup && day.drill.locations.isEmpty)
    day.handle(.positionRequested)
    day.speak()
    day.pass(60)
    #expect(day.drill.locations.count == 1)
  }

  @Test func withACriticalBatteryOnlyACheckInGetsAPosition() {
    let day = Self.day { $0.power = .usual }
    day.read([5, 5, 5, 5])
    #expect(day.drill.tracker.summary.powerStage == .survival)
    let before = day.drill.locations.count
    day.handle(.positionRequested)
    #expect(Self.powered(day, 120) == 0)
    day.handle(.checkIn)
    #expect(Self.powered(day, 120) > 0 && day.drill.locations.count == before + 1)
  }
}
