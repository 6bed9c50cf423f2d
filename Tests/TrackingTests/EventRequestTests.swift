import Quantities
import Records
import Testing
@testable import Tracking

/// A profile with `reactsToEvents`: events wake a sleeping receiver.
@Suite struct EventRequestTests {
  private static func day(reactsToEvents: Bool = true) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    var rules = AcquisitionRules()
    rules.reactsToEvents = reactsToEvents
    settings.profiles = ProfileRules([.init(.always, rules)])
    return ScheduledDay(settings)
  }

  private static let attached = TrackerEvent.occurred(EventRecord(.chargerAttached))

  private static func reasons(_ day: ScheduledDay) -> [KeepReasons] {
    day.drill.locations.compactMap { record in
      if case .location(let location) = record.body { location.reasons } else { nil }
    }
  }

  @Test(arguments: [true, false])
  func anEventWhileStationaryRecordsAPositionImmediatelyIfTheProfileRequiresIt(reactsToEvents: Bool) {
    let day = Self.day(reactsToEvents: reactsToEvents)
    day.pass(300)
    let before = day.drill.locations.count
    #expect(day.state == .backup)
    day.handle(Self.attached)
    day.pass(20)
    #expect((day.drill.locations.count > before) == reactsToEvents)
    #expect(Self.reasons(day).dropFirst(before).allSatisfy { $0.contains(.event) })
    day.pass(40)
    #expect(day.state == .backup)
  }

  @Test func consecutiveEventsWakeTheReceiverOnceAMinute() {
    let day = Self.day()
    day.pass(300)
    let orders = day.orders
    for _ in 0..<600 {
      day.handle(Self.attached)
      day.pass(1)
    }
    let starts = day.drill.actions.count { if case .receiver(.searching, _) = $0 { true } else { false } }
    #expect(day.orders > orders && (2...12).contains(starts), "\(starts)")
  }

  /// Events of the logger, and of motion, which the schedule handles itself.
  @Test(arguments: [EventKind.deliveryFailing, .motionBegan, .motionEnded])
  func eventsOfTheLoggerDoNotWakeTheReceiver(_ kind: EventKind) {
    let day = Self.day()
    day.pass(300)
    let before = day.drill.locations.count
    day.handle(.occurred(EventRecord(kind)))
    #expect(day.state == .backup)
    day.pass(20)
    #expect(day.state == .backup && day.drill.locations.count == before)
  }

  /// The event names in the help of the settings.
  @Test func onlyEventsOfIgnitionChargerZoneParkingAndDrivingRequestPositions() {
    let asking: Set<EventKind> = [
      .ignitionOn, .ignitionOff, .chargerAttached, .chargerRemoved, .zoneEntered, .zoneLeft, .zoneDwelt,
      .parkingMoved, .harshAcceleration, .harshBraking, .harshCornering, .overspeedStarted, .overspeedEnded,
      .idlingStarted, .idlingEnded, .towed,
    ]
    #expect(Set(EventKind.allCases.filter { $0.definition.effects.contains(.asksForPosition) }) == asking)
  }

  @Test func eventsDoNotRestartAFailedSearch() {
    let day = Self.day()
    day.pass(300)
    day.hasReception = false
    day.speed = 10
    day.handle(.evidence(.accelerometer, isActive: true))
    func powered(_ isAsked: Bool) -> Int {
      (0..<1800).count { second in
        if isAsked, second % 70 == 0 { day.handle(Self.attached) }
        day.pass(1)
        return day.state.isPowered
      }
    }
    let usual = powered(false)
    #expect(powered(true) <= usual)
  }
}
