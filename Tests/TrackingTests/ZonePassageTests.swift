import DaySupport
import Foundation
import GNSSProtocol
import Quantities
import Records
import Testing
@testable import Tracking

/// A zone that the device crosses, however few fixes are inside.
@Suite struct ZonePassageTests {
  struct Crossing: Sendable, CustomTestStringConvertible {
    var spacing: Int
    var speed: Double
    var radius: Double
    var testDescription: String { "every \(spacing) s, \(speed) m/s, radius \(radius) m" }
  }

  static let everyCrossing: [Crossing] = [1, 2, 5, 6, 8, 10, 15, 20, 30, 60].flatMap { spacing in
    [1.4, 5, 15, 33, 55].flatMap { speed in
      [30.0, 60, 150, 500].map { radius in Crossing(spacing: spacing, speed: speed, radius: radius) }
    }
  }

  /// A straight way from 2.5 km before the zone to as far behind it, with a fix each `spacing` seconds.
  private func day(
    _ zone: Zone, _ crossing: Crossing, phase: Double, aside: Double = 0, accuracy: Double? = 5
  ) -> Drill {
    let drill = Drill(ZoneTests.settings([zone]))
    let begin = max(crossing.radius + 3 * crossing.speed * Double(crossing.spacing), 300) + 200
    var along = -begin - phase * crossing.speed * Double(crossing.spacing)
    var time = Fix.start
    while along < begin + 3 * crossing.speed * Double(crossing.spacing) {
      let place = zone.shape.centre.moved(east: along, north: aside)
      var fix = Fix(time).at(place.latitude, place.longitude)
      fix.horizontalAccuracy = accuracy
      (fix.speed, fix.speedAccuracy, fix.course) = (crossing.speed, 0.3, 90)
      drill.handle(.epoch(fix, systemClock: drill.systemClock))
      drill.wait(.seconds(crossing.spacing))
      time = time + .seconds(crossing.spacing)
      along += crossing.speed * Double(crossing.spacing)
    }
    drill.wait(.seconds(60))
    return drill
  }

  private func crossings(_ drill: Drill) -> [EventKind] {
    drill.events.map(\.kind).filter { $0 == .zoneEntered || $0 == .zoneLeft }
  }

  private func times(_ drill: Drill) -> [Timestamp] {
    drill.records.compactMap { record in
      guard case .event(let event) = record.body, event.kind == .zoneEntered || event.kind == .zoneLeft else {
        return nil
      }
      return record.time
    }
  }

  @Test(arguments: everyCrossing)
  func aCrossingIsOneEntryAndOneExit(crossing: Crossing) throws {
    for phase in stride(from: 0.0, to: 1, by: 0.25) {
      for aside in [0, 0.5] {
        let zone = try ZoneTests.depot(radius: crossing.radius)
        let drill = day(zone, crossing, phase: phase, aside: aside * crossing.radius)
        #expect(crossings(drill) == [.zoneEntered, .zoneLeft], "\(crossing), phase \(phase), aside \(aside)")
        let times = times(drill)
        guard times.count == 2 else { continue }
        // The way through the border begins at −begin; each event comes within two fixes and the verification.
        let begin = max(crossing.radius + 3 * crossing.speed * Double(crossing.spacing), 300) + 200
        let half = (crossing.radius * crossing.radius * (1 - aside * aside)).squareRoot()
        let arrival =
          (begin + phase * crossing.speed * Double(crossing.spacing) - half) / crossing.speed
        let departure = arrival + 2 * half / crossing.speed
        let late = 2 * Double(crossing.spacing) + 16 + 2 * (zone.frame + 10) / crossing.speed
        let (entered, left) = ((times[0] - Fix.start).inSeconds, (times[1] - Fix.start).inSeconds)
        #expect(entered >= arrival && left >= entered, "phase \(phase): \(entered) before \(arrival)")
        #expect(left >= departure && left <= departure + late, "phase \(phase): \(left) after \(departure)")
      }
    }
  }

