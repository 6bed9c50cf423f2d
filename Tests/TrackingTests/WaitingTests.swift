import GNSS
import Quantities
import Records
import Testing

@testable import Tracking

/// A pending request is independent of the receiver's activity, and changes nothing but the records.
@Suite struct WaitingTests {
  private static func day(
    _ scheme: ReceiverScheme = .high, keepsLocations: Bool = true, hasAccelerometer: Bool = true,
    unsettled: Double = 15, _ change: (inout TrackerSettings) -> Void = { _ in }
  ) -> PlannedDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = keepsLocations
    settings.scheme = scheme
    change(&settings)
    var day = PlannedDay(settings, hasAccelerometer: hasAccelerometer)
    day.unsettled = unsettled
    return day
  }

  /// Accuracies in metres, from the record `first` on.
  private static func accuracies(_ day: PlannedDay, from first: Int) -> [Double] {
    day.drill.locations[first...].compactMap { record in
      guard case .location(let location) = record.body else { return nil }
      return location.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
    }
  }

  /// Lets seconds pass until the schedule is in the expected phase; false if it never is.
  private static func wait(
    _ day: inout PlannedDay, atMost seconds: Int = 9000, until isMet: (PlanPhase) -> Bool
  ) -> Bool {
    for _ in 0..<seconds {
      if let plan = day.drill.tracker.plan, isMet(plan.phase) { return true }
      day.pass(1)
    }
    return false
  }

  private static func knock(_ day: inout PlannedDay) {
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(3)
    day.tell(.evidence(.accelerometer, isActive: false))
  }

  private static func rests(_ day: PlannedDay) -> Int {
    day.drill.events.count { $0.kind == .receiverResting && $0.fields.text(.cause) == "stationary" }
  }

  private static func drain(_ day: inout PlannedDay) {
    for _ in 0..<9 where day.drill.tracker.powerStage != .lastPosition {
      day.tell(.power(PowerReading(.unplugged, percent: 5)))
    }
    #expect(day.drill.tracker.powerStage == .lastPosition && day.state == .searching)
  }

  // MARK: While moving

  static let ways: [ReceiverScheme] = [.high, .within(metres: 20)]

  @Test(arguments: ways, [true, false])
  func aRequestInATunnelLosesNoTrack(_ scheme: ReceiverScheme, hasAccelerometer: Bool) {
    var day = Self.day(scheme, hasAccelerometer: hasAccelerometer)
    day.pass(600)
    day.speed = 20
    if hasAccelerometer { day.tell(.evidence(.accelerometer, isActive: true)) }
    day.pass(400)
    let rests = Self.rests(day)
    day.hasSky = false
    day.pass(60)
    day.tell(.positionWanted)
    day.pass(200)
    let before = day.drill.locations.count
    day.hasSky = true
    day.pass(100)
    #expect(day.drill.locations.count > before)
    #expect(Self.rests(day) == rests, "no sleep is logged while moving")
  }

  @Test func aRequestBetweenTwoFixesBeforeATunnelLosesNoTrack() {
    var day = Self.day(.within(metres: 20))
    day.pass(600)
    day.speed = 1.4
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(200)
    #expect(Self.wait(&day) { if case .asleep(.betweenFixes, _) = $0 { true } else { false } })
    day.hasSky = false
    day.tell(.checkIn)
    day.pass(300)
    let before = day.drill.locations.count
    day.hasSky = true
    day.pass(100)
    #expect(day.drill.locations.count > before)
  }

  @Test func aFailedRequestBeforeTheFirstFixKeepsItsWakeReason() {
    var day = Self.day()
    day.hasSky = false
    day.pass(120)
    day.tell(.positionWanted)
    #expect(Self.wait(&day, atMost: 300) { if case .asleep = $0 { true } else { false } })
    #expect(day.drill.tracker.plan?.phase.sleeps == .withoutSky(.first))
    day.hasSky = true
    day.pass(1800)
    #expect(day.drill.locations.count == 1, "no track of a stationary device")
  }

  // MARK: Until there is a position

  @Test(arguments: [0, 10, 14]) func aFalseWakeUpDoesNotCancelARequest(secondsWithoutSky: Int) {
    var day = Self.day(unsettled: 60)
    day.pass(600)
    let before = day.drill.locations.count
    day.hasSky = secondsWithoutSky == 0
    day.tell(.checkIn)
    day.pass(max(secondsWithoutSky, 4))
    Self.knock(&day)
    day.hasSky = true
    day.pass(60)
    #expect(day.drill.locations.count == before + 1)
    day.pass(60)
    #expect(day.state == .backup)
  }

  @Test func aFalseWakeUpDoesNotCancelTheLastPosition() {
    var day = Self.day { $0.power = .usual }
    day.pass(600)
    let before = day.drill.locations.count
    day.hasSky = false
    Self.drain(&day)
    day.pass(10)
    Self.knock(&day)
    day.hasSky = true
    day.pass(60)
    #expect(day.drill.locations.count == before + 1)
    #expect(day.drill.tracker.powerStage == .survival && day.state == .backup)
  }

  @Test func theWaitForALastPositionEnds() {
    var day = Self.day { $0.power = .usual }
    day.pass(600)
    let before = day.drill.locations.count
    day.hasSky = false
    Self.drain(&day)
    // Satellites are received, so that the search is long.
    for _ in 0..<17 {
      day.tell(.heard(strongest: 40))
      day.pass(10)
    }
    #expect(day.state == .searching)
    day.pass(20)
    #expect(day.drill.tracker.powerStage == .survival && day.state == .backup)
    day.hasSky = true
    day.pass(900)
    #expect(day.state == .backup && day.drill.locations.count == before)
  }

  @Test(arguments: [false, true]) func aPolicyWithoutLocationsKeepsAPendingRequest(isSettling: Bool) {
    var day = Self.day()
    day.pass(600)
    let before = day.drill.locations.count
    day.tell(.positionWanted)
    day.pass(isSettling ? 4 : 1)
    var settings = day.drill.tracker.settings
    (settings.scheme, settings.keepsLocations) = (.off, false)
    day.tell(.settings(settings, changed: ["main.tracking_mode"]))
    day.pass(60)
    #expect(day.drill.locations.count == before + 1 && day.state == .backup)
  }

  @Test(arguments: [nil, .high] as [ReceiverScheme?])
  func theEndOfATripKeepsAPendingRequest(_ ofTrip: ReceiverScheme?) {
    var day = Self.day(.off, keepsLocations: false) { $0.manualTripScheme = ofTrip }
    day.pass(600)
    day.tell(.trip(.start(.car)))
    day.speed = 15
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(100)
    day.hasSky = false
    day.pass(10)
    day.tell(.positionWanted)
    day.pass(2)
    let before = day.drill.locations.count
    day.tell(.trip(.stop))
    day.hasSky = true
    day.pass(60)
    #expect(day.drill.locations.count == before + 1 && day.state == .backup)
  }

  @Test func theEndOfTheProgramRecordsTheBestFix() {
    var day = Self.day()
    day.pass(600)
    let before = day.drill.locations.count
    day.tell(.positionWanted)
    day.pass(4)
    #expect(day.drill.locations.count == before)
    day.tell(.stopping)
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
      var day = Self.day(unsettled: isSearching ? 40 : 70)
      day.pass(300)
      let isThere = Self.wait(&day) {
        switch $0 {
        case .searching(.check): isSearching
        case .settling(.check, _): !isSearching
        default: false
        }
      }
      let before = day.drill.locations.count
      day.tell(.positionWanted)
      day.pass(60)
      let told = Self.accuracies(day, from: before)
      #expect(isThere && told.count == 1 && told.allSatisfy { $0 < 20 }, "\(told)")
    }
  }

  @Test func aRequestDuringTheReadingOfEphemeridesGetsASettledFix() {
    var day = Self.day(unsettled: 60)
    day.pass(300)
    #expect(Self.wait(&day) { if case .reading = $0 { true } else { false } })
    let before = day.drill.locations.count
    day.tell(.positionWanted)
    day.pass(30)
    let told = Self.accuracies(day, from: before)
    #expect(told.count == 1 && told.allSatisfy { $0 < 15 }, "\(told)")
    day.pass(120)
    #expect(day.state == .backup)
  }

  /// The policy changes before the next epoch.
  @Test func anotherPolicyDoesNotCancelARequest() {
    var bench = PlanBench(.high)
    bench.pass(300)
    bench.speed = 14
    bench.shake(true)
    bench.pass(60)
    #expect(bench.state == .tracking)
    bench.tell(.positionWanted)
    let before = bench.kept.count
    bench.tell(.scheme(.significant))
    #expect(bench.plan.isAwaited && bench.kept.count == before, "no fix is available")
    bench.pass(2)
    #expect(!bench.plan.isAwaited && bench.kept.count > before)
  }

  /// The last search provided the time with an epoch after which reception ended.
  @Test func aSearchWithoutPurposeIsNotRepeated() {
    var bench = PlanBench(.off)
    bench.hasSky = false
    bench.tell(.timeWanted)
    #expect(bench.state == .searching)
    bench.pass(20)
    bench.tell(.timeKnown)
    bench.pass(4 * 3600)
    #expect(bench.starts == 1 && bench.plan.nextTimeout == nil)
  }

  /// Locations are required while the search for the time still fails.
  @Test func aPolicyWithLocationsSearchesImmediately() {
    var bench = PlanBench(.off)
    bench.hasSky = false
    bench.tell(.timeWanted)
    bench.pass(3 * 3600)
    while bench.state.isPowered { bench.pass(10) }
    bench.hasSky = true
    bench.tell(.scheme(.high))
    #expect(bench.state == .searching)
  }
}

extension PlanPhase {
  fileprivate var sleeps: Pause? {
    if case .asleep(let pause, _) = self { pause } else { nil }
  }
}
