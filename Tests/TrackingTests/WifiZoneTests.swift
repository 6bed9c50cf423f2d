import Foundation
import Quantities
import Records
import Testing
import Tracking

/// Locations known by their network.
@Suite struct WifiZoneTests {
  static func office() throws -> WifiZone {
    WifiZone(
      "office", network: "net", accessPoint: nil,
      position: try #require(Coordinate(latitudeE7: 525_001_000, longitudeE7: 134_001_000)))
  }

  static func settings(_ zones: [WifiZone]) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.wifiZones = zones
    return settings
  }

  static func network(_ name: String, _ accessPoint: String? = nil) -> JoinedNetwork {
    JoinedNetwork(name: name, accessPoint: accessPoint)
  }

  /// A day that begins outside, so that the next change is an event.
  static func day(_ zones: [WifiZone]) -> Journey {
    let day = Journey(settings(zones))
    day.drill.handle(.started(lastLocation: nil))
    day.stop(120)
    return day
  }

  @Test func joiningIsAnEntryAndALongLossOfTheNetworkIsAnExit() throws {
    let day = Self.day([try Self.office()])
    #expect(day.events(.zoneEntered).isEmpty && day.events(.zoneLeft).isEmpty)
    day.drill.handle(.network(Self.network("net")))
    #expect(day.events(.zoneEntered).map(\.withoutPosition.fields) == [[.zone: "office", .cause: "network"]])
    day.stop(600)
    day.drill.handle(.network(nil))
    day.stop(50)
    day.drill.handle(.network(Self.network("net")))
    day.stop(600)
    #expect(day.events(.zoneLeft).isEmpty, "a gap of 50 s is not an exit")
    day.drill.handle(.network(nil))
    day.stop(90)
    #expect(day.events(.zoneLeft).map(\.withoutPosition.fields) == [[.zone: "office", .cause: "network"]])
    #expect(day.events(.zoneEntered).count == 1)
    let office = try Self.office().position
    let entered = day.events(.zoneEntered).first?.fields.position
    #expect(entered?.coordinate == office && entered?.accuracy == 1)
    let left = day.events(.zoneLeft).first?.fields.position
    #expect(left?.coordinate == office && left?.accuracy == 500, "where exactly is unknown")
  }

  @Test func deadlinesThatPassTogetherReportTheNetworkBeforeOtherZones() throws {
    var depot = try ZoneTests.depot()
    depot.dwell = .seconds(600)
    var office = try Self.office()
    office.position = try ZoneTests.position(52.5, 13.4).moved(east: 500, north: 0)
    var settings = Self.settings([office])
    settings.zones = [depot]
    let day = Journey(settings)
    day.drill.handle(.started(lastLocation: nil))
    day.stop(120)
    day.go(500, at: 10)
    day.stop(60)
    day.drill.handle(.network(Self.network("net")))
    day.drill.handle(.network(nil))
    day.drill.now = day.drill.now + .seconds(700)
    day.drill.timeOut()
    #expect(day.drill.events.suffix(2).map(\.kind) == [.zoneLeft, .zoneDwelt])
  }

  @Test func anotherNetworkIsAnImmediateExit() throws {
    let day = Self.day([try Self.office()])
    day.drill.handle(.network(Self.network("net")))
    day.drill.handle(.network(Self.network("elsewhere")))
    #expect(day.events(.zoneLeft).count == 1)
  }

