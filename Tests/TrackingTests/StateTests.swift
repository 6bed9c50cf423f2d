import Quantities
import Records
import Testing
@testable import Tracking

/// The state that must survive a restart.
@Suite struct StateTests {
  /// Continues with a new program `pause` seconds later.
  static func restart(_ day: Journey, after pause: Int = 60, bootClock: Duration = .seconds(20)) throws
    -> Journey
  {
    let last = day.drill.tracker.locations.last
    let state = try #require(day.state)
    #expect(state.utf8.count <= 2000)
    let next = Journey(day.drill.tracker.settings, from: day.position, seed: 77)
    next.drill = Drill(day.drill.tracker.settings, now: .zero + bootClock)
    next.time = day.time + .seconds(pause)
    next.drill.handle(.started(lastLocation: last))
    next.drill.handle(.restored(state))
    return next
  }

  @Test func aTripSurvivesAReboot() throws {
    var settings = Journey.settings
    settings.statistics = TrackingStatistics(
      pauses: false, activity: .fitness, desiredAccuracy: .metres10, mode: .both)
    let day = Journey(settings)
    day.drill.handle(.steps(100))
    day.stop(600)
    day.go(6000, at: 15)
    day.drill.handle(.steps(150))
    day.drill.handle(.stopping)
    let before = try #require(day.drill.tracker.places.trips.running)
    let next = try Self.restart(day)
    let resumed = try #require(next.drill.tracker.places.trips.running)
    #expect(resumed.start == before.start && resumed.startLocation == before.startLocation)
    #expect(resumed.lastLocation == before.lastLocation && resumed.mode == before.mode)
    next.drill.handle(.steps(30))
    next.go(6000, at: 15)
    next.stop(900)
    let trip = try #require(next.trips.first)
    #expect(trip.start == before.start && trip.steps == 80)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - 12_000) < 300)
    #expect(Set(next.points.compactMap(\.location.trip)) == [before.start])
    #expect(abs(trip.durationMilliseconds - (400 + 60 + 400) * 1000) < 20_000)
  }

  @Test func aPowerCutInTheFirstMinuteOfATripKeepsItsStart() throws {
    let day = Journey(Journey.settings)
    day.stop(60)
    day.drill.handle(.trip(.start(.car)))
    day.go(375, at: 15)
    let before = try #require(day.drill.tracker.places.trips.running?.startLocation)
    let next = try Self.restart(day, after: 4)
    #expect(next.drill.tracker.places.trips.running?.startLocation == before)
  }

