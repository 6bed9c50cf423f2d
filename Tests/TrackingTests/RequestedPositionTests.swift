import Quantities
import Records
import Testing
import Scheduling
@testable import Tracking

/// A request gets one position, as good as possible within a short time, and causes no other.
@Suite struct RequestedPositionTests {
  private static func day(
    _ policy: TrackingPolicy = .high, keepsLocations: Bool = true,
    _ change: (inout TrackerSettings) -> Void = { _ in }
  ) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = keepsLocations
    settings.policy = policy
    change(&settings)
    let day = ScheduledDay(settings)
    day.unsettled = 15
    return day
  }

  /// Accuracies in metres.
  private static func accuracies(_ day: ScheduledDay) -> [Double] {
    day.drill.locations.compactMap { record in
      guard case .location(let location) = record.body else { return nil }
      return location.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
    }
  }

  private static let attached = TrackerEvent.occurred(EventRecord(.chargerAttached))

  static let askers: [(name: String, keepsLocations: Bool, event: TrackerEvent)] = [
    ("send", true, .positionRequested), ("check-in", true, .checkIn),
    ("send, off", false, .positionRequested),
    ("check-in, off", false, .checkIn), ("an event", true, attached),
  ]

  @Test(arguments: askers.indices) func aRequestGetsOneSettledRecord(_ index: Int) throws {
    let asker = Self.askers[index]
    let day = Self.day(asker.keepsLocations ? .high : .off, keepsLocations: asker.keepsLocations) {
      var rules = AcquisitionRules()
      rules.reactsToEvents = true
      $0.profiles = ProfileRules([.init(.always, rules)])
    }
    day.pass(600)
    #expect(day.state == .backup)
    let before = day.drill.locations.count
    day.handle(asker.event)
    day.pass(60)
    let reported = Self.accuracies(day).dropFirst(before)
    #expect(reported.count == 1, "\(asker.name)")
    // The first fix of the start has 19 m.
    let accuracy = try #require(reported.first)
    #expect(accuracy < 12, "\(asker.name)")
    #expect(day.state == .backup)
  }

  /// A present fix is used as it is.
  @Test func aRequestToATrackingReceiverGetsTheNextFix() {
    let day = Self.day()
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(120)
    let before = day.drill.locations.count
    day.handle(.positionRequested)
    day.pass(1)
    #expect(day.drill.locations.count == before + 1)
  }

  @Test func theBestFixIsRecordedIfReceptionEndsBeforeItSettles() {
    let day = Self.day()
    day.pass(600)
    let before = day.drill.locations.count
    day.handle(.positionRequested)
    day.pass(4)
    #expect(day.drill.locations.count == before && day.drill.tracker.summary.receiverState == .settling)
    day.hasReception = false
    day.pass(600)
    #expect(day.drill.locations.count == before + 1)
  }

  @Test func aFixAtTheTimeoutIsRecordedHoweverLateItsEpochIs() {
    let day = Self.day()
    // Never as good as required.
    day.accuracy = 40
    day.unsettled = 400
    day.pass(120)
    #expect(day.drill.locations.count == 1, "the first position after a start")
  }

  @Test(arguments: [TrackerEvent.positionRequested, .checkIn])
  func aFailedRequestLeavesNoState(_ event: TrackerEvent) {
    let day = Self.day(.off, keepsLocations: false)
    day.pass(60)
    day.hasReception = false
    day.handle(event)
    day.pass(900)
    #expect(day.state == .backup)
    day.hasReception = true
    for _ in 0..<60 {
      day.pass(1)
      day.speak()
    }
    #expect(day.drill.locations.isEmpty)
  }

  @Test func withoutLocationsACriticalBatteryRecordsNoLastPosition() {
    for keepsLocations in [true, false] {
      let day = Self.day(keepsLocations ? .high : .stopsOnly, keepsLocations: keepsLocations) {
        $0.power = .usual
      }
      day.pass(600)
      let before = day.drill.locations.count
      day.read([5, 5, 5, 5, 5])
      #expect(day.drill.locations.count == before + (keepsLocations ? 1 : 0))
      #expect(day.drill.tracker.summary.powerStage == .survival)
    }
  }

  @Test func aFailedRequestDoesNotEndTheSearchForTheTime() {
    let day = Self.day(.off, keepsLocations: false)
    day.hasReception = false
    day.pass(300)
    day.handle(.positionRequested)
    day.pass(600)
    day.hasReception = true
    day.pass(4000)
    #expect(day.drill.tracker.fixes.clock.quality == .receiver)
  }

  @Test(arguments: [TrackerEvent.positionRequested, attached])
  func withoutReceptionEventsDoNotCauseConsecutiveSearches(_ event: TrackerEvent) {
    let day = Self.day {
      var rules = AcquisitionRules()
      rules.reactsToEvents = true
      $0.profiles = ProfileRules([.init(.always, rules)])
    }
    day.pass(600)
    day.hasReception = false
    let powered = (0..<7200).count { second in
      if case .occurred = event, second % 70 == 0 { day.handle(event) }
      if case .positionRequested = event, second == 0 { day.handle(event) }
      day.pass(1)
      return day.state.isPowered
    }
    #expect(powered < 1200, "\(powered) s")
  }

  /// Seconds of `seconds` in which the receiver is on.
  private static func powered(_ day: ScheduledDay, _ seconds: Int) -> Int {
    (0..<seconds).count { _ in
      day.pass(1)
      return day.state.isPowered
    }
  }

  /// Plain `standard` at 1 km does not sleep because of stops.
  @Test(arguments: [true, false], [TrackerEvent.positionRequested, .checkIn])
  func aPeriodicPolicyContinuesAfterARequest(hasReception: Bool, event: TrackerEvent) {
    func sleeping() -> ScheduledDay {
      let day = Self.day(
        TrackingPolicy(trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .kilometre1))
      day.pass(1800)
      day.hasReception = hasReception
      return day
    }
    let (day, unasked) = (sleeping(), sleeping())
    #expect(day.state == .backup)
    let before = day.drill.locations.count
    day.handle(event)
    let on = (Self.powered(day, 3600), Self.powered(unasked, 3600))
    #expect(on.0 < on.1 + 100, "\(on)")
    #expect(day.drill.locations.count - before <= (hasReception ? 6 : 0))
    #expect(day.drill.tracker.summary.scheduleTimeout != nil && day.drill.tracker.request.isExplicit == false)
  }

  // MARK: Filters

  /// A fix that a filter must reject: a position that cannot be reached.
  private static func wild(_ day: ScheduledDay) -> Int64 {
    let before = day.drill.tracker.fixes.rejections.totals[.impossibleSpeed]?.count ?? 0
    let here = day.speed
    day.speed = 9000
    day.pass(1)
    day.speed = here - 9000
    day.pass(1)
    day.speed = here
    return (day.drill.tracker.fixes.rejections.totals[.impossibleSpeed]?.count ?? 0) - before
  }

  @Test func afterATripByHandTheFiltersApplyAgain() {
    let day = Self.day(.within(metres: 20), keepsLocations: false) {
      $0.policy = nil
      $0.visits = VisitRules()
    }
    day.pass(60)
    #expect(Self.wild(day) > 0)
    day.handle(.trip(.start(.car)))
    day.pass(60)
    day.handle(.trip(.stop))
    day.pass(2)
    #expect(Self.wild(day) > 0)
  }
}
