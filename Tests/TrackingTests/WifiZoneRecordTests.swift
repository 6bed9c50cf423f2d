import Quantities
import Records
import Testing
import Scheduling
@testable import Tracking

/// While the network of a Wi-Fi zone is joined, its location is recorded without the receiver.
@Suite struct WifiZoneRecordTests {
  /// 13 m from the start of ``ScheduledDay``.
  static func home() throws -> WifiZone {
    WifiZone(
      "home", network: "net", accessPoint: nil,
      position: try #require(Coordinate(latitudeE7: 520_001_000, longitudeE7: 130_001_000)))
  }

  static let net = TrackerEvent.network(JoinedNetwork(name: "net", accessPoint: nil))
  static let gone = TrackerEvent.network(nil)
  static let shaken = TrackerEvent.evidence(.accelerometer, isActive: true)
  static let quietEvent = TrackerEvent.evidence(.accelerometer, isActive: false)
  /// 2026-03-21T10:00:00Z, later than any release of this program that knows zones.
  static let afternoon = Timestamp(milliseconds: 1_900_000_000_000)

  static func settings(
    _ policy: TrackingPolicy? = .high, _ change: (inout TrackerSettings) -> Void = { _ in }
  ) throws -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = policy
    settings.wifiZones = [try home()]
    change(&settings)
    return settings
  }

  /// A device that has come home and sleeps there without reception. No network is reported yet.
  static func indoors(
    _ settings: TrackerSettings, hasAccelerometer: Bool = true
  ) -> ScheduledDay {
    let day = ScheduledDay(settings, hasAccelerometer: hasAccelerometer)
    day.pass(300)
    day.hasReception = false
    return day
  }

  static func locations(_ day: ScheduledDay, from first: Int = 0) -> [LocationRecord] {
    day.drill.locations.dropFirst(first).compactMap {
      if case .location(let location) = $0.body { location } else { nil }
    }
  }

  /// Seconds of `seconds` in which the receiver is on.
  static func powered(_ day: ScheduledDay, _ seconds: Int) -> Int {
    (0..<seconds).count { _ in
      day.pass(1)
      return day.state.isPowered
    }
  }

  static func events(_ day: ScheduledDay, _ kind: EventKind) -> [String] {
    day.drill.events.filter { $0.kind == kind }.map(\.detail)
  }

  // MARK: Records

  @Test func anEveningIndoorsIsRecordedByJoiningAndPositionChecksWithoutTheReceiver() throws {
    let home = try Self.home()
    let day = Self.indoors(try Self.settings())
    let before = day.drill.locations.count
    day.handle(Self.net)
    #expect(day.drill.locations.count == before + 1)
    // The first check comes 15 min after the stop began, every other after twice the interval, but after 4 h at most:
    // 900, 2700, 6300, 13 500, 27 900 and 42 300 s.
    #expect(Self.powered(day, 43_000) == 0)
    let inside = Self.locations(day, from: before)
    #expect(inside.count == 7)
    for location in inside {
      #expect(location.coordinate == home.position && location.wifi == "net")
      #expect(location.accuracySource == .wifiZone && location.horizontalAccuracyMillimetres == 1000)
      #expect(location.fixKind == .none && location.satellitesUsed == nil)
      #expect(location.speedMillimetresPerSecond == nil && location.courseMillidegrees == nil)
      #expect(location.altitudeMillimetres == nil && location.verticalAccuracyMillimetres == nil)
    }
    let times = day.drill.locations.dropFirst(before).map(\.time)
    #expect(!times.contains(nil))
  }

  @Test func withoutASensorChecksInAZoneAreNotMoreFrequent() throws {
    let day = Self.indoors(try Self.settings(), hasAccelerometer: false)
    // The due check informs the schedule; from then on the network replaces the sensor.
    day.handle(Self.net)
    let before = day.drill.locations.count
    #expect(Self.powered(day, 43_000) == 0)
    #expect((5...8).contains(day.drill.locations.count - before))
  }

