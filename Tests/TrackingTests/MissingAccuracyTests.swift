import DaySupport
import GNSSProtocol
import Quantities
import Records
import Testing
@testable import Tracking

/// A missing accuracy counts as that of a poor fix, and a very bad one proves nothing, in every decision.
@Suite struct MissingAccuracyTests {
  /// Figures of a fix whose position is worthless: stated, or called unknown by the receiver.
  struct Worthless: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout Fix) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout Fix) -> Void) {
      (testDescription, self.change) = (name, change)
    }
  }

  static let worthless = [
    Worthless("17 km") { $0.horizontalAccuracy = 17_000 },
    Worthless("3 km") { $0.horizontalAccuracy = 3000 },
    Worthless("no estimate") { $0.isVague = true },
    Worthless("infinite") { $0.horizontalAccuracy = .infinity },
  ]

  /// An hour at rest with a spell of worthless fixes 700 m away.
  private func day(_ settings: TrackerSettings, _ worthless: Worthless, count: Int = 40) -> Journey {
    let day = Journey(settings)
    day.stop(600)
    let home = day.position
    let away = home.moved(east: 700, north: 0)
    for _ in 0..<count {
      day.pass(1)
      var fix = Fix(day.time).at(away.latitude, away.longitude)
      worthless.change(&fix)
      fix.speed = 0
      day.drill.handle(.epoch(fix, systemClock: day.drill.systemClock))
    }
    day.stop(600)
    return day
  }

  @Test(arguments: worthless)
  func aWorthlessFixLeavesNoZone(worthless: Worthless) throws {
    for radius in [30.0, 100, 500] {
      let zone = Zone(
        "office",
        try #require(ZoneShape(centre: try ZoneTests.position(52.5, 13.4), radius: radius)))
      let day = day(ZoneTests.settings([zone]), worthless)
      #expect(day.events(.zoneLeft).isEmpty && day.events(.zoneEntered).isEmpty, "\(radius) m")
    }
  }

  @Test(arguments: worthless)
  func aWorthlessFixEndsNoVisitAndStartsNoTrip(worthless: Worthless) {
    let day = day(Journey.settings, worthless, count: 90)
    #expect(day.visits.count == 1)
    #expect(day.events(.tripStarted).isEmpty)
    #expect(day.drill.tracker.places.stop.isStopped == true)
    #expect(day.drill.tracker.places.lifetime.millimetres < 20_000)
  }

  @Test(arguments: worthless)
  func aWorthlessFixMovesNoParkedDevice(worthless: Worthless) {
    var settings = TrackerSettings(deviceID: "van")
    settings.parking = ParkingRules()
    let day = day(settings, worthless)
    #expect(day.events(.parkingMoved).isEmpty)
  }

  /// Ten worthless fixes between good ones do not hide a real departure.
  @Test(arguments: worthless)
  func aRealDepartureIsSeenAmongWorthlessFixes(worthless: Worthless) {
    let day = Journey(VisitTests.settings())
    day.stop(600)
    for second in 0..<120 {
      day.go(15, at: 15)
      guard second % 3 == 0 else { continue }
      day.pass(1)
      var fix = Fix(day.time)
      worthless.change(&fix)
      fix.speed = 0
      day.drill.handle(.epoch(fix, systemClock: day.drill.systemClock))
    }
    #expect(day.visits.count == 2)
  }

  @Test func worthlessFixesProveNoStability() throws {
    var stability = Stability()
    for second in 0..<10 {
      #expect(!stability.isStable(try RulesTests.observation(Double(second), north: 0, accuracy: 17_000)))
    }
  }

  /// A receiver without any figure still enters and leaves zones.
  @Test func aMissingAccuracyStillDecides() throws {
    let day = Journey(ZoneTests.settings([try ZoneTests.depot()]))
    day.accuracy = 0
    day.go(500, at: 8)
    day.stop(120)
    day.go(1000, at: 8)
    #expect(day.events(.zoneEntered).count == 1 && day.events(.zoneLeft).count == 1)
  }

  @Test func aMissingAccuracyIsHiddenBesideAPrivacyZone() throws {
    var zone = try ZoneTests.depot(radius: 100)
    zone.isPrivate = true
    let zones = PrivateZones([zone])
    for (distance, accuracy, isHidden) in [
      (90.0, nil, true), (180, nil, true), (220, nil, false), (110, 5.0, false), (110, 12, true),
      (900, 17_000, true), (1050, 3000, true), (1200, 17_000, false), (180, 0, true), (180, .nan, true),
    ] as [(Double, Double?, Bool)] {
      let position = zone.shape.centre.moved(east: distance, north: 0)
      #expect(zones.hides(position, accuracy: accuracy) == isHidden, "\(distance) m")
      var fix = Fix(Fix.start).at(position.latitude, position.longitude)
      fix.horizontalAccuracy = accuracy
      #expect(Privacy([zone]).hides(fix) == isHidden, "\(distance) m")
    }
    var vague = Fix(Fix.start)
    let position = zone.shape.centre.moved(east: 900, north: 0)
    (vague.latitude, vague.longitude, vague.isVague) = (position.latitude, position.longitude, true)
    #expect(Privacy([zone]).hides(vague))
  }

  @Test func theBestOfFixesWithoutAccuracyIsRecordedAfterTheRetryWindow() {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    settings.accuracyRetryWindow = .seconds(20)
    let drill = Drill(settings)
    drill.handle((0..<30).map { Fix(Fix.start + .seconds($0)) })
    #expect(drill.locations.count == 1)
  }

  /// What the receiver gave is stored as it is.
  @Test func theStoredAccuracyIsTheReceivers() {
    for (given, stored) in [(nil, nil), (17_000.0, 17_000_000), (3, 3000), (0.5, 500)] as [(Double?, Int32?)]
    {
      let drill = Drill()
      var fix = Fix(Fix.start)
      fix.horizontalAccuracy = given
      drill.handle([fix])
      guard case .location(let location)? = drill.locations.first?.body else {
        Issue.record("no location")
        continue
      }
      #expect(location.horizontalAccuracyMillimetres == stored)
    }
  }
}
