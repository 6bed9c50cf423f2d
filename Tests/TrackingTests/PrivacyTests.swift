import DaySupport
import GNSS
import Quantities
import Records
import Settings
import Testing

@testable import Tracking

/// A privacy zone applies from the moment it is added, wherever the device is.
@Suite struct PrivacyTests {
  /// The start of a journey.
  static func home(_ radius: Double = 150) throws -> Zone {
    let centre = try ZoneTests.place(52.5, 13.4)
    return try #require(centre.hiding(radius))
  }

  static var settings: TrackerSettings {
    var settings = Journey.settings
    settings.statistics = TrackingStatistics(
      pauses: true, activity: .other, desiredAccuracy: .best, mode: .standard)
    return settings
  }

  /// A journey on which a zone is added, and the actions before.
  struct Declared {
    var day: Journey
    var zone: Zone
    var before: Int

    init(_ zone: Zone, on day: Journey) {
      self.day = day
      self.zone = zone
      before = day.drill.actions.count
      var settings = day.drill.tracker.settings
      settings.zones.append(zone)
      self.day.drill.tell(.settings(settings, changed: ["privacy_zones"]))
    }

    /// All actions since, and all present values, lie outside.
    func expectNothingInside(_ location: SourceLocation = #_sourceLocation) {
      let told = day.drill.actions[before...].flatMap(\.places) + day.drill.tracker.placesTold
      #expect(told.filter(zone.holds).isEmpty, sourceLocation: location)
    }

    func events(_ kinds: EventKind...) -> [EventRecord] {
      day.drill.actions[before...].compactMap {
        guard case .keep(let record, _) = $0, case .event(let event) = record.body else { return nil }
        return kinds.contains(event.kind) ? event : nil
      }
    }
  }

  // MARK: Stored state

  @Test func theLatestPositionIsDiscardedImmediately() throws {
    var day = Journey(Self.settings)
    day.rest(60)
    #expect(day.drill.tracker.lastLocation != nil)
    var told = Declared(try Self.home(), on: day)
    #expect(told.day.drill.tracker.lastLocation == nil)
    told.day.rest(60)
    told.day.go(600, at: 8)
    #expect(told.day.drill.tracker.lastLocation != nil)
    told.expectNothingInside()
  }

  @Test func aLatestPositionOutsideIsKept() throws {
    var day = Journey(Self.settings)
    day.rest(60)
    day.go(600, at: 8)
    let newest = day.drill.tracker.lastLocation
    let told = Declared(try Self.home(), on: day)
    #expect(newest != nil && told.day.drill.tracker.lastLocation == newest)
  }

  @Test func aTripThatBeganInsideHasNoStartPosition() throws {
    var day = Journey(Self.settings)
    day.rest(60)
    day.drill.tell(.trip(.start(.car)))
    day.rest(30)
    #expect(day.drill.tracker.runningTrip?.startPlace != nil)
    var told = Declared(try Self.home(), on: day)
    told.day.rest(40)
    told.day.drill.tell(.trip(.stop))
    told.expectNothingInside()
    let trip = try #require(told.day.trips.first)
    #expect(trip.durationMilliseconds == 70_000 && trip.startPlace == nil && trip.endPlace == nil)
  }

  @Test func aTripFromOutsideKeepsItsStart() throws {
    let zone = try Self.home()
    var day = Journey(Self.settings, from: zone.shape.centre.moved(east: -3000, north: 0))
    day.rest(600)
    day.go(3000, at: 15)
    let start = try #require(day.drill.tracker.runningTrip?.startPlace)
    var told = Declared(zone, on: day)
    told.day.rest(900)
    told.expectNothingInside()
    #expect(told.day.trips.count == 1 && told.day.trips.first?.startPlace == start)
    #expect(told.day.trips.first?.endPlace == nil)
  }

  @Test func aLaterAutomaticTripStartsWithItsFirstPositionOutside() throws {
    var day = Journey(Self.settings)
    day.rest(600)
    var told = Declared(try Self.home(), on: day)
    told.day.rest(30)
    let departure = told.day.time
    for _ in 0..<10 {
      told.day.go(300, at: 8)
      told.expectNothingInside()
    }
    told.day.rest(900)
    told.expectNothingInside()
    let trip = try #require(told.day.trips.first)
    #expect(told.day.trips.count == 1 && isNear(trip.start.time, departure, within: 60))
    let start = try #require(trip.startPlace)
    #expect(told.zone.shape.distance(from: start.location.coordinate) < 150)
    #expect(trip.distanceMillimetres > 2_700_000)
  }