  @Test(arguments: [TrackerEvent.positionRequested, .checkIn])
  func aRequestGetsTheLocationOfTheZoneImmediately(_ request: TrackerEvent) throws {
    let day = Self.indoors(try Self.settings())
    day.handle(Self.net)
    day.pass(400)
    let before = day.drill.locations.count
    day.handle(request)
    let reported = Self.locations(day, from: before)
    let position = try Self.home().position
    #expect(reported.map(\.coordinate) == [position])
    #expect(reported.allSatisfy { $0.reasons.contains(.event) })
    #expect(day.drill.locations.last?.moment == day.drill.now)
    #expect(Self.powered(day, 100) == 0)
    #expect(day.drill.locations.count == before + 1)
  }

  @Test func anEventThatRequestsAPositionGetsTheZones() throws {
    var rules = AcquisitionRules(minPeriod: .seconds(86_400))
    rules.reactsToEvents = true
    let day = Self.indoors(
      try Self.settings { $0.profiles = ProfileRules([.init(.always, rules)]) })
    day.handle(Self.net)
    day.pass(60)
    let before = day.drill.locations.count
    day.handle(.occurred(EventRecord(.chargerAttached)))
    #expect(day.drill.locations.count == before + 1)
    #expect(Self.powered(day, 300) == 0)
  }

  @Test func withTheReceiverOnJoiningMakesOneRecordAndRequestsAreAnsweredImmediately() throws {
    let day = Self.indoors(try Self.settings(nil))
    day.pass(60)
    let before = day.drill.locations.count
    day.handle(Self.net)
    day.pass(600)
    #expect(Self.locations(day, from: before).map(\.accuracySource) == [.wifiZone])
    day.handle(.positionRequested)
    #expect(day.drill.locations.count == before + 2)
  }

  @Test func withoutLocationsOnlyARequestGetsOne() throws {
    let day = Self.indoors(try Self.settings(.off) { $0.keepsLocations = false })
    day.handle(Self.net)
    day.pass(7200)
    #expect(day.drill.locations.isEmpty)
    day.handle(.positionRequested)
    let position = try Self.home().position
    #expect(Self.locations(day).map(\.coordinate) == [position])
  }

  @Test func recordingRulesApplyToPositionChecks() throws {
    let day = Self.indoors(
      try Self.settings { $0.decimation = Decimation(minTime: .seconds(1), minDistance: 50) })
    day.handle(Self.net)
    let before = day.drill.locations.count
    #expect(Self.powered(day, 43_000) == 0)
    #expect(day.drill.locations.count == before, "a stop is one location")
  }

  // MARK: The receiver

  @Test func leavingTheNetworkStartsTheReceiver() throws {
    let day = Self.indoors(try Self.settings())
    day.handle(Self.net)
    day.pass(20_000)
    day.handle(Self.gone)
    #expect(Self.powered(day, 58) == 0)
    day.pass(4)
    #expect(day.state == .searching)
    day.hasReception = true
    day.pass(60)
    #expect(day.state == .backup, "the device has not moved")
    let before = day.drill.locations.count
    #expect(Self.powered(day, 15_000) > 0 && day.drill.locations.count == before)
  }

  @Test func joiningAnotherNetworkStartsTheReceiverImmediately() throws {
    let day = Self.indoors(try Self.settings())
    day.handle(Self.net)
    day.pass(2000)
    day.handle(.network(JoinedNetwork(name: "elsewhere", accessPoint: nil)))
    #expect(day.state == .searching)
  }

  @Test func motionStartsTheReceiverInAZoneToo() throws {
    let day = Self.indoors(try Self.settings())
    day.handle(Self.net)
    day.pass(2000)
    day.hasReception = true
    day.handle(Self.shaken)
    #expect(day.state == .searching)
    day.speed = 12
    day.pass(100)
    let last = try #require(Self.locations(day).last)
    #expect(last.accuracySource != .wifiZone, "1.2 km away, with the network still joined")
  }