  @Test(arguments: [1, 2, 5, 10, 15, 30, 60])
  func aWayPastAZoneIsNoCrossing(spacing: Int) throws {
    for phase in stride(from: 0.0, to: 1, by: 0.125) {
      let zone = try ZoneTests.depot(radius: 100)
      let crossing = Crossing(spacing: spacing, speed: 15, radius: 100)
      #expect(crossings(day(zone, crossing, phase: phase, aside: 110)).isEmpty)
      // A single fix inside decides if no other follows within 15 s.
      guard spacing < 15 else { continue }
      #expect(
        crossings(day(zone, crossing, phase: phase, aside: 97)).isEmpty, "shallower than the fixes' error")
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func aFixThatWobblesAtTheEdgeCrossesNothing(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for radius in [30.0, 50, 100, 300] {
      for spacing in [1, 5, 10, 30] {
        let zone = try ZoneTests.depot(radius: radius)
        let drill = Drill(ZoneTests.settings([zone]))
        var time = Fix.start
        for _ in 0..<400 {
          let distance = radius + Double.random(in: -15...16, using: &random)
          let angle = Double.random(in: -0.3...0.3, using: &random)
          let place = zone.shape.centre.moved(east: distance * cos(angle), north: distance * sin(angle))
          var fix = Fix(time).at(place.latitude, place.longitude)
          fix.horizontalAccuracy = Double.random(in: 8...40, using: &random)
          fix.speed = 0.2
          drill.handle(.epoch(fix, systemClock: drill.systemClock))
          drill.wait(.seconds(spacing))
          time = time + .seconds(spacing)
        }
        #expect(crossings(drill).count <= 1, "seed \(seed), radius \(radius), every \(spacing) s")
      }
    }
  }

  struct Jump: Sendable, CustomTestStringConvertible {
    var promise: String
    /// Positions east of the centre of a zone of 50 m, a second apart.
    var east: [Double]
    var isCrossing: Bool
    var testDescription: String { promise }
  }

  static let jumps = [
    Jump(promise: "one fix inside", east: [-150, -150, 0, -150, -150, -150], isCrossing: false),
    Jump(promise: "one fix on the other side", east: [-150, -150, 150, -150, -150, -150], isCrossing: false),
    Jump(
      promise: "two fixes, inside and beyond", east: [-150, -150, 0, 150, -150, -150], isCrossing: false),
    Jump(promise: "beyond, and staying there", east: [-150, -150, 150, 150, 150, 150], isCrossing: true),
  ]

  @Test(arguments: jumps)
  func aPositionThatJumpsAndReturnsCrossesNothing(jump: Jump) throws {
    let zone = try ZoneTests.depot(radius: 50)
    for spacing in [1, 5, 10] {
      let drill = Drill(ZoneTests.settings([zone]))
      var time = Fix.start
      for east in Array(repeating: -150, count: 5) + jump.east
        + Array(repeating: jump.east.last ?? 0, count: 5)
      {
        let place = zone.shape.centre.moved(east: east, north: 0)
        var fix = Fix(time).at(place.latitude, place.longitude)
        (fix.horizontalAccuracy, fix.speed) = (2, 0)
        drill.handle(.epoch(fix, systemClock: drill.systemClock))
        drill.wait(.seconds(spacing))
        time = time + .seconds(spacing)
      }
      #expect(
        crossings(drill) == (jump.isCrossing ? [.zoneEntered, .zoneLeft] : []), "every \(spacing) s")
    }
  }

  /// In the middle of a turn: neither line between two fixes outside leads through the centre.
  @Test(arguments: [3, 5, 10])
  func aTurnInsideIsACrossing(spacing: Int) throws {
    let zone = try ZoneTests.depot(radius: 60)
    let drill = Drill(ZoneTests.settings([zone]))
    for second in stride(from: -60, through: 60, by: spacing) {
      let metres = Double(second) * 15
      let place = zone.shape.centre.moved(east: min(metres, 0), north: max(metres, 0))
      var fix = Fix(Fix.start + .seconds(second + 60)).at(place.latitude, place.longitude)
      (fix.horizontalAccuracy, fix.speed) = (5, 15)
      drill.handle(.epoch(fix, systemClock: drill.systemClock))
      drill.wait(.seconds(spacing))
    }
    drill.wait(.seconds(60))
    #expect(crossings(drill) == [.zoneEntered, .zoneLeft])
  }

  /// In a privacy zone, single fixes are hidden however sparse they are, and no event tells of the crossing.
  @Test(arguments: [1, 2, 5, 6, 8, 10, 15, 20, 30, 60])
  func aCrossedPrivacyZoneShowsNothing(spacing: Int) throws {
    for phase in stride(from: 0.0, to: 1, by: 0.125) {
      var zone = try ZoneTests.depot(radius: 60)
      zone.isPrivate = true
      for accuracy in [5, nil] as [Double?] {
        let drill = day(
          zone, Crossing(spacing: spacing, speed: 15, radius: 60), phase: phase, accuracy: accuracy)
        #expect(crossings(drill).isEmpty)
        for case .location(let location) in drill.locations.map(\.body) {
          #expect(zone.shape.distance(from: location.coordinate) > (accuracy ?? 100))
        }
        #expect(drill.locations.count > 2)
      }
    }
  }
}
