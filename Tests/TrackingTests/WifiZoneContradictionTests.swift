import Quantities
import Records
import Testing
import Tracking

/// A mobile hotspot may have the name of a zone's network: fixes elsewhere take precedence.
@Suite struct WifiZoneContradictionTests {
  private static let net = TrackerEvent.network(JoinedNetwork(name: "net", accessPoint: nil))

  private static func day() throws -> Journey {
    let day = WifiZoneTests.day([try WifiZoneTests.office()])
    day.drill.handle(net)
    day.stop(10)
    return day
  }

  @Test func fixesElsewhereAreRecordedAndTheZoneIsLeft() throws {
    let office = try WifiZoneTests.office()
    let day = try Self.day()
    day.go(3000, at: 15)
    let distances = day.points.suffix(120).map { $0.location.coordinate.distance(to: office.position) }
    #expect(distances.allSatisfy { $0 > 500 })
    #expect(
      day.events(.zoneLeft).map(\.withoutPosition.fields) == [[.zone: "office", .cause: "contradicted"]])
    let left = try #require(day.events(.zoneLeft).first?.fields.position)
    #expect(left.coordinate.distance(to: office.position) > 500, "the fix that contradicts the zone")
    #expect(!day.drill.tracker.network.isZoneJoined)
    // A short loss of the hotspot changes nothing.
    day.drill.handle(.network(nil))
    day.pass(20)
    day.drill.handle(Self.net)
    #expect(!day.drill.tracker.network.isZoneJoined)
    let before = day.points.count
    day.drill.handle(.positionRequested)
    #expect(day.points.count == before)
  }

  @Test func aFixInsideRestoresTheZone() throws {
    let office = try WifiZoneTests.office()
    let day = try Self.day()
    day.go(1500, at: 15)
    day.go(1400, at: 15, course: 270)
    #expect(day.events(.zoneEntered).count == 2)
    #expect(day.points.last?.location.coordinate == office.position)
  }

  @Test func wildAndPoorFixesProveNothing() throws {
    let office = try WifiZoneTests.office()
    let day = try Self.day()
    let here = day.position
    day.position = here.moved(east: 5000, north: 0)
    day.stop(1)
    day.position = here
    day.stop(10)
    day.position = here.moved(east: 5000, north: 0)
    day.accuracy = 150
    day.stop(60)
    #expect(day.events(.zoneLeft).isEmpty)
    #expect(day.points.suffix(1).allSatisfy { $0.location.coordinate == office.position })
    #expect(day.points.filter { $0.location.coordinate.distance(to: day.position) < 1000 }.isEmpty)
  }

  @Test func aNetworkJoinedFarFromARecentFixIsNotTheZone() throws {
    let office = try WifiZoneTests.office()
    let day = WifiZoneTests.day([office])
    day.go(3000, at: 15)
    day.drill.handle(Self.net)
    day.pass(30)
    day.stop(10)
    #expect(day.events(.zoneEntered).isEmpty)
    #expect(!day.points.contains { $0.location.coordinate == office.position })
    // Half an hour later it may have been moved there, and no fix contradicts.
    day.drill.handle(.network(nil))
    day.pass(1800)
    day.drill.handle(Self.net)
    #expect(day.events(.zoneEntered).count == 1 && day.drill.tracker.network.isZoneJoined)
  }

  @Test(arguments: [true, false]) func aSensorShowsThatTheDeviceWasNotMovedThere(hasSensor: Bool) throws {
    let home = try WifiZoneRecordTests.home()
    var far = home
    far.position = home.position.moved(east: 5000, north: 0)
    let zone = far
    let day = ScheduledDay(
      try WifiZoneRecordTests.settings { $0.wifiZones = [zone] }, hasAccelerometer: hasSensor)
    day.pass(300)
    day.hasReception = false
    day.pass(7200)
    day.handle(Self.net)
    #expect(day.drill.tracker.network.isZoneJoined != hasSensor)
    day.handle(.stopping)
    let reported = WifiZoneRecordTests.locations(day).contains { $0.coordinate == zone.position }
    #expect(reported != hasSensor)
  }
}