  @Test func joiningWhileMovingIsNotAStop() throws {
    let day = ScheduledDay(try Self.settings())
    day.pass(300)
    day.handle(Self.shaken)
    day.speed = 3
    day.pass(60)
    #expect(day.state == .tracking)
    day.handle(Self.net)
    #expect(Self.powered(day, 60) == 60)
  }

  @Test func joiningTheNetworkEndsAFailedSearch() throws {
    let day = ScheduledDay(try Self.settings())
    day.pass(300)
    day.handle(Self.shaken)
    day.speed = 12
    day.pass(20)
    day.speed = 0
    day.pass(2)
    day.hasReception = false
    day.handle(Self.quietEvent)
    day.pass(20)
    #expect(day.state == .searching, "the arrival is searched for")
    day.handle(Self.net)
    #expect(day.state == .backup)
    #expect(Self.powered(day, 20_000) == 0)
  }

  @Test func aStartInAZoneNeedsNoReceiver() throws {
    let drill = Drill(try Self.settings())
    drill.handle(Self.quietEvent)
    drill.handle(Self.net)
    #expect(drill.actions.contains(.readSystemClock))
    drill.handle(.systemTime(Self.afternoon, quality: .clockChip))
    drill.handle(.started(lastLocation: nil))
    #expect(drill.locations.map(\.time) == [Self.afternoon])
    #expect(drill.locations.map(\.timeQuality) == [.clockChip])
    #expect(drill.tracker.summary.receiverState == .backup)
    #expect(!drill.actions.contains { if case .receiver(.searching, _) = $0 { true } else { false } })
  }

  @Test func aPeriodicPolicySleepsInAZone() throws {
    let policy = TrackingPolicy(
      trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .kilometre1)
    let day = Self.indoors(try Self.settings(policy))
    day.handle(Self.net)
    day.pass(900)
    let before = day.drill.locations.count
    #expect(Self.powered(day, 9000) == 0)
    #expect(day.drill.locations.count == before + 10)
    day.handle(Self.shaken)
    #expect(Self.powered(day, 1200) > 0)
  }

  // MARK: An unsteady network

  @Test func aNetworkThatDropsEveryTenSecondsCountsAsJoinedOnce() throws {
    let day = Self.indoors(try Self.settings())
    day.handle(Self.net)
    let before = day.drill.locations.count
    var on = 0
    for _ in 0..<360 {
      day.handle(Self.gone)
      on += Self.powered(day, 10)
      day.handle(Self.net)
      on += Self.powered(day, 10)
    }
    // The position checks of two hours.
    #expect(day.drill.locations.count - before == 3)
    #expect(on == 0)
    #expect(Self.events(day, .zoneEntered).count <= 1 && Self.events(day, .zoneLeft).isEmpty)
  }

  @Test func alternatingNetworksMakeAtMostARecordAMinute() throws {
    let home = try Self.home()
    var office = home
    office.name = "office"
    office.network = "work"
    office.position = home.position.moved(east: 100, north: 0)
    let day = Self.indoors(try Self.settings { $0.wifiZones = [home, office] })
    let before = day.drill.locations.count
    for _ in 0..<180 {
      day.handle(Self.net)
      day.pass(10)
      day.handle(.network(JoinedNetwork(name: "work", accessPoint: nil)))
      day.pass(10)
    }
    #expect((1...61).contains(day.drill.locations.count - before))
  }

  @Test func aNetworkLostRepeatedlyForOverAMinuteCausesFewPositionChecks() throws {
    let day = Self.indoors(try Self.settings())
    let before = day.drill.locations.count
    var on = 0
    for _ in 0..<50 {
      day.handle(Self.net)
      on += Self.powered(day, 10)
      day.handle(Self.gone)
      on += Self.powered(day, 70)
    }
    #expect(day.drill.locations.count - before <= 60)
    // At most one in five minutes, and joining ends it.
    #expect(on < 4000 / 300 * 30)
  }

