import Foundation
import Quantities
import Records
import Testing
@testable import Tracking

@Suite struct ZoneTests {
  static func position(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude) as Coordinate?)
  }

  /// 500 m east of the start of a journey, 100 m wide.
  static func depot(radius: Double = 100) throws -> Zone {
    Zone(
      "depot",
      try #require(ZoneShape(centre: try position(52.5, 13.4).moved(east: 500, north: 0), radius: radius)))
  }

  static func settings(_ zones: [Zone]) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.zones = zones
    return settings
  }

  // MARK: Shapes

  @Test(arguments: [(0.0, 0.0), (52, 13), (0, 180), (60, -179.9999), (90, 0), (-89.99, 45), (-90, 10)])
  func theDistanceToACirclesBorderIsRightAnywhere(latitude: Double, longitude: Double) throws {
    let centre = try Self.position(latitude, longitude)
    let shape = try #require(ZoneShape(centre: centre, radius: 500))
    for direction in 0..<12 {
      let angle = Double(direction) * .pi / 6
      for distance in [10.0, 499, 501, 5000] {
        let position = centre.moved(east: distance * sin(angle), north: distance * cos(angle))
        #expect(abs(shape.distance(from: position) - (distance - 500)) < 0.1)
      }
    }
  }

  @Test(arguments: [(0.0, 0.0), (52, 13), (0, 180), (60, -179.9999), (89.999, 0), (-90, 10)])
  func theDistanceToAPolygonsBorderIsRightAtTheDateLineAndThePole(latitude: Double, longitude: Double)
    throws
  {
    let centre = try Self.position(latitude, longitude)
    // A square of 2 km, with repeated corners and closed explicitly.
    let corners = [
      (1000.0, 1000.0), (1000, -1000), (1000, -1000), (-1000, -1000), (-1000, 1000), (1000, 1000),
    ]
    let shape = try #require(ZoneShape(polygon: corners.map { centre.moved(east: $0.0, north: $0.1) }))
    let cases = [
      (0.0, 0.0, -1000.0), (900, 0, -100), (0, -999, -1), (1100, 0, 100), (0, 1500, 500), (1300, 1400, 500),
    ]
    for (east, north, distance) in cases {
      #expect(
        abs(shape.distance(from: centre.moved(east: east, north: north)) - distance) < 2, "\(east) \(north)")
    }
    #expect(shape.distance(from: centre.moved(east: 40_000, north: 0)) > 30_000)
  }

  @Test func aSelfIntersectingPolygonFollowsTheEvenOddRule() throws {
    let centre = try Self.position(52, 13)
    // Two triangles that touch in the middle.
    let bow = [(-1000.0, 1000.0), (1000, -1000), (1000, 1000), (-1000, -1000)]
    let shape = try #require(ZoneShape(polygon: bow.map { centre.moved(east: $0.0, north: $0.1) }))
    #expect(shape.distance(from: centre.moved(east: 800, north: 0)) < 0)
    #expect(shape.distance(from: centre.moved(east: -800, north: 0)) < 0)
    #expect(shape.distance(from: centre.moved(east: 0, north: 500)) > 0)
    #expect(abs(shape.distance(from: centre)) < 1)
  }

  @Test func anInvalidZoneIsRejected() throws {
    let centre = try Self.position(52, 13)
    let other = centre.moved(east: 100, north: 0)
    for radius in [0, -5, 0.5, .nan, .infinity, 3e6] {
      #expect(ZoneShape(centre: centre, radius: radius) == nil)
    }
    #expect(ZoneShape(polygon: []) == nil && ZoneShape(polygon: [centre, other, centre, other]) == nil)
    let many = (0...1000).map { centre.moved(east: Double($0) * 10, north: 0) }
    #expect(ZoneShape(polygon: many) == nil)
    #expect(ZoneShape(polygon: [centre, other, centre.moved(east: 0, north: 6e6)]) == nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func aPolygonOfACircleDecidesLikeTheCircle(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let centre = try Self.position(
      Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random))
    let radius = Double.random(in: 50...50_000, using: &random)
    let circle = try #require(ZoneShape(centre: centre, radius: radius))
    let polygon = try #require(
      ZoneShape(
        polygon: (0..<180).map {
          let angle = Double($0) * .pi / 90
          return centre.moved(east: radius * sin(angle), north: radius * cos(angle))
        }))
    for _ in 0..<100 {
      let angle = Double.random(in: 0..<(2 * .pi), using: &random)
      let distance = Double.random(in: 0...1.9, using: &random) * radius
      let position = centre.moved(east: distance * sin(angle), north: distance * cos(angle))
      #expect(abs(circle.distance(from: position) - polygon.distance(from: position)) < radius / 500)
    }
  }

  // MARK: Crossing

  @Test func entryAndExitAreReportedOnceEach() throws {
    let day = Journey(Self.settings([try Self.depot()]))
    day.go(500, at: 8)
    day.stop(600)
    #expect(
      day.events(.zoneEntered).map(\.withoutPosition.fields) == [[.zone: "depot"]]
        && day.events(.zoneLeft).isEmpty)
    day.go(1000, at: 8)
    #expect(
      day.events(.zoneEntered).count == 1
        && day.events(.zoneLeft).map(\.withoutPosition.fields) == [[.zone: "depot"]])
  }

  /// A server of another program draws the crossing on its map.
  @Test func aCrossingHasThePositionOfTheDevice() throws {
    let day = Journey(Self.settings([try Self.depot()]))
    day.go(500, at: 8)
    day.stop(600)
    let entered = try #require(day.events(.zoneEntered).first?.fields.position)
    #expect(entered.coordinate.distance(to: day.position) < 120, "15 s after the border at 8 m/s")
    #expect(entered.accuracy == 4)
    day.go(1000, at: 8)
    let left = try #require(day.events(.zoneLeft).first?.fields.position)
    #expect(left.coordinate.distance(to: entered.coordinate) > 100)
  }

  @Test func aPositionThatBecomesPrivateIsNotShown() throws {
    let day = Journey(Self.settings([try Self.depot()]))
    day.go(500, at: 8)
    day.stop(600)
    let event = try #require(day.events(.zoneEntered).first)
    let record = LogRecord(moment: .zero, time: nil, timeQuality: .none, body: .event(event))
    let position = try #require(event.fields.position).coordinate
    var home = Zone("home", try #require(ZoneShape(centre: position, radius: 50)))
    #expect(PrivateZones([home]).disclosed(record) == record, "the zone is not private")
    home.isPrivate = true
    guard case .event(let shown)? = PrivateZones([home]).disclosed(record)?.body else {
      Issue.record("no event")
      return
    }
    #expect(shown.fields == [.zone: "depot"] && shown.detail == event.detail)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func standingOnTheBorderCausesNoSeriesOfEvents(seed: UInt64) throws {
    let day = Journey(Self.settings([try Self.depot()]), seed: seed)
    day.error = 8
    day.accuracy = 10
    day.go(402, at: 8)
    day.stop(3 * 3600)
    #expect(day.events(.zoneEntered).count + day.events(.zoneLeft).count <= 1)
  }

  @Test func aPoorFixDecidesNothing() throws {
    let day = Journey(Self.settings([try Self.depot()]))
    day.stop(60)
    day.accuracy = 400
    day.position = day.position.moved(east: 500, north: 0)
    day.stop(600)
    #expect(day.events(.zoneEntered).isEmpty)
    day.accuracy = 5
    day.stop(30)
    #expect(day.events(.zoneEntered).count == 1)
  }

  @Test func theFirstDecisionIsAStateAndNotAnEvent() throws {
    var quiet = try Self.depot(radius: 1000)
    let day = Journey(Self.settings([quiet]))
    day.stop(60)
    #expect(day.events(.zoneEntered).isEmpty)
    day.go(2500, at: 10)
    #expect(day.events(.zoneLeft).count == 1)
    quiet.announcesFirst = true
    let loud = Journey(Self.settings([quiet]))
    loud.stop(60)
    #expect(loud.events(.zoneEntered).count == 1)
  }

  @Test func aZoneBetweenTwoSparsePointsIsInferred() throws {
    let day = Journey(Self.settings([try Self.depot()]))
    day.stop(60)
    day.dark(120, metres: 1200)
    day.stop(30)
    #expect(day.events(.zoneEntered).count == 1 && day.events(.zoneLeft).count == 1)
    #expect(day.events(.zoneEntered).first?.fields.has(.isInferred) == true)
    let aside = Journey(Self.settings([try Self.depot()]))
    aside.stop(60)
    aside.position = aside.position.moved(east: 0, north: 300)
    aside.dark(120, metres: 1200)
    aside.stop(30)
    #expect(aside.events(.zoneEntered).isEmpty)
  }

  @Test func dwellingIsReportedOnce() throws {
    var zone = try Self.depot()
    zone.dwell = .seconds(900)
    let day = Journey(Self.settings([zone]))
    day.go(500, at: 8)
    day.stop(120)
    day.pass(3600)
    #expect(day.events(.zoneDwelt).map(\.value) == [900])
  }

  @Test func aZoneMayHaveItsOwnRecordingRules() throws {
    var zone = try Self.depot()
    zone.hasProfile = true
    var settings = Self.settings([zone])
    settings.profiles = ProfileRules([
      .inZone: AcquisitionRules(minPeriod: .seconds(300)), .moving: AcquisitionRules(minPeriod: .seconds(5)),
      .stop: AcquisitionRules(minPeriod: .seconds(5)),
    ])
    let day = Journey(settings)
    day.go(500, at: 8)
    day.stop(60)
    #expect(day.drill.tracker.active.profile == .inZone)
    let count = day.points.count
    day.stop(900)
    #expect((2...5).contains(day.points.count - count))
  }

  // MARK: Privacy

  @Test func inAPrivacyZoneNothingIsStored() throws {
    var zone = try Self.depot(radius: 200)
    zone.isPrivate = true
    var settings = Journey.settings
    settings.zones = [zone]
    settings.parking = ParkingRules()
    settings.statistics = TrackingStatistics(
      pauses: true, activity: .other, desiredAccuracy: .best, mode: .standard)
    let day = Journey(settings)
    day.stop(600)
    day.go(500, at: 8)
    day.stop(1800)
    let hidden = try #require(TrackerState(text: day.state ?? "", now: .zero))
    #expect(hidden.visit == nil && hidden.parking == nil)
    day.drill.handle(.positionRequested)
    day.stop(60)
    day.go(3000, at: 8)
    day.stop(1200)
    #expect(day.points.count > 20)
    #expect(day.points.allSatisfy { zone.shape.distance(from: $0.location.coordinate) > 0 })
    #expect(day.visits.allSatisfy { zone.shape.distance(from: $0.coordinate) > 0 })
    for trip in day.trips {
      for position in [trip.startLocation, trip.endLocation].compactMap(\.self) {
        #expect(zone.shape.distance(from: position.location.coordinate) > 0)
      }
    }
    #expect(day.events(.zoneEntered).isEmpty && day.events(.zoneLeft).isEmpty)
    #expect(day.drill.tracker.fixes.rejections.totals[.privateZone]?.lastValue == "")
    #expect(day.state?.contains("visit") == true)
  }
}