  @Test func anAccessPointDistinguishesZonesOfOneNetwork() throws {
    var lab = try Self.office()
    lab.name = "lab"
    lab.accessPoint = "02:00:5e:10:00:01"
    var hall = lab
    hall.name = "hall"
    hall.network = nil
    hall.accessPoint = "02:00:5e:10:00:02"
    let day = Self.day([try Self.office(), lab, hall])
    day.drill.handle(.network(Self.network("net", "02:00:5e:10:00:01")))
    day.drill.handle(.network(Self.network("net", "02:00:5e:10:00:09")))
    day.drill.handle(.network(Self.network("any", "02:00:5e:10:00:02")))
    day.drill.handle(.network(Self.network("any", "02:00:5e:10:00:01")))
    #expect(
      day.events(.zoneEntered).map { $0.fields.text(.zone) } == ["lab", "office", "hall"])
    #expect(day.events(.zoneLeft).count == 3)
  }

  @Test func whileJoinedEveryFixHasTheLocationOfTheZone() throws {
    let office = try Self.office()
    let day = Self.day([office])
    day.drill.handle(.network(Self.network("net")))
    let before = day.points.count
    // Indoors the receiver's position wanders, and it reports that.
    day.error = 80
    day.accuracy = 120
    day.stop(300)
    let inside = day.points.dropFirst(before).map(\.location)
    #expect((5...6).contains(inside.count), "one a minute")
    for location in inside {
      #expect(location.coordinate == office.position && location.accuracySource == .wifiZone)
      #expect(location.speedMillimetresPerSecond == 0 && location.courseMillidegrees == nil)
      #expect(location.horizontalAccuracyMillimetres == 1000 && location.altitudeMillimetres == nil)
      #expect(location.verticalAccuracyMillimetres == nil && location.wifi == "net")
    }
    day.drill.handle(.network(nil))
    day.stop(3)
    #expect(
      day.points.last?.location.coordinate != office.position, "immediately, before the exit is reported")
    #expect(day.events(.zoneLeft).isEmpty)
  }

  @Test func withAMinimumDistanceAStopIsOneLocation() throws {
    let office = try Self.office()
    var settings = Self.settings([office])
    settings.decimation = Decimation(minTime: .seconds(1), minDistance: 10)
    settings.maxAccuracy = 20
    let day = Journey(settings)
    day.drill.handle(.started(lastLocation: nil))
    day.drill.handle(.network(Self.network("net")))
    day.accuracy = 500
    day.stop(600)
    #expect(day.points.map(\.location.coordinate) == [office.position])
  }

  @Test func withoutAFixTheZoneIsRecordedOnceWhenJoined() throws {
    let office = try Self.office()
    let day = Self.day([office])
    let before = day.points.count
    day.drill.handle(.network(Self.network("net")))
    day.pass(600)
    #expect(day.points.dropFirst(before).map(\.location.coordinate) == [office.position])
  }

  @Test func aRestartInsideIsNoEntryAndOneElsewhereIsAnExit() throws {
    let day = Self.day([try Self.office()])
    day.drill.handle(.network(Self.network("net")))
    let state = try #require(day.state)
    for network in [Self.network("net"), nil] {
      let next = Journey(Self.settings([try Self.office()]))
      next.drill.handle(.network(network))
      next.drill.handle(.restored(state))
      next.drill.handle(.started(lastLocation: nil))
      next.pass(30)
      #expect(next.events(.zoneEntered).isEmpty && next.events(.zoneLeft).isEmpty)
      next.pass(60)
      #expect(next.events(.zoneEntered).isEmpty)
      #expect(next.events(.zoneLeft).count == (network == nil ? 1 : 0))
    }
  }

  @Test func theFirstDecisionIsAStateAndNotAnEvent() throws {
    let day = Journey(Self.settings([try Self.office()]))
    day.drill.handle(.network(Self.network("net")))
    day.drill.handle(.started(lastLocation: nil))
    day.stop(10)
    #expect(day.events(.zoneEntered).isEmpty)
    var renamed = try Self.office()
    renamed.name = "home"
    day.drill.handle(.settings(Self.settings([renamed]), changed: []))
    day.drill.handle(.network(nil))
    day.stop(90)
    #expect(day.events(.zoneEntered).isEmpty)
    #expect(day.events(.zoneLeft).map(\.withoutPosition.fields) == [[.zone: "home", .cause: "network"]])
  }

  @Test func aZoneInAPrivacyZoneCausesNoEvents() throws {
    let office = try Self.office()
    var settings = Self.settings([office])
    var hidden = Zone("hidden", try #require(ZoneShape(centre: office.position, radius: 100)))
    hidden.isPrivate = true
    settings.zones = [hidden]
    let day = Journey(settings, from: office.position.moved(east: 400, north: 0))
    day.drill.handle(.started(lastLocation: nil))
    day.stop(120)
    let before = day.points.count
    day.drill.handle(.network(Self.network("net")))
    day.stop(20)
    #expect(day.points.count == before && day.events(.zoneEntered).isEmpty)
  }
}
