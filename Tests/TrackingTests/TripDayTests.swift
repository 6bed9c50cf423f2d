import Quantities
import Records
import Testing
@testable import Tracking

/// Difficult days on a simulated clock.
@Suite struct TripDayTests {
  private func seconds(_ a: Timestamp?, _ b: Timestamp) -> Double {
    a.map { abs(($0 - b).inSeconds) } ?? .infinity
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func aColdStartInACarParkThenMotorwayBeginsWithTheFirstFix(seed: UInt64) throws {
    let day = Journey(Journey.settings, seed: seed)
    day.dark(40)
    let start = day.time
    day.go(300, at: 5, course: 0)
    day.go(20_000, at: 33)
    let arrival = day.time
    day.stop(1200)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect(seconds(trip.start.time, start) <= 10)
    #expect(seconds(trip.end.time, arrival) <= 10)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - 20_300) < 200)
    #expect(trip.ending == .stop && !trip.isManual && trip.mode == .car)
    #expect(trip.startLocation.map { seconds($0.time.time, start) <= 20 } == true)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func theFirstKilometresAreRecordedDespiteTheStopProfile(seed: UInt64) throws {
    let day = Journey(Journey.settings, seed: seed)
    day.stop(1800)
    let departure = day.time
    day.go(150, at: 3, course: 0)
    day.go(3000, at: 12)
    let arrival = day.time
    day.stop(900)
    let trip = try #require(day.trips.first)
    #expect(seconds(trip.start.time, departure) <= 15)
    #expect(seconds(trip.end.time, arrival) <= 15)
    // Fixes of the first leg that no rule had selected.
    let first = day.points.filter { $0.location.reasons.contains(.beginning) }
    #expect(first.count >= 10)
    #expect(first.first.map { seconds($0.time, departure) <= 15 } == true)
    #expect(day.points.map(\.time) == day.points.map(\.time).sorted())
    #expect(Set(day.points.compactMap(\.location.trip)) == [trip.start])
    #expect(day.events(.tripStarted).count == 1 && day.events(.tripEnded).count == 1)
    // The last leg is not missing.
    let last = try #require(day.points.last { $0.time <= arrival + .seconds(120) })
    #expect(last.location.coordinate.distance(to: day.position) < 20)
  }

  /// A stop that is too short to end a trip does not begin one either.
  @Test func aWalkWithPausesIsATripFromItsStart() throws {
    let day = Journey(Journey.settings)
    day.stop(900)
    let departure = day.time
    for _ in 0..<8 {
      day.go(120, at: 1.2)
      day.stop(90)
    }
    day.stop(900)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect(seconds(trip.start.time, departure) <= 45)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - 960) < 100)
  }

  /// No stop ends the movement around the house, and no distance shows that a trip has begun.
  @Test(arguments: [700, 3 * 3600])
  func aLongMovementNearTheStartBelongsToItsTrip(lasting: Int) throws {
    var settings = Journey.settings
    settings.keepsLocations = false
    let day = Journey(settings)
    day.stop(1800)
    let (departure, before) = (day.time, day.distance)
    day.go(120, at: 1.4, course: 0)
    var most = 0
    for leg in 0..<(lasting / 10) {
      day.go(14, at: 1.4, course: 90 + Double(leg) * 14 / 120 * 180 / .pi)
      most = max(most, day.drill.tracker.places.trips.ring.buffered.count)
    }
    #expect(day.trips.isEmpty && day.points.isEmpty && most <= FixRing.capacity, "\(most)")
    let driving = day.time
    day.go(5000, at: 12, course: 0)
    let distance = day.distance - before
    let arrival = day.time
    day.stop(900)
    #expect(day.trips.count == 1)
    let trip = try #require(day.trips.first)
    #expect(seconds(trip.start.time, departure) <= 40 && seconds(trip.end.time, arrival) <= 15)
    #expect(day.points.first.map { seconds($0.time, departure) <= 40 } == true)
    #expect(day.points.map(\.time) == day.points.map(\.time).sorted())
    let beginning = day.points.count { $0.time <= driving }
    #expect((150...FixRing.capacity).contains(beginning), "\(beginning)")
    let reported = Double(trip.distanceMillimetres) / 1000
    #expect(abs(reported - distance) < 0.05 * distance, "\(reported) m of \(distance) m")
  }

  @Test func afterATripEndedByHandTheNextBeginsAtTheNextStop() throws {
    let day = Journey(Journey.settings)
    day.stop(900)
    day.go(3000, at: 12)
    day.drill.handle(.trip(.stop))
    day.go(3000, at: 12)
    day.stop(120)
    day.go(100, at: 1.5)
    day.stop(120)
    let departure = day.time
    day.go(3000, at: 12)
    day.stop(900)
    #expect(day.trips.count == 2)
    let last = try #require(day.trips.last)
    #expect(seconds(last.start.time, departure) <= 300)
  }

  @Test func aTunnelOfFourKilometresIsOneTripOfTheRightLength() throws {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(5000, at: 25)
    day.dark(160, metres: 4000)
    day.go(5000, at: 25)
    day.stop(600)
    #expect(day.trips.count == 1)
    let metres = Double(try #require(day.trips.first).distanceMillimetres) / 1000
    #expect(abs(metres - 14_000) < 280)
    #expect(day.events(.gap).isEmpty)
  }

  @Test func undergroundParkingOvernightEndsTheTripAtTheLastGoodPoint() throws {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(5000, at: 15)
    let ramp = day.time
    day.dark(36_000, metres: 60)
    #expect(day.trips.count == 1)
    let morning = day.time
    day.go(4000, at: 12, course: 180)
    day.stop(600)
    #expect(day.trips.count == 2)
    #expect(day.trips.first?.ending == .noFix)
    #expect(seconds(day.trips.first?.end.time, ramp) <= 2)
    #expect(seconds(day.trips.last?.start.time, morning) <= 15)
    #expect(day.events(.gap).isEmpty)
  }

  @Test func aFerryWithTheEngineOffContinuesTheTrip() throws {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.drill.handle(.ignition(true))
    day.go(3000, at: 12)
    day.drill.handle(.ignition(false))
    day.go(20_000, at: 8, course: 0)
    day.drill.handle(.ignition(true))
    day.go(3000, at: 12)
    day.drill.handle(.ignition(false))
    day.stop(600)
    #expect(day.trips.count == 1)
    #expect(abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - 26_000) < 520)
  }

  /// A line that reports off prevents trips; one that cannot be read does not.
  @Test func aBrokenIgnitionWireDoesNotPreventTrips() throws {
    let day = Journey(Journey.settings)
    day.drill.handle(.ignition(false))
    day.stop(600)
    day.drill.handle(.ignition(nil))
    day.go(3000, at: 12)
    day.stop(600)
    #expect(day.trips.count == 1)
  }

  @Test func aTrainUnderOverheadWiresIsRecorded() throws {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.accuracy = 60
    day.error = 35
    for _ in 0..<20 {
      day.go(3000, at: 55)
      day.dark(25, metres: 25 * 55)
    }
    day.accuracy = 5
    day.error = 3
    day.stop(900)
    #expect(day.trips.count == 1)
    #expect(day.drill.tracker.fixes.rejections.totals[.impossibleSpeed] == nil)
    let metres = Double(try #require(day.trips.first).distanceMillimetres) / 1000
    #expect(abs(metres - 87_500) < 2600)
  }

  @Test func aTrafficJamOfFortyMinutesDoesNotSplitTheTrip() {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.drill.handle(.motion(.driving))
    day.go(5000, at: 20)
    for _ in 0..<6 {
      day.stop(380)
      day.go(30, at: 2)
    }
    day.go(5000, at: 20)
    day.drill.handle(.motion(.stationary))
    day.stop(600)
    #expect(day.trips.count == 1)
    #expect(day.visits.filter { $0.departure == nil }.count == 2)
  }

  @Test func aPetrolStopOfFourMinutesDoesNotSplitTheTrip() {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(8000, at: 20)
    day.stop(240)
    day.go(8000, at: 20)
    day.stop(600)
    #expect(day.trips.count == 1)
  }

  @Test func aStopOfTenMinutesSplitsTheTrip() {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(8000, at: 20)
    day.stop(600)
    day.go(8000, at: 20)
    day.stop(600)
    #expect(day.trips.count == 2)
    #expect(Set(day.points.compactMap(\.location.trip)).count == 2)
  }

  @Test func aDriveOfThreeHundredMetresKeepsItsLocationsButIsNoTrip() {
    let day = Journey(Journey.settings)
    day.stop(600)
    let before = day.points.count
    day.go(290, at: 8)
    day.stop(600)
    #expect(day.trips.isEmpty)
    #expect(day.points.count >= before + 3)
    #expect(day.points.last.map { $0.location.coordinate.distance(to: day.position) < 20 } == true)
  }

  @Test func aSmoothRideWithASilentAccelerometerIsNotAStop() {
    let day = Journey(Journey.settings)
    day.drill.handle(.motion(.stationary))
    day.stop(600)
    day.go(60_000, at: 36)
    day.stop(600)
    #expect(day.trips.count == 1)
    #expect(abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - 60_000) < 600)
  }

  @Test func doorSlamsAndWindAreNotADeparture() {
    var settings = Journey.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.drill.handle(.motion(.stationary))
    day.stop(1200)
    for number in 0..<60 {
      day.drill.handle(.motion(number % 2 == 0 ? .driving : .walking))
      day.stop(4)
      day.drill.handle(.motion(.stationary))
      day.stop(120)
    }
    #expect(day.trips.isEmpty && day.events(.tripStarted).isEmpty && day.events(.parkingMoved).isEmpty)
    #expect(day.visits.count == 1)
    #expect(day.points.count < 12)
  }

  @Test func aTowTruckRaisesAnAlarmAndIsNotATripOfTheVehicle() {
    var settings = Journey.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.drill.handle(.ignition(true))
    day.go(3000, at: 12)
    day.drill.handle(.ignition(false))
    day.stop(1800)
    day.go(8000, at: 14)
    day.stop(900)
    #expect(day.trips.count == 1)
    #expect(day.events(.parkingMoved).count == 1)
  }

  @Test func aVehicleLoadedIntoATruckIsDetectedByItsMotion() {
    var settings = Journey.settings
    settings.parking = ParkingRules()
    let day = Journey(settings)
    day.drill.handle(.motion(.stationary))
    day.stop(900)
    day.drill.handle(.motion(.driving))
    day.dark(900, metres: 9000)
    #expect(day.events(.parkingMoved).map(\.value) == [nil])
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func aNightBesideTallGlassAddsNothing(seed: UInt64) {
    let day = Journey(Journey.settings, seed: seed)
    day.accuracy = 20
    day.error = 18
    day.stop(4 * 3600)
    #expect(day.trips.isEmpty && day.events(.tripStarted).isEmpty)
    #expect(day.visits.count == 1)
    #expect(day.drill.tracker.places.lifetime.millimetres < 300_000)
  }

  @Test func aParkedVehicleRemainsParkedInTheRecords() throws {
    var settings = Journey.settings
    settings.freezesWhenParked = true
    settings.quietSpeed = 0.5
    settings.profiles[.stop] = AcquisitionRules(minPeriod: .seconds(30))
    let day = Journey(settings)
    day.error = 8
    day.go(3000, at: 12)
    day.stop(120)
    let parked = day.points.count
    day.stop(3600)
    let positions = Set(day.points[parked...].map(\.location.coordinate))
    #expect(positions.count == 1 && day.points.count > parked + 100)
    #expect(try #require(positions.first).distance(to: day.position) < 20)
    #expect(
      day.points[parked...].allSatisfy {
        $0.location.speedMillimetresPerSecond == 0 && $0.location.courseMillidegrees == nil
      })
    day.go(2000, at: 12)
    #expect(day.points.last.map { $0.location.coordinate.distance(to: day.position) < 250 } == true)
  }

  @Test(arguments: [(0.0, 179.95), (52.0, 179.99), (-0.01, 0.05), (89.95, 20.0), (-89.97, -100.0)])
  func tripsCrossTheDateLineThePolesAndTheEquator(latitude: Double, longitude: Double) throws {
    let day = Journey(Journey.settings, from: Coordinate(latitude: latitude, longitude: longitude))
    day.stop(300)
    day.go(6000, at: 20, course: 45)
    day.go(6000, at: 20, course: 90)
    day.stop(600)
    #expect(day.trips.count == 1)
    #expect(abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - 12_000) < 240)
    #expect(day.visits.count == 3)
  }

  @Test func midnightDuringATripHasNoEffect() throws {
    let day = Journey(Journey.settings)
    day.time = try #require(Timestamp(iso8601: "2026-12-31T23:50:00Z"))
    day.stop(300)
    day.go(12_000, at: 15)
    day.stop(600)
    #expect(day.trips.count == 1)
    #expect(day.trips.first.map { (795_000...815_000).contains($0.durationMilliseconds) } == true)
  }

  @Test func aClockSetBackFourHoursDuringATripLosesNothing() {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(6000, at: 15)
    day.time = day.time + .seconds(-4 * 3600)
    day.go(6000, at: 15)
    day.stop(600)
    #expect(day.trips.count == 1 && day.events(.tripStarted).count == 1)
    #expect(day.trips.first.map { $0.durationMilliseconds >= 0 } == true)
    #expect(abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - 12_000) < 300)
  }

  @Test func aTripThatBeginsBeforeTheDateIsKnownIsDatedCompletely() throws {
    let day = Journey(Journey.settings)
    day.isUndated = true
    let start = day.time
    day.go(4000, at: 15)
    #expect(day.drill.tracker.places.trips.running?.start.isUndated == true)
    day.isUndated = false
    day.go(4000, at: 15)
    #expect(seconds(day.drill.tracker.places.trips.running?.start.time, start) <= 10)
    day.stop(600)
    let trip = try #require(day.trips.first)
    let offset = try #require(day.drill.offset)
    let identities = day.drill.locations.compactMap { record -> Timestamp? in
      guard case .location(let location) = record.body else { return nil }
      return location.trip?.dated(offsetMilliseconds: offset).time
    }
    let identity = try #require(trip.start.time)
    #expect(Set(identities) == [identity])
    #expect(trip.startLocation?.time.isUndated == false && trip.endLocation?.time.isUndated == false)
  }

  @Test func aGapOfHoursWithADisplacementIsLogged() {
    let day = Journey(Journey.settings)
    day.stop(300)
    day.go(5000, at: 20)
    day.dark(7200, metres: 90_000)
    day.go(5000, at: 20)
    day.stop(600)
    #expect(day.events(.gap).count == 1)
    #expect(day.events(.gap).first?.value.map { (7195...7205).contains($0) } == true)
    #expect(day.trips.count == 2)
    #expect(day.trips.map { $0.distanceMillimetres / 1_000_000 }.allSatisfy { (4...5).contains($0) })
  }
}
