import Quantities
import Records
import Testing
@testable import Scheduling
@testable import Tracking

/// A pending request is independent of the receiver's activity, and changes nothing but the records.
@Suite struct WaitingTests {
  private static func day(
    _ policy: TrackingPolicy = .high, keepsLocations: Bool = true, hasAccelerometer: Bool = true,
    unsettled: Double = 15, _ change: (inout TrackerSettings) -> Void = { _ in }
  ) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = keepsLocations
    settings.policy = policy
    change(&settings)
    let day = ScheduledDay(settings, hasAccelerometer: hasAccelerometer)
    day.unsettled = unsettled
    return day
  }

  /// Accuracies in metres, from the record `first` on.
  private static func accuracies(_ day: ScheduledDay, from first: Int) -> [Double] {
    day.drill.locations[first...].compactMap { record in
      guard case .location(let location) = record.body else { return nil }
      return location.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
    }
  }

  /// Lets seconds pass until the schedule is in the expected phase; false if it never is.
  private static func wait(
    _ day: ScheduledDay, atMost seconds: Int = 9000, until isMet: (ReceiverSchedulePhase) -> Bool
  ) -> Bool {
    for _ in 0..<seconds {
      if let schedule = day.drill.tracker.receiver.schedule, isMet(schedule.phase) { return true }
      day.pass(1)
    }
    return false
  }

  private static func knock(_ day: ScheduledDay) {
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(3)
    day.handle(.evidence(.accelerometer, isActive: false))
  }

  private static func sleeps(_ day: ScheduledDay) -> Int {
    day.drill.events.count { $0.kind == .receiverAsleep && $0.fields.text(.cause) == "stationary" }
  }

  private static func drain(_ day: ScheduledDay) {
    for _ in 0..<9 where day.drill.tracker.summary.powerStage != .lastPosition {
      day.handle(.power(PowerReading(.unplugged, percent: 5)))
    }
    #expect(day.drill.tracker.summary.powerStage == .lastPosition && day.state == .searching)
  }

  // MARK: While moving

  static let movingPolicies: [TrackingPolicy] = [.high, .within(metres: 20)]

  @Test(arguments: movingPolicies, [true, false])
  func aRequestInATunnelLosesNoTrack(_ policy: TrackingPolicy, hasAccelerometer: Bool) {
    let day = Self.day(policy, hasAccelerometer: hasAccelerometer)
    day.pass(600)
    day.speed = 20
    if hasAccelerometer { day.handle(.evidence(.accelerometer, isActive: true)) }
    day.pass(400)
    let sleeps = Self.sleeps(day)
    day.hasReception = false
    day.pass(60)
    day.handle(.positionRequested)
    day.pass(200)
    let before = day.drill.locations.count
    day.hasReception = true
    day.pass(100)
    #expect(day.drill.locations.count > before)
    #expect(Self.sleeps(day) == sleeps, "no sleep is logged while moving")
  }

  @Test func aRequestBetweenTwoFixesBeforeATunnelLosesNoTrack() {
    let day = Self.day(.within(metres: 20))
    day.pass(600)
    day.speed = 1.4
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(200)
    #expect(Self.wait(day) { if case .asleep(.betweenFixes, _) = $0 { true } else { false } })
    day.hasReception = false
    day.handle(.checkIn)
    day.pass(300)
    let before = day.drill.locations.count
    day.hasReception = true
    day.pass(100)
    #expect(day.drill.locations.count > before)
  }

  @Test func aFailedRequestBeforeTheFirstFixKeepsItsWakeReason() {
    let day = Self.day()
    day.hasReception = false
    day.pass(120)
    day.handle(.positionRequested)
    #expect(Self.wait(day, atMost: 300) { if case .asleep = $0 { true } else { false } })
    #expect(day.drill.tracker.receiver.schedule?.phase.sleeps == .withoutReception(.first))
    day.hasReception = true
    day.pass(1800)
    #expect(day.drill.locations.count == 1, "no track of a stationary device")
  }

  // MARK: Until there is a position

  @Test(arguments: [0, 10, 14]) func aFalseWakeUpDoesNotCancelARequest(secondsWithoutReception: Int) {
    let day = Self.day(unsettled: 60)
    day.pass(600)
    let before = day.drill.locations.count
    day.hasReception = secondsWithoutReception == 0
    day.handle(.checkIn)
    day.pass(max(secondsWithoutReception, 4))
    Self.knock(day)
    day.hasReception = true
    day.pass(60)
    #expect(day.drill.locations.count == before + 1)
    day.pass(60)
    #expect(day.state == .backup)
  }

  @Test func aFalseWakeUpDoesNotCancelTheLastPosition() {
    let day = Self.day { $0.power = .usual }
    day.pass(600)
    let before = day.drill.locations.count
    day.hasReception = false
    Self.drain(day)
    day.pass(10)
    Self.knock(day)
    day.hasReception = true
    day.pass(60)
    #expect(day.drill.locations.count == before + 1)
    #expect(day.drill.tracker.summary.powerStage == .survival && day.state == .backup)
  }

  @Test func theWaitForALastPositionEnds() {
    let day = Self.day { $0.power = .usual }
    day.pass(600)
    let before = day.drill.locations.count
    day.hasReception = false
    Self.drain(day)
    // Satellites are received, so that the search is long.
    for _ in 0..<17 {
      day.handle(.received(strongest: 40))
      day.pass(10)
    }
    #expect(day.state == .searching)
    day.pass(20)
    #expect(day.drill.tracker.summary.powerStage == .survival && day.state == .backup)
    day.hasReception = true
    day.pass(900)
    #expect(day.state == .backup && day.drill.locations.count == before)
  }

  @Test(arguments: [false, true]) func aPolicyWithoutLocationsKeepsAPendingRequest(isSettling: Bool) {
    let day = Self.day()
    day.pass(600)
    let before = day.drill.locations.count
    day.handle(.positionRequested)
    day.pass(isSettling ? 4 : 1)
    var settings = day.drill.tracker.settings
    (settings.policy, settings.keepsLocations) = (.off, false)
    day.handle(.settings(settings, changed: ["main.tracking_mode"]))
    day.pass(60)
    #expect(day.drill.locations.count == before + 1 && day.state == .backup)
  }

  @Test(arguments: [nil, .high] as [TrackingPolicy?])
  func theEndOfATripKeepsAPendingRequest(_ ofTrip: TrackingPolicy?) {
    let day = Self.day(.off, keepsLocations: false) { $0.manualTripPolicy = ofTrip }
    day.pass(600)
    day.handle(.trip(.start(.car)))
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(100)
    day.hasReception = false
    day.pass(10)
    day.handle(.positionRequested)
    day.pass(2)
    let before = day.drill.locations.count
    day.handle(.trip(.stop))
    day.hasReception = true
    day.pass(60)
    #expect(day.drill.locations.count == before + 1 && day.state == .backup)
  }

  @Test func theEndOfTheProgramRecordsTheBestFix() {
    let day = Self.day()
    day.pass(600)
    let before = day.drill.locations.count
    day.handle(.positionRequested)
    day.pass(4)
    #expect(day.drill.locations.count == before)
    day.handle(.stopping)
    #expect(day.drill.locations.count == before + 1)
    guard case .event(let last)? = day.drill.records.last?.body else {
      return #expect(Bool(false), "no event")
    }
    #expect(last.kind == .stopped)
  }

  // MARK: Settled fixes

  @Test func aRequestDuringAPositionCheckGetsASettledFix() {
    for isSearching in [true, false] {
      // A position check accepts 60 m.
      let day = Self.day(unsettled: isSearching ? 40 : 70)
      day.pass(300)
      let isThere = Self.wait(day) {
        switch $0 {
        case .searching(.check, _): isSearching
        case .settling(.check, _): !isSearching
        default: false
        }
      }
      let before = day.drill.locations.count
      day.handle(.positionRequested)
      day.pass(60)
      let reported = Self.accuracies(day, from: before)
      #expect(isThere && reported.count == 1 && reported.allSatisfy { $0 < 20 }, "\(reported)")
    }
  }

  @Test func aRequestDuringTheReadingOfEphemeridesGetsASettledFix() {
    let day = Self.day(unsettled: 60)
    day.pass(300)
    #expect(Self.wait(day) { if case .reading = $0 { true } else { false } })
    let before = day.drill.locations.count
    day.handle(.positionRequested)
    day.pass(30)
    let reported = Self.accuracies(day, from: before)
    #expect(reported.count == 1 && reported.allSatisfy { $0 < 15 }, "\(reported)")
    day.pass(120)
    #expect(day.state == .backup)
  }
}

extension ReceiverSchedulePhase {
  fileprivate var sleeps: ReceiverSleep? {
    if case .asleep(let pause, _) = self { pause } else { nil }
  }
}
