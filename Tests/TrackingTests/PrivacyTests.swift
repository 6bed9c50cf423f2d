import DaySupport
import Quantities
import Records
import Settings
import Testing
@testable import Tracking

/// A privacy zone applies from the moment it is added, wherever the device is.
@Suite struct PrivacyTests {
  /// The start of a journey.
  static func home(_ radius: Double = 150) throws -> Zone {
    let centre = try ZoneTests.position(52.5, 13.4)
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
      self.day.drill.handle(.settings(settings, changed: ["privacy_zones"]))
    }

    /// All actions since, and all present values, lie outside.
    func expectNothingInside(_ location: SourceLocation = #_sourceLocation) {
      let disclosed =
        day.drill.actions[before...].flatMap(\.positions) + day.drill.tracker.disclosedCoordinates
      #expect(disclosed.filter(zone.contains).isEmpty, sourceLocation: location)
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
    let day = Journey(Self.settings)
    day.stop(60)
    #expect(day.drill.tracker.locations.last != nil)
    let disclosed = Declared(try Self.home(), on: day)
    #expect(disclosed.day.drill.tracker.locations.last == nil)
    disclosed.day.stop(60)
    disclosed.day.go(600, at: 8)
    #expect(disclosed.day.drill.tracker.locations.last != nil)
    disclosed.expectNothingInside()
  }

  @Test func aLatestPositionOutsideIsKept() throws {
    let day = Journey(Self.settings)
    day.stop(60)
    day.go(600, at: 8)
    let newest = day.drill.tracker.locations.last
    let disclosed = Declared(try Self.home(), on: day)
    #expect(newest != nil && disclosed.day.drill.tracker.locations.last == newest)
  }

  @Test func aTripThatBeganInsideHasNoStartPosition() throws {
    let day = Journey(Self.settings)
    day.stop(60)
    day.drill.handle(.trip(.start(.car)))
    day.stop(30)
    #expect(day.drill.tracker.places.trips.running?.startLocation != nil)
    let disclosed = Declared(try Self.home(), on: day)
    disclosed.day.stop(40)
    disclosed.day.drill.handle(.trip(.stop))
    disclosed.expectNothingInside()
    let trip = try #require(disclosed.day.trips.first)
    #expect(trip.durationMilliseconds == 70_000 && trip.startLocation == nil && trip.endLocation == nil)
  }

  @Test func aTripFromOutsideKeepsItsStart() throws {
    let zone = try Self.home()
    let day = Journey(Self.settings, from: zone.shape.centre.moved(east: -3000, north: 0))
    day.stop(600)
    day.go(3000, at: 15)
    let start = try #require(day.drill.tracker.places.trips.running?.startLocation)
    let disclosed = Declared(zone, on: day)
    disclosed.day.stop(900)
    disclosed.expectNothingInside()
    #expect(disclosed.day.trips.count == 1 && disclosed.day.trips.first?.startLocation == start)
    #expect(disclosed.day.trips.first?.endLocation == nil)
  }

  @Test func aLaterAutomaticTripStartsWithItsFirstPositionOutside() throws {
    let day = Journey(Self.settings)
    day.stop(600)
    let disclosed = Declared(try Self.home(), on: day)
    disclosed.day.stop(30)
    let departure = disclosed.day.time
    for _ in 0..<10 {
      disclosed.day.go(300, at: 8)
      disclosed.expectNothingInside()
    }
    disclosed.day.stop(900)
    disclosed.expectNothingInside()
    let trip = try #require(disclosed.day.trips.first)
    #expect(disclosed.day.trips.count == 1 && isNear(trip.start.time, departure, within: 60))
    let start = try #require(trip.startLocation)
    #expect(disclosed.zone.shape.distance(from: start.location.coordinate) < 150)
    #expect(trip.distanceMillimetres > 2_700_000)
  }

  @Test func theEndOfTheProgramMakesNoActionRecordInside() throws {
    let home = try Self.home()
    let elsewhere = try #require(home.shape.centre.hiding(1, east: 5000))
    for hidesIt in [false, true] {
      let day = Journey(Self.settings)
      day.stop(60)
      let disclosed = Declared(hidesIt ? home : elsewhere, on: day)
      disclosed.day.stop(40)
      disclosed.day.drill.handle(.stopping)
      let actions = disclosed.day.drill.records.compactMap { record -> ActionRecord.Action? in
        if case .action(let action) = record.body { action.action } else { nil }
      }
      // The start was recorded before the zone was added.
      let start = ActionRecord.Action.applicationLaunchedWithLocation
      #expect(actions == (hidesIt ? [start] : [start, .willTerminate]))
      disclosed.expectNothingInside()
    }
  }