  /// The first fix after the start saves it: a second power cut finds it in the state.
  @Test func theNextStartRestoresTheFirstPositionOfATripFromTheLog() throws {
    let day = Journey(Journey.settings)
    day.stop(60)
    day.drill.handle(.trip(.start(.car)))
    let state = try #require(day.state)
    day.go(30, at: 15)
    let first = try #require(
      day.drill.locations.first { record in
        if case .location(let location) = record.body { location.trip != nil } else { false }
      })
    let next = Drill(day.drill.tracker.settings, now: .zero + .seconds(20))
    next.handle(.restored(state))
    next.handle(.started(lastLocation: first))
    let position = try #require(next.tracker.places.trips.running?.startLocation)
    #expect(position.time.time == first.time)
    let journey = Journey(day.drill.tracker.settings, from: day.position)
    (journey.drill, journey.time) = (next, day.time)
    journey.go(15, at: 15)
    let kept = try #require(journey.state.flatMap { TrackerState(text: $0, now: .zero) })
    #expect(kept.trip?.startLocation?.time == position.time)
  }

  static let endsAfterARestart: [(String, undated: Bool, seconds: ClosedRange<Int64>)] = [
    ("the clock is known", false, 520...540), ("the clock is unknown", true, 385...400),
  ]

  @Test(arguments: endsAfterARestart)
  func theDurationOfATripOverARestartFollowsTheClocks(
    clock: String, undated: Bool, seconds: ClosedRange<Int64>
  ) throws {
    let day = Journey(Journey.settings)
    day.stop(60)
    day.drill.handle(.trip(.start(.car)))
    day.go(6000, at: 15)
    day.drill.handle(.stopping)
    let next = try Self.restart(day)
    next.isUndated = undated
    if undated { next.pass(70) } else { next.go(1050, at: 15) }
    next.drill.handle(.trip(.stop))
    let trip = try #require(next.trips.first)
    #expect(seconds.contains(trip.durationMilliseconds / 1000), "\(trip.durationMilliseconds) ms")
    // With dates, its duration follows from its ends.
    let record = try #require(next.drill.records.first { if case .trip = $0.body { true } else { false } })
    let offset = next.time.milliseconds - next.drill.now.nanoseconds / 1_000_000
    guard case .trip(let dated) = record.dated(offsetMilliseconds: offset, quality: .receiver).body else {
      Issue.record("no trip")
      return
    }
    #expect(
      (520...540).contains(dated.durationMilliseconds / 1000), "\(clock): \(dated.durationMilliseconds) ms")
    let event = try #require(next.events(.tripEnded).first)
    #expect(event.fields.number(.duration) == trip.durationMilliseconds / 1000, "\(event)")
  }

  @Test func theMasterSwitchEndsATrip() throws {
    let day = Journey(Journey.settings)
    day.stop(60)
    day.drill.handle(.trip(.start(.car)))
    day.go(1500, at: 15)
    let end = day.time
    var off = day.drill.tracker.settings
    (off.isTracking, off.keepsLocations, off.trips.isAutomatic) = (false, false, false)
    day.drill.handle(.settings(off, changed: ["tracking"]))
    day.go(3000, at: 15)
    day.drill.handle(.trip(.start(.car)))
    day.drill.handle(.trip(.stop))
    #expect(day.drill.tracker.places.trips.running == nil && !day.drill.tracker.summary.isTripRunning)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && trip.end == .utc(end) && trip.ending == .asked)
    #expect(abs(trip.distanceMillimetres - 1_500_000) < 50_000)
    #expect(day.events(.tripStarted).count == 1 && day.events(.tripEnded).count == 1)
  }

  @Test func switchingOffWhileStoppedEndsATripAtItsLastPosition() throws {
    let day = Journey(Journey.settings)
    day.stop(60)
    day.drill.handle(.trip(.start(.car)))
    day.go(1500, at: 15)
    day.drill.handle(.stopping)
    let last = try #require(day.points.last?.time)
    let state = try #require(day.state)
    var off = day.drill.tracker.settings
    off.isTracking = false
    let next = Drill(off, now: .zero + .seconds(20))
    next.handle(.restored(state))
    next.handle(.started(lastLocation: day.drill.tracker.locations.last))
    let record = try #require(next.records.first { if case .trip = $0.body { true } else { false } })
    guard case .trip(let trip) = record.body else {
      Issue.record("no trip")
      return
    }
    #expect(trip.end == .utc(last) && record.time == last, "the record does not wait for a clock")
    #expect((90...101).contains(trip.durationMilliseconds / 1000))
    #expect(
      next.tracker.places.trips.running == nil && next.events.filter { $0.kind == .tripEnded }.count == 1)
    let states = next.actions.compactMap { if case .save(let text) = $0 { text } else { nil } }
    #expect(states.last.map { TrackerState(text: $0, now: .zero)?.trip == nil } == true)
  }

  @Test func aPowerCutDuringATripLosesAtMostAMinuteOfDistance() throws {
    let day = Journey(Journey.settings)
    day.stop(600)
    day.go(15_000, at: 15)
    // No exit was reported.
    let next = try Self.restart(day)
    next.go(3000, at: 15)
    next.stop(900)
    let trip = try #require(next.trips.first)
    #expect(abs(trip.distanceMillimetres - 18_000_000) < 400_000)
  }

  /// No fix follows.
  @Test(arguments: [MotionStates(), .driving])
  func afterAPowerCutWithoutReceptionATripEndsAtItsLastPosition(motion: MotionStates) throws {
    let day = Journey(Journey.settings)
    day.stop(600)
    day.go(15_000, at: 15)
    let last = try #require(day.points.last?.time)
    let next = try Self.restart(day)
    next.drill.handle(.motion(motion))
    next.pass(1100)
    #expect(next.drill.tracker.summary.isTripRunning)
    next.pass(motion.isEmpty ? 200 : 2600)
    #expect(!next.drill.tracker.summary.isTripRunning)
    let trip = try #require(next.trips.first)
    #expect(trip.ending == .noFix && trip.end == .utc(last))
  }

  static let restarts: [(metres: Double, pause: Int, isGap: Bool)] = [
    (50_000, 7200, true), (50_000, 600, false), (60, 7200, false),
  ]

  @Test(arguments: restarts)
  func aGapOverARestartIsLogged(metres: Double, pause: Int, isGap: Bool) throws {
    let day = Journey(Journey.settings)
    day.stop(600)
    day.go(6000, at: 15)
    day.stop(60)
    let next = try Self.restart(day, after: pause)
    next.dark(5, metres: metres)
    next.isUndated = true
    next.stop(5)
    next.isUndated = false
    next.go(3000, at: 15)
    let gaps = next.events(.gap)
    #expect(gaps.count == (isGap ? 1 : 0), "\(gaps)")
    guard let gap = gaps.first else { return }
    #expect(gap.fields.text(.missing) == "location" && (7200...7230).contains(gap.value ?? 0))
  }

  /// No positions were recorded since the known one.
  @Test func noGapIsLoggedBeforeATripByHandIfOnlySuchTripsAreRecorded() throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = false
    let day = Journey(settings)
    day.drill.handle(.trip(.start(.car)))
    day.go(600, at: 15)
    day.drill.handle(.trip(.stop))
    day.drill.handle(.stopping)
    let next = try Self.restart(day, after: 7200)
    next.dark(5, metres: 50_000)
    next.drill.handle(.trip(.start(.car)))
    next.go(600, at: 15)
    #expect(next.events(.gap).isEmpty)
  }

  @Test func aRestartInsideAZoneOrAVisitDoesNotArriveAgain() throws {
    let position = try ZoneTests.position(52.5, 13.4)
    var settings = Journey.settings
    settings.parking = ParkingRules()
    settings.zones = [
      Zone("depot", try #require(ZoneShape(centre: position.moved(east: 1000, north: 0), radius: 200))),
      Zone("a\tname\nwith 'all' \\ of it", try #require(ZoneShape(centre: position, radius: 50))),
    ]
    let day = Journey(settings)
    day.stop(60)
    day.go(1000, at: 10)
    day.stop(900)
    #expect(day.events(.zoneEntered).count == 1 && day.visits.count == 1)
    let arrival = day.visits.first?.arrival
    day.drill.handle(.stopping)
    let next = try Self.restart(day, after: 7200)
    next.stop(900)
    #expect(next.events(.zoneEntered).isEmpty && next.visits.isEmpty && next.events(.parkingMoved).isEmpty)
    next.go(2000, at: 10)
    #expect(next.events(.zoneLeft).map { $0.fields.text(.zone) } == ["depot"])
    #expect(next.visits.map(\.arrival) == [arrival] && next.visits.first?.departure != nil)
    #expect(next.events(.parkingMoved).count == 1)
  }

  @Test func theTotalDistanceContinues() throws {
    let day = Journey(Journey.settings)
    day.stop(120)
    day.go(5000, at: 15)
    day.drill.handle(.stopping)
    let next = try Self.restart(day)
    next.go(5000, at: 15)
    #expect(abs(Double(next.drill.tracker.places.lifetime.millimetres) / 1000 - 10_000) < 200)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyStateIsRestoredFromItsTextAndAnyTextIsHarmless(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var state = TrackerState()
    state.lifetimeMillimetres = Int64.random(in: 0...Int64.max, using: &random)
    var trip = RunningTrip(
      mode: try #require(TripMode.allCases.randomElement(using: &random)),
      start: .utc(Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random))),
      isManual: Bool.random(using: &random))
    trip.stepsBefore = Bool.random(using: &random) ? Int32.random(in: -9...9, using: &random) : nil
    var location = LocationRecord(
      coordinate: try ZoneTests.position(Double.random(in: -90...90, using: &random), 179.5),
      deviceID: "a\tb\\n\n'é🚲")
    location.wifi = "\r\\t"
    location.altitudeMillimetres =
      Bool.random(using: &random) ? Int32.random(in: .min ... .max, using: &random) : nil
    location.trip = trip.start
    location.reasons = [.angle, .beginning]
    trip.startLocation = TripRecord.Location(location, time: trip.start)
    state.trip = trip
    state.zones = ["home": .inside, "x\ty": .outside]
    state.parking = location.coordinate
    state.fixMotion = Bool.random(using: &random) ? .seconds(Int32.random(in: 0...9999, using: &random)) : nil
    state.visit = VisitWatch.Visit(
      arrival: trip.start, centre: location.coordinate, radius: 12.5, accuracy: nil)
    let text = state.text
    #expect(TrackerState(text: text, now: .zero) == state)
    var bytes = Array(text.utf8)
    for _ in 0..<200 {
      var torn = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        torn[Int.random(in: 0..<torn.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      torn.removeLast(Int.random(in: 0..<torn.count, using: &random))
      _ = TrackerState(text: String(decoding: torn, as: UTF8.self), now: .zero)
    }
    bytes = []
    #expect(TrackerState(text: "", now: .zero) == nil && TrackerState(text: "{}", now: .zero) == nil)
  }

  @Test func manyZonesStillFitInTheSavedState() throws {
    var state = TrackerState()
    for number in 0..<500 { state.zones["zone number \(number)"] = .outside }
    #expect(state.text.utf8.count <= 2000)
  }

  @Test func changedSettingsKeepTheTripAndTheLastRecord() throws {
    let day = Journey(Journey.settings)
    day.stop(600)
    day.go(6000, at: 15)
    let trip = try #require(day.drill.tracker.places.trips.running)
    let count = day.points.count
    var settings = day.drill.tracker.settings
    settings.profiles[.trip] = AcquisitionRules(minPeriod: .seconds(1000))
    settings.trips.endDelay = .seconds(180)
    settings.zones = [try ZoneTests.depot()]
    day.drill.handle(.settings(settings, changed: ["main.min_time"]))
    day.go(3000, at: 15)
    #expect(day.drill.tracker.places.trips.running?.start == trip.start)
    #expect(day.points.count <= count + 1)
    day.stop(200)
    #expect(day.trips.count == 1)
    #expect(abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - 9000) < 200)
  }

  // MARK: Trips by hand

  @Test func aSecondTripByHandHoursLaterIsNotAGap() {
    let day = Journey(TrackerSettings(deviceID: "van"))
    day.drill.handle(.trip(.start(.car)))
    day.go(500, at: 10)
    day.drill.handle(.trip(.stop))
    day.stop(10)
    day.dark(7200, metres: 30_000)
    day.drill.handle(.trip(.start(.car)))
    day.go(500, at: 10)
    day.drill.handle(.trip(.stop))
    #expect(day.trips.count == 2 && day.events(.gap).isEmpty)
  }

  @Test func aTripByHandEndsOnlyByHand() throws {
    let day = Journey(TrackerSettings(deviceID: "van"))
    day.stop(60)
    day.drill.handle(.trip(.start(.bicycle)))
    let start = day.time
    day.drill.handle(.trip(.start(.car)))
    day.go(600, at: 5)
    day.stop(1200)
    day.drill.handle(.trip(.mode(.scooter)))
    day.go(600, at: 5)
    #expect(day.trips.isEmpty && day.drill.tracker.places.trips.running != nil)
    day.drill.handle(.trip(.stop))
    day.drill.handle(.trip(.stop))
    let end = day.time
    day.stop(60)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && trip.mode == .scooter && trip.isManual && trip.ending == .asked)
    #expect(trip.start == .utc(start) && trip.end == .utc(end))
    #expect(trip.durationMilliseconds == Int64((end - start).inSeconds * 1000))
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - 1200) < 60)
    let inTrip = day.points.filter { $0.location.trip == trip.start }
    #expect(inTrip.first.map { $0.time > start } == true && inTrip.last.map { $0.time <= end } == true)
    #expect(day.points.last?.location.trip == nil)
  }

  @Test func aTripIsRecordedEvenIfLocationsAreOff() {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = false
    let day = Journey(settings)
    day.stop(60)
    #expect(day.points.isEmpty)
    day.drill.handle(.trip(.start(.walk)))
    day.go(100, at: 1.4)
    day.drill.handle(.trip(.stop))
    let count = day.points.count
    #expect(count > 60)
    day.stop(60)
    #expect(day.points.count == count)
  }

  @Test func aTripEndedByHandDoesNotRestartBeforeTheNextStop() {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(3000, at: 12)
    day.drill.handle(.trip(.stop))
    day.go(3000, at: 12)
    #expect(day.events(.tripStarted).count == 1)
    day.stop(300)
    day.go(3000, at: 12)
    #expect(day.events(.tripStarted).count == 2)
  }
}