  @Test func aRadioSwitchedOffByTheLoggerIsNotADeparture() throws {
    let day = Self.indoors(try Self.settings())
    day.handle(Self.net)
    day.pass(100)
    day.handle(.radioSwitchedOff)
    #expect(day.drill.tracker.facts.network == nil)
    #expect(Self.powered(day, 400) == 0, "up to the next position check")
    day.handle(Self.net)
    #expect(Self.events(day, .zoneLeft).isEmpty && Self.events(day, .zoneEntered).count <= 1)
  }

  // MARK: The time

  @Test func withoutAKnownTimeNothingIsRecordedAndTheLogHasTheReason() throws {
    let day = ScheduledDay(try Self.settings())
    day.hasReception = false
    day.handle(Self.net)
    day.handle(.systemTime(nil, quality: .none))
    day.pass(1800)
    day.handle(.systemTime(Timestamp(milliseconds: 1_000_000), quality: .network))
    day.handle(.systemTime(Self.afternoon, quality: .saved))
    day.pass(1800)
    #expect(day.drill.locations.isEmpty)
    let readings = day.drill.actions.count { $0 == .readSystemClock }
    #expect((5...15).contains(readings), "the intervals between \(readings) readings grow")
    #expect(Self.events(day, .fixesRejected).contains { $0.contains("unknown_time") })
    day.handle(.systemTime(Self.afternoon, quality: .network))
    #expect(day.drill.locations.map(\.time) == [Self.afternoon])
    #expect(day.drill.locations.map(\.timeQuality) == [.network])
    #expect(Self.events(day, .clockSet).count == 1)
    #expect(Self.powered(day, 20_000) == 0, "the location and the time are known")
  }

  @Test func anEarlierRequestIsAnsweredOnceTheTimeIsKnown() throws {
    let day = ScheduledDay(try Self.settings(.off) { $0.keepsLocations = false })
    day.hasReception = false
    day.handle(Self.net)
    day.handle(.positionRequested)
    #expect(day.drill.actions.last == .readSystemClock)
    day.handle(.systemTime(Self.afternoon, quality: .network))
    #expect(day.drill.locations.count == 1)
  }

  @Test func theReceiversTimeTakesPrecedence() throws {
    let day = ScheduledDay(try Self.settings())
    day.hasReception = false
    day.handle(Self.net)
    day.handle(.systemTime(Self.afternoon, quality: .network))
    #expect(day.drill.tracker.fixes.clock.quality == .network)
    var clock = DeviceClock()
    _ = clock.adopt(Self.afternoon, quality: .clockChip, at: .zero)
    #expect(clock.steadyTimestamp(at: .zero + .seconds(100)) == nil, "a clock chip must not cause deletion")
    let fix = Self.afternoon + .seconds(107)
    _ = clock.read(
      timestamp: fix, millisecondOfDay: nil, arrival: .zero + .seconds(100),
      systemClock: Timestamp(milliseconds: 0))
    #expect(clock.quality == .receiver && clock.timestamp(at: .zero + .seconds(100)) == fix)
    #expect(clock.adopt(Self.afternoon, quality: .network, at: .zero) == nil)
  }

  // MARK: Privacy

  @Test func aZoneInAPrivacyZoneIsNeverRecordedAndTheReceiverSleeps() throws {
    let home = try Self.home()
    let hidden = try #require(Zone.hiding(home.position, radius: 50))
    let day = ScheduledDay(try Self.settings { $0.zones = [hidden] })
    day.speed = 1
    day.pass(2)
    day.speed = 0
    day.pass(300)
    day.hasReception = false
    day.handle(Self.net)
    day.handle(.positionRequested)
    #expect(Self.powered(day, 20_000) == 0)
    #expect(day.drill.actions.flatMap(\.positions).filter(hidden.contains).isEmpty)
    #expect((day.drill.tracker.fixes.rejections.totals[.privateZone]?.count ?? 0) > 2)
    #expect(
      !day.drill.records.contains { record in
        if case .event(let event) = record.body {
          event.detail.contains("home") || event.fields.json.contains("home")
        } else {
          false
        }
      })
  }
}