  @Test func theEndOfTheProgramMakesNoActionRecordInside() throws {
    let home = try Self.home()
    let elsewhere = try #require(home.shape.centre.hiding(1, east: 5000))
    for hidesIt in [false, true] {
      var day = Journey(Self.settings)
      day.rest(60)
      var told = Declared(hidesIt ? home : elsewhere, on: day)
      told.day.rest(40)
      told.day.drill.tell(.stopping)
      let actions = told.day.drill.records.compactMap { record -> ActionRecord.Action? in
        if case .action(let action) = record.body { action.action } else { nil }
      }
      // The start was recorded before the zone was added.
      let start = ActionRecord.Action.applicationLaunchedWithLocation
      #expect(actions == (hidesIt ? [start] : [start, .willTerminate]))
      told.expectNothingInside()
    }
  }

  @Test func theSavedStateIsReplacedImmediately() throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    var day = Journey(settings)
    day.rest(900)
    day.drill.tell(.trip(.start(.car)))
    day.rest(400)
    let text = try #require(day.state)
    let state = try #require(TrackerState(text: text, now: .zero))
    #expect(state.visit != nil && state.parking != nil && state.trip?.startPlace != nil)
    let told = Declared(try Self.home(), on: day)
    let now = try #require(told.day.state)
    #expect(now != text && TrackerState(text: now, now: .zero)?.places == [])
    told.expectNothingInside()
  }

  /// The zone was added to the file while the program was not running.
  @Test(arguments: [true, false])
  func stateOfAnEarlierRunIsDiscardedToo(isRestoredFirst: Bool) throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    var day = Journey(settings)
    day.rest(900)
    day.drill.tell(.trip(.start(.car)))
    day.rest(400)
    day.drill.tell(.stopping)
    let last = day.drill.tracker.lastLocation
    let state = try #require(day.state)
    let zone = try Self.home()
    settings.zones = [zone]
    var next = Journey(settings, seed: 77)
    next.time = day.time + .seconds(60)
    let events: [TrackerEvent] = [.restored(state), .started(lastLocation: last)]
    for event in isRestoredFirst ? events : events.reversed() { next.drill.tell(event) }
    #expect(next.drill.tracker.runningTrip != nil && next.drill.tracker.placesTold.isEmpty)
    next.rest(30)
    next.drill.tell(.trip(.stop))
    next.drill.tell(.stopping)
    #expect(next.trips.count == 1)
    #expect(next.drill.actions.flatMap(\.places).filter(zone.holds).isEmpty)
  }

  @Test func theLocationOfANetworkIsDiscardedAndItsNameIsInNoRecord() throws {
    let office = try WifiZoneTests.office()
    var settings = Self.settings
    settings.wifiZones = [office]
    var day = Journey(settings, from: office.place.moved(east: 30, north: 0))
    day.drill.tell(.started(lastLocation: nil))
    day.drill.tell(.network(WifiZoneTests.network("net")))
    day.rest(20)
    day.drill.tell(.trip(.start(.car)))
    day.rest(20)
    #expect(day.drill.tracker.placesTold == [office.place, office.place, office.place])
    // Small enough to exclude the position by the receiver.
    var told = Declared(try #require(office.place.hiding(10)), on: day)
    told.day.rest(20)
    told.day.drill.tell(.trip(.stop))
    told.day.drill.tell(.stopping)
    told.expectNothingInside()
    #expect(told.day.trips.map(\.device.wifi) == [""])
  }

  @Test func aFixOutsideIsNotRecordedAsTheParkingPositionInside() throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.freezesWhenParked = true
    var day = Journey(settings)
    day.rest(600)
    let parked = try #require(day.drill.tracker.places.parkedPlace)
    var told = Declared(try #require(parked.hiding(3)), on: day)
    told.day.accuracy = 0.5
    told.day.error = 6
    told.day.rest(600)
    told.expectNothingInside()
    #expect((told.day.drill.tracker.rejections.totals[.privateZone]?.count ?? 0) == 600)
  }

  // MARK: Repeated positions

  /// A device that drives into a zone, stops there and leaves: the last record is not its stop.
  @Test(arguments: [true, false])
  func aStopInsideIsNotRecordedAtTheBorder(isDeclaredBefore: Bool) throws {
    let middle = try #require(Coordinate(latitude: 52 + 2000.0 / 111_195, longitude: 13))
    let zone = try #require(middle.hiding(300))
    var settings = TrackerSettings(deviceID: "van")
    settings.scheme = .high
    if isDeclaredBefore { settings.zones = [zone] }
    var day = PlannedDay(settings)
    day.pass(120)
    day.speed = 20
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(100)
    day.speed = 0
    day.tell(.evidence(.accelerometer, isActive: false))
    day.pass(600)
    #expect(day.state == .backup)
    settings.zones = [zone]
    if !isDeclaredBefore { day.tell(.settings(settings, changed: ["privacy_zones"])) }
    let before = day.drill.locations.count
    let counted = day.drill.tracker.rejections.totals[.privateZone]?.count ?? 0
    let departure = day.drill.now
    day.speed = 20
    day.tell(.evidence(.accelerometer, isActive: true))
    day.pass(60)
    let places = day.drill.locations[before...].compactMap {
      if case .location(let location) = $0.body { location.coordinate } else { nil }
    }
    #expect(places.count > 30)
    #expect(places.allSatisfy { $0.latitude > middle.latitude && !zone.holds($0) })
    #expect(day.drill.locations[before...].allSatisfy { $0.moment > departure + .seconds(10) })
    #expect((day.drill.tracker.rejections.totals[.privateZone]?.count ?? 0) > counted)
  }

  // MARK: Events of other zones

  struct Neighbour: Sendable, CustomTestStringConvertible {
    var radius: Double
    var east = 0.0
    /// Its border lies outside.
    var isTold = false
    var testDescription: String { "\(radius) m, \(east) m east" }
  }

  static let neighbours = [
    Neighbour(radius: 60), Neighbour(radius: 150), Neighbour(radius: 60, east: 80),
    Neighbour(radius: 1000, isTold: true), Neighbour(radius: 300, east: 700, isTold: true),
  ]

  @Test(arguments: neighbours, [1, 10])
  func aZoneInsideCausesNoEvents(_ neighbour: Neighbour, spacing: Int) throws {
    let zone = try Self.home()
    let place = zone.shape.centre.moved(east: neighbour.east, north: 0)
    var inner = Zone("inner", try #require(ZoneShape(centre: place, radius: neighbour.radius)))
    inner.dwell = .seconds(120)
    var settings = Self.settings
    settings.zones = [inner, zone]
    var day = Journey(settings, from: zone.shape.centre.moved(east: -3000, north: 0))
    day.spacing = spacing
    day.rest(60)
    day.go(3000, at: 8)
    day.rest(600)
    #expect(day.events(.zoneDwelt).isEmpty)
    day.go(3000, at: 8)
    #expect(day.events(.zoneEntered).count == (neighbour.isTold ? 1 : 0))
    #expect(day.events(.zoneLeft).count == (neighbour.isTold ? 1 : 0))
  }

  @Test(arguments: neighbours, [1, 10])
  func aZoneDeclaredInsideCausesNoEvents(_ neighbour: Neighbour, spacing: Int) throws {
    let zone = try Self.home()
    let place = zone.shape.centre.moved(east: neighbour.east, north: 0)
    var settings = Self.settings
    settings.zones = [Zone("inner", try #require(ZoneShape(centre: place, radius: neighbour.radius)))]
    var day = Journey(settings)
    day.spacing = spacing
    day.rest(120)
    var told = Declared(zone, on: day)
    told.day.go(3000, at: 8)
    #expect(told.events(.zoneLeft).count == (neighbour.isTold ? 1 : 0))
    #expect(told.events(.zoneEntered).count == (neighbour.isTold && neighbour.east > 500 ? 1 : 0))
  }

  @Test func aMovedParkedDeviceIsReportedOutsideWithoutItsDistance() throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    var day = Journey(settings)
    day.rest(600)
    #expect(day.drill.tracker.places.parking?.place != nil)
    var told = Declared(try Self.home(300), on: day)
    told.day.go(200, at: 4)
    told.day.rest(30)
    #expect(told.events(.parkingMoved).isEmpty)
    told.day.go(300, at: 8)
    let moved = told.events(.parkingMoved)
    #expect(moved.map(\.value) == [nil] && moved.first?.fields == [.cause: "left"])
  }

  @Test func aParkedDeviceMovedUnnoticedIsReportedOnceItIsOutside() throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    var day = Journey(settings)
    day.rest(600)
    var told = Declared(try Self.home(), on: day)
    told.day.drill.tell(.motion(.driving))
    told.day.dark(1200, metres: 5000)
    #expect(told.events(.parkingMoved).isEmpty)
    told.day.rest(30)
    #expect(told.events(.parkingMoved).map(\.value) == [nil])
  }

  @Test func noDistanceFromALocationInsideIsReported() throws {
    var settings = Self.settings
    settings.driving.towDelay = .seconds(300)
    var day = Journey(settings)
    day.drill.tell(.ignition(true))
    day.rest(60)
    day.drill.tell(.ignition(false))
    day.rest(600)
    var told = Declared(try Self.home(), on: day)
    told.day.rest(60)
    told.day.dark(4000, metres: 5000)
    told.day.go(2000, at: 10)
    let alarms = told.events(.towed, .gap)
    #expect(Set(alarms.map(\.kind)) == [.towed, .gap])
    #expect(alarms.allSatisfy { !$0.detail.contains(" m ") && $0.fields[.distance] == nil })
    #expect(told.events(.towed).map(\.value) == [nil])
  }
}

extension Coordinate {
  fileprivate func hiding(_ radius: Double, east: Double = 0) -> Zone? {
    Zone.hiding(moved(east: east, north: 0), radius: radius)
  }
}
