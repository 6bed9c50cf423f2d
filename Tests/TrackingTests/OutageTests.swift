import DaySupport
import GNSSProtocol
import Quantities
import Records
import Testing
@testable import Tracking

/// The first fixes after an outage, of which the first are the worst.
@Suite struct OutageTests {
  private func fix(_ second: Int, north: Double, speed: Double? = 0, accuracy: Double? = 5) -> Fix {
    var fix = Fix(Fix.start + .seconds(second), north: north)
    (fix.horizontalAccuracy, fix.speed) = (accuracy, speed)
    return fix
  }

  private func stored(_ drill: Drill) -> [Int64] { drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } }

  /// `count` fixes from `second` on, a second apart, at `speed` m/s.
  private func drive(_ count: Int, from second: Int, north: Double, speed: Double) -> [Fix] {
    (0..<count).map { fix(second + $0, north: north + speed * Double($0), speed: speed) }
  }

  @Test(arguments: [60, 120, 600, 3600, 36_000])
  func wildFixesAfterAnOutageAreNotStoredAndTheRightOnesAre(outage: Int) {
    for wild in [3000.0, 20_000, 200_000] {
      // The speed before the outage explains a distance that it covers.
      for speed in [0.0, 15] where wild > speed * 2 * Double(outage) {
        let drill = Drill()
        drill.handle(drive(60, from: 0, north: 0, speed: speed))
        drill.wait(.seconds(outage))
        let end = 60 + outage
        let there = speed * Double(min(end, 60 + 120))
        drill.handle([
          fix(end, north: there + wild + speed * Double(end), speed: 0),
          fix(end + 1, north: there + wild + 10 + speed * Double(end), speed: 0),
        ])
        drill.handle(drive(20, from: end + 2, north: there, speed: speed))
        let stored = stored(drill).filter { $0 >= 60 }
        #expect(stored == Array(Int64(end + 2)..<Int64(end + 22)), "\(wild) m, \(speed) m/s")
        let rejections = drill.tracker.fixes.rejections.totals
        let rejected = (rejections[.unconfirmed]?.count ?? 0) + (rejections[.impossibleSpeed]?.count ?? 0)
        #expect(rejected == 2)
      }
    }
  }

  struct Journey: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var outage: Int
    var metres: Double
    var before = 0.0
    var after = 0.0
    /// Seconds within which the fixes are stored.
    var within = 2
  }

  static let journeys = [
    Journey(testDescription: "a tunnel", outage: 90, metres: 2250, before: 25, after: 25, within: 0),
    Journey(
      testDescription: "a tunnel with a jam at its end", outage: 300, metres: 4500, before: 25, within: 0),
    Journey(testDescription: "an underground", outage: 600, metres: 9000),
    Journey(testDescription: "a ferry", outage: 7200, metres: 60_000),
    Journey(testDescription: "a flight", outage: 36_000, metres: 3_500_000),
    Journey(testDescription: "a flight that is measured again", outage: 3600, metres: 800_000, after: 230),
    Journey(testDescription: "a night in a truck", outage: 36_000, metres: 600_000),
    Journey(testDescription: "a night in a garage", outage: 36_000, metres: 0, within: 0),
    Journey(testDescription: "a short walk", outage: 3600, metres: 400, within: 0),
  ]

  @Test(arguments: journeys)
  func aRealJourneyIsStoredQuickly(journey: Journey) {
    let drill = Drill()
    drill.handle(drive(60, from: 0, north: 0, speed: journey.before))
    drill.wait(.seconds(journey.outage))
    let end = 60 + journey.outage
    drill.handle(
      drive(20, from: end, north: 60 * journey.before + journey.metres, speed: journey.after))
    let first = stored(drill).first { $0 >= 60 } ?? .max
    #expect(first <= Int64(end + journey.within))
    #expect(stored(drill).filter { $0 >= first } == Array(first..<Int64(end + 20)))
  }

  /// The log's last location is the reference of a start; without one the first fix counts.
  @Test(arguments: [nil, 0.0, 9_000_000])
  func aStartAnywhereStoresFixesWithinTwoSeconds(distance: Double?) throws {
    let drill = Drill()
    var last: LogRecord?
    if let distance {
      let place = try #require(Fix(Fix.start, north: -distance).position)
      let location = LocationRecord(coordinate: place, fixKind: .threeDimensional, deviceID: "van")
      last = LogRecord(
        moment: .zero, time: Fix.start + .seconds(-86_400), timeQuality: .receiver, body: .location(location))
    }
    drill.handle(.started(lastLocation: last, after: [:], resuming: nil))
    drill.handle((0..<10).map { fix($0, north: 0) })
    #expect(stored(drill).first.map { $0 <= 2 } == true)
    #expect(stored(drill).count >= 8)
  }

  @Test func aWildStartIsCorrectedByTheLog() throws {
    let drill = Drill()
    let place = try #require(Fix(Fix.start).position)
    let location = LocationRecord(coordinate: place, fixKind: .threeDimensional, deviceID: "van")
    let last = LogRecord(
      moment: .zero, time: Fix.start + .seconds(-3600), timeQuality: .receiver, body: .location(location))
    drill.handle(.started(lastLocation: last, after: [:], resuming: nil))
    drill.handle([fix(0, north: 50_000), fix(1, north: 50_010)])
    drill.handle((2..<10).map { fix($0, north: 3) })
    #expect(stored(drill) == Array(2..<10))
  }

  struct Beginning: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Metres from the right position, a second apart.
    var wild: [Double]
    var accuracy: Double? = 5
    /// The wild fixes that are stored.
    var stored: [Int64] = [0]
  }

  static let beginnings = [
    Beginning(testDescription: "no wild fix", wild: [], stored: []),
    Beginning(testDescription: "a wild fix", wild: [50_000]),
    Beginning(testDescription: "an inaccurate wild fix", wild: [50_000], accuracy: 90),
    Beginning(testDescription: "a wild fix of unknown accuracy", wild: [50_000], accuracy: nil),
    Beginning(testDescription: "two that agree", wild: [20_000, 20_010], stored: [0, 1]),
    Beginning(testDescription: "two apart", wild: [20_000, 26_000]),
    Beginning(testDescription: "six apart", wild: [20_000, 26_000, 33_000, 41_000, 50_000, 60_000]),
    Beginning(testDescription: "three that agree", wild: [20_000, 20_000, 20_000], stored: [0, 1, 2]),
  ]

  /// A right fix is stored with its own time, in order, if it comes before or after the wild one is found out.
  @Test(arguments: beginnings, [nil, 50.0])
  func wildFirstFixesOfANewLogCostNoRightOnes(beginning: Beginning, maxAccuracy: Double?) {
    var settings = TrackerSettings(deviceID: "van")
    settings.decimation = Decimation(minTime: .seconds(1))
    settings.maxAccuracy = maxAccuracy
    let drill = Drill(settings)
    drill.handle(.started(lastLocation: nil, after: [:], resuming: nil))
    drill.handle(
      beginning.wild.enumerated().map { fix($0, north: $1, accuracy: beginning.accuracy) })
    let right = beginning.wild.count..<beginning.wild.count + 12
    drill.handle(right.map { fix($0, north: 0) })
    let isGood = maxAccuracy == nil || beginning.accuracy == 5
    #expect(stored(drill) == (isGood ? beginning.stored : []) + right.map(Int64.init))
  }

  /// The fix that a device takes before it sleeps is its first record.
  @Test func aSingleFirstFixIsStoredAtOnce() {
    let drill = Drill()
    drill.handle([fix(0, north: 50_000)])
    #expect(stored(drill) == [0])
    drill.wait(.seconds(3600))
    drill.handle((3600..<3610).map { fix($0, north: 0) })
    #expect(stored(drill) == [0] + Array(3602..<3610))
  }

  /// A fix in a privacy zone is not stored when a later one confirms it.
  @Test func aWildFirstFixRevealsNoPrivacyZone() throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.decimation = Decimation(minTime: .seconds(1))
    let home = try #require(Fix(Fix.start).position)
    settings.zones = [try #require(Zone.hiding(home))]
    let drill = Drill(settings)
    drill.handle([fix(0, north: 50_000)] + (1..<10).map { fix($0, north: 0) })
    #expect(stored(drill) == [0])
  }

  /// A position that three fixes confirmed does not give way to the next one.
  @Test func afterAConfirmedMoveOneWildFixIsNotStored() {
    let drill = Drill()
    drill.handle((0..<12).map { fix($0, north: 0) } + (12..<15).map { fix($0, north: 90_000) })
    drill.handle([fix(15, north: 300_000)] + (16..<20).map { fix($0, north: 90_000) })
    #expect(stored(drill) == Array(0..<12) + [14] + Array(16..<20))
  }

  /// A receiver that reports once a minute, or once a quarter of an hour, has no outage.
  @Test(arguments: [60, 300, 900])
  func sparseFixesOfAMovingDeviceAreAllStored(spacing: Int) {
    let drill = Drill()
    for index in 0..<30 {
      drill.handle(
        .epoch(
          fix(index * spacing, north: Double(index * spacing) * 20, speed: nil),
          systemClock: drill.systemClock))
      drill.wait(.seconds(spacing))
    }
    #expect(drill.locations.count >= 28)
  }

  /// Every fix is stored or counted.
  @Test func everyFixHasARecordOrAReason() {
    let drill = Drill()
    drill.handle(drive(60, from: 0, north: 0, speed: 0))
    drill.wait(.seconds(600))
    drill.handle([fix(660, north: 30_000), fix(661, north: 30_000)])
    drill.handle(drive(60, from: 662, north: 0, speed: 0))
    let rejected = drill.tracker.fixes.rejections.totals.values.reduce(0) { $0 + $1.count }
    #expect(Int64(drill.locations.count) + rejected == 122)
    drill.wait(.seconds(700))
    #expect(drill.rejections.contains { $0.fields[.rejections] == .counts(["unconfirmed": 2]) })
  }
}