  @Test func theSavedStateIsReplacedImmediately() throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.stop(900)
    day.drill.handle(.trip(.start(.car)))
    day.stop(400)
    let text = try #require(day.state)
    let state = try #require(TrackerState(text: text, now: .zero))
    #expect(state.visit != nil && state.parking != nil && state.trip?.startLocation != nil)
    let disclosed = Declared(try Self.home(), on: day)
    let now = try #require(disclosed.day.state)
    #expect(now != text && TrackerState(text: now, now: .zero)?.positions == [])
    disclosed.expectNothingInside()
  }

  /// The zone was added to the file while the program was not running.
  @Test(arguments: [true, false])
  func stateOfAnEarlierRunIsDiscardedToo(isRestoredFirst: Bool) throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.stop(900)
    day.drill.handle(.trip(.start(.car)))
    day.stop(400)
    day.drill.handle(.stopping)
    let last = day.drill.tracker.locations.last
    let state = try #require(day.state)
    let zone = try Self.home()
    settings.zones = [zone]
    let next = Journey(settings, seed: 77)
    next.time = day.time + .seconds(60)
    let events: [TrackerEvent] = [.restored(state), .started(lastLocation: last)]
    for event in isRestoredFirst ? events : events.reversed() { next.drill.handle(event) }
    #expect(next.drill.tracker.places.trips.running != nil && next.drill.tracker.disclosedCoordinates.isEmpty)
    next.stop(30)
    next.drill.handle(.trip(.stop))
    next.drill.handle(.stopping)
    #expect(next.trips.count == 1)
    #expect(next.drill.actions.flatMap(\.positions).filter(zone.contains).isEmpty)
  }

  @Test func theLocationOfANetworkIsDiscardedAndItsNameIsInNoRecord() throws {
    let office = try WifiZoneTests.office()
    var settings = Self.settings
    settings.wifiZones = [office]
    let day = Journey(settings, from: office.position.moved(east: 30, north: 0))
    day.drill.handle(.started(lastLocation: nil))
    day.drill.handle(.network(WifiZoneTests.network("net")))
    day.stop(20)
    day.drill.handle(.trip(.start(.car)))
    day.stop(20)
    #expect(day.drill.tracker.disclosedCoordinates == [office.position, office.position, office.position])
    // Small enough to exclude the position by the receiver.
    let disclosed = Declared(try #require(office.position.hiding(10)), on: day)
    disclosed.day.stop(20)
    disclosed.day.drill.handle(.trip(.stop))
    disclosed.day.drill.handle(.stopping)
    disclosed.expectNothingInside()
    #expect(disclosed.day.trips.map(\.device.wifi) == [""])
  }

  @Test func aFixOutsideIsNotRecordedAsTheParkingPositionInside() throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.freezesWhenParked = true
    let day = Journey(settings)
    day.stop(600)
    let parked = try #require(day.drill.tracker.places.stop.position)
    let disclosed = Declared(try #require(parked.hiding(3)), on: day)
    disclosed.day.accuracy = 0.5
    disclosed.day.error = 6
    disclosed.day.stop(600)
    disclosed.expectNothingInside()
    #expect((disclosed.day.drill.tracker.fixes.rejections.totals[.privateZone]?.count ?? 0) == 600)
  }

  // MARK: Repeated positions

  /// A device that drives into a zone, stops there and leaves: the last record is not its stop.
  @Test(arguments: [true, false])
  func aStopInsideIsNotRecordedAtTheBorder(isDeclaredBefore: Bool) throws {
    let middle = try #require(Coordinate(latitude: 52 + 2000.0 / 111_195, longitude: 13))
    let zone = try #require(middle.hiding(300))
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    if isDeclaredBefore { settings.zones = [zone] }
    let day = ScheduledDay(settings)
    day.pass(120)
    day.speed = 20
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(100)
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(600)
    #expect(day.state == .backup)
    settings.zones = [zone]
    if !isDeclaredBefore { day.handle(.settings(settings, changed: ["privacy_zones"])) }
    let before = day.drill.locations.count
    let counted = day.drill.tracker.fixes.rejections.totals[.privateZone]?.count ?? 0
    let departure = day.drill.now
    day.speed = 20
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(60)
    let positions = day.drill.locations[before...].compactMap {
      if case .location(let location) = $0.body { location.coordinate } else { nil }
    }
    #expect(positions.count > 30)
    #expect(positions.allSatisfy { $0.latitude > middle.latitude && !zone.contains($0) })
    #expect(day.drill.locations[before...].allSatisfy { $0.moment > departure + .seconds(10) })
    #expect((day.drill.tracker.fixes.rejections.totals[.privateZone]?.count ?? 0) > counted)
  }

  // MARK: Events of other zones

  struct Neighbour: Sendable, CustomTestStringConvertible {
    var radius: Double
    var east = 0.0
    /// Its border lies outside.
    var isReported = false
    var testDescription: String { "\(radius) m, \(east) m east" }
  }

  static let neighbours = [
    Neighbour(radius: 60), Neighbour(radius: 150), Neighbour(radius: 60, east: 80),
    Neighbour(radius: 1000, isReported: true), Neighbour(radius: 300, east: 700, isReported: true),
  ]

  @Test(arguments: neighbours, [1, 10])
  func aZoneInsideCausesNoEvents(_ neighbour: Neighbour, spacing: Int) throws {
    let zone = try Self.home()
    let position = zone.shape.centre.moved(east: neighbour.east, north: 0)
    var inner = Zone("inner", try #require(ZoneShape(centre: position, radius: neighbour.radius)))
    inner.dwell = .seconds(120)
    var settings = Self.settings
    settings.zones = [inner, zone]
    let day = Journey(settings, from: zone.shape.centre.moved(east: -3000, north: 0))
    day.spacing = spacing
    day.stop(60)
    day.go(3000, at: 8)
    day.stop(600)
    #expect(day.events(.zoneDwelt).isEmpty)
    day.go(3000, at: 8)
    #expect(day.events(.zoneEntered).count == (neighbour.isReported ? 1 : 0))
    #expect(day.events(.zoneLeft).count == (neighbour.isReported ? 1 : 0))
  }

  @Test(arguments: neighbours, [1, 10])
  func aZoneDeclaredInsideCausesNoEvents(_ neighbour: Neighbour, spacing: Int) throws {
    let zone = try Self.home()
    let position = zone.shape.centre.moved(east: neighbour.east, north: 0)
    var settings = Self.settings
    settings.zones = [Zone("inner", try #require(ZoneShape(centre: position, radius: neighbour.radius)))]
    let day = Journey(settings)
    day.spacing = spacing
    day.stop(120)
    let disclosed = Declared(zone, on: day)
    disclosed.day.go(3000, at: 8)
    #expect(disclosed.events(.zoneLeft).count == (neighbour.isReported ? 1 : 0))
    #expect(disclosed.events(.zoneEntered).count == (neighbour.isReported && neighbour.east > 500 ? 1 : 0))
  }

  @Test func aMovedParkedDeviceIsReportedOutsideWithoutItsDistance() throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.stop(600)
    #expect(day.drill.tracker.places.parking?.position != nil)
    let disclosed = Declared(try Self.home(300), on: day)
    disclosed.day.go(200, at: 4)
    disclosed.day.stop(30)
    #expect(disclosed.events(.parkingMoved).isEmpty)
    disclosed.day.go(300, at: 8)
    let moved = disclosed.events(.parkingMoved)
    #expect(moved.map(\.value) == [nil] && moved.first?.fields == [.cause: "left"])
  }

  @Test func aParkedDeviceMovedUnnoticedIsReportedOnceItIsOutside() throws {
    var settings = Self.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.stop(600)
    let disclosed = Declared(try Self.home(), on: day)
    disclosed.day.drill.handle(.motion(.driving))
    disclosed.day.dark(1200, metres: 5000)
    #expect(disclosed.events(.parkingMoved).isEmpty)
    disclosed.day.stop(30)
    #expect(disclosed.events(.parkingMoved).map(\.value) == [nil])
  }

  @Test func noDistanceFromALocationInsideIsReported() throws {
    var settings = Self.settings
    settings.driving.towDelay = .seconds(300)
    let day = Journey(settings)
    day.drill.handle(.ignition(true))
    day.stop(60)
    day.drill.handle(.ignition(false))
    day.stop(600)
    let disclosed = Declared(try Self.home(), on: day)
    disclosed.day.stop(60)
    disclosed.day.dark(4000, metres: 5000)
    disclosed.day.go(2000, at: 10)
    let alarms = disclosed.events(.towed, .gap)
    #expect(Set(alarms.map(\.kind)) == [.towed, .gap])
    #expect(alarms.allSatisfy { !$0.detail.contains(" m ") && $0.fields[.distance] == nil })
    #expect(disclosed.events(.towed).map(\.value) == [nil])
  }
}

extension Coordinate {
  fileprivate func hiding(_ radius: Double, east: Double = 0) -> Zone? {
    Zone.hiding(moved(east: east, north: 0), radius: radius)
  }
}
