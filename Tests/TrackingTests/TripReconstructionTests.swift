import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Tracking

/// The decision alone, with extreme values.
@Suite struct TripReconstructionTests {
  private typealias Position = TripReconstruction.Position

  private static func position(
    _ seconds: Int64, north: Double = 0, accuracy: Double? = 5, dated: Bool = true
  ) throws -> Position {
    let position = try #require(Coordinate(latitude: 52 + north / 111_195, longitude: 13))
    let moment = Moment(nanoseconds: seconds * 1_000_000_000)
    var observation = Observation(
      timestamp: dated ? Timestamp(milliseconds: 1_772_000_000_000 + seconds * 1000) : nil, moment: moment,
      coordinate: position)
    observation.accuracy = accuracy
    return Position(observation: observation, location: LocationRecord(coordinate: position, deviceID: "van"))
  }

  /// A pause at 0 m, and then these fixes.
  private static func found(
    _ fixes: [Position], origin: Position, isCovered: Bool = false, motionBegan: Moment? = nil
  ) -> TripReconstruction.Found? {
    var reconstruction = TripReconstruction()
    reconstruction.take(origin, isCovered: false, motionBegan: nil, reach: 50)
    reconstruction.pause()
    for fix in fixes {
      reconstruction.take(fix, isCovered: isCovered, motionBegan: motionBegan, reach: 50)
    }
    return reconstruction.end()
  }

  private static func dwell(
    north: Double, accuracy: Double? = 5, from second: Int64 = 600, dated: Bool = true
  ) throws -> [Position] {
    try (0..<5).map { try position(second + $0, north: north, accuracy: accuracy, dated: dated) }
  }

  @Test func theTripGoesFromTheLastPositionToTheFirstFixElsewhere() throws {
    let found = try #require(
      Self.found(try Self.dwell(north: 1400), origin: try Self.position(0)))
    #expect(abs(found.metres - 1400) < 1)
    let first = try Self.position(600, north: 1400)
    #expect(found.arrival == first.observation)
  }

  @Test(arguments: [
    (330.0, 5.0, true), (310, 5, false), (1400, 300, false), (1400, 150, true), (299, 0, false),
  ])
  func aMoveMustExceedTheUncertaintyOfBothPositions(
    _ row: (metres: Double, accuracy: Double, isTrip: Bool)
  ) throws {
    let origin = try Self.position(0, accuracy: row.accuracy)
    let fixes = try Self.dwell(north: row.metres, accuracy: row.accuracy)
    #expect((Self.found(fixes, origin: origin) != nil) == row.isTrip)
  }

  @Test func anUnknownAccuracyCountsAsPoor() throws {
    let origin = try Self.position(0, accuracy: nil)
    #expect(Self.found(try Self.dwell(north: 400, accuracy: nil), origin: origin) == nil)
    #expect(Self.found(try Self.dwell(north: 500, accuracy: nil), origin: origin) != nil)
  }

  @Test func fewerThanThreeFixesAreNoTrip() throws {
    let origin = try Self.position(0)
    #expect(Self.found(Array(try Self.dwell(north: 1400).prefix(2)), origin: origin) == nil)
  }

  @Test func motionByASensorExplainsReachableDistances() throws {
    let origin = try Self.position(0)
    func isFound(after seconds: Int64) throws -> Bool {
      let began = Moment(nanoseconds: (600 - seconds) * 1_000_000_000)
      return Self.found(try Self.dwell(north: 1400), origin: origin, motionBegan: began) != nil
    }
    let (isExplained, isTooFar) = (try !isFound(after: 30), try isFound(after: 20))
    #expect(isExplained && isTooFar)
    #expect(Self.found(try Self.dwell(north: 1400), origin: origin, isCovered: true) == nil)
  }

  @Test(arguments: [Double.infinity, 1e308])
  func anUnlimitedAccuracyProvesNoMove(_ accuracy: Double) throws {
    let fixes = try Self.dwell(north: 100_000, accuracy: accuracy)
    #expect(Self.found(fixes, origin: try Self.position(0)) == nil)
    #expect(
      Self.found(try Self.dwell(north: 100_000), origin: try Self.position(0, accuracy: accuracy)) == nil)
  }

  @Test(arguments: [Int64.min / 1_000_000_000, -600, 0, 30, 60])
  func anOlderOrHardlyNewerFixBeginsNoTrip(_ second: Int64) throws {
    let origin = try Self.position(0)
    #expect(Self.found(try Self.dwell(north: 1400, from: second), origin: origin) == nil)
  }

  /// The boot clock measures only within one boot; over a restart nothing does.
  @Test func withoutADateTheBootClockIsUsed() throws {
    let origin = try Self.position(0, dated: false)
    #expect(Self.found(try Self.dwell(north: 1400, dated: false), origin: origin) != nil)
    var earlier = try Self.position(0)
    earlier.observation.moment = nil
    #expect(Self.found(try Self.dwell(north: 1400, dated: false), origin: earlier) == nil)
    #expect(Self.found(try Self.dwell(north: 1400), origin: earlier) != nil)
  }

  /// A privacy zone that is added after the trip was recorded: the straight line would reveal its distance.
  @Test(arguments: [(0.0, true, false), (1400, true, false), (5000, true, true), (0, false, true)])
  func aTripWithAnEndInAPrivacyZoneIsNotDisclosed(
    _ row: (north: Double, isReconstructed: Bool, isReported: Bool)
  ) throws {
    let origin = try #require(Coordinate(latitude: 52, longitude: 13))
    let shape = try #require(ZoneShape(centre: origin.moved(east: 0, north: row.north), radius: 200))
    var zone = Zone("hidden", shape)
    zone.isPrivate = true
    let time = Timestamp(milliseconds: 1_772_000_000_000)
    var trip = TripRecord(
      mode: .car, start: .utc(time), end: .utc(time + .seconds(300)), durationMilliseconds: 300_000,
      distanceMillimetres: 1_400_000, isManual: false, ending: .noFix, device: DeviceState(deviceID: "van"))
    trip.isReconstructed = row.isReconstructed
    for (north, isStart) in [(0.0, true), (1400, false)] {
      let location = LocationRecord(coordinate: origin.moved(east: 0, north: north), deviceID: "van")
      let position = TripRecord.Location(location, time: .utc(time))
      if isStart { trip.startLocation = position } else { trip.endLocation = position }
    }
    let record = LogRecord(moment: .zero, time: time, timeQuality: .receiver, body: .trip(trip))
    #expect((PrivateZones([zone]).disclosed(record) != nil) == row.isReported)
  }

  @Test func withoutAPauseNothingIsReconstructed() throws {
    var reconstruction = TripReconstruction()
    reconstruction.pause()
    for fix in [try Self.position(0)] + (try Self.dwell(north: 1400)) {
      reconstruction.take(fix, isCovered: false, motionBegan: nil, reach: 50)
    }
    #expect(!reconstruction.isPending && reconstruction.end() == nil)
  }
}
