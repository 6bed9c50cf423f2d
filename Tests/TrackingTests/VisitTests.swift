import Quantities
import Records
import Testing
import Tracking

@Suite struct VisitTests {
  static func settings() -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.visits = VisitRules()
    settings.decimation = Decimation(minTime: .seconds(60))
    return settings
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func aVisitIsReportedTwiceWithTheSameArrivalAndLocation(seed: UInt64) throws {
    let day = Journey(Self.settings(), seed: seed)
    day.go(2000, at: 12)
    let arrival = day.time
    day.stop(170)
    #expect(day.visits.isEmpty)
    day.stop(30)
    #expect(day.visits.count == 1)
    day.stop(3600)
    let departure = day.time
    day.go(2000, at: 12)
    #expect(day.visits.count == 2)
    let (first, second) = (try #require(day.visits.first), try #require(day.visits.last))
    #expect(first.arrival == second.arrival && first.coordinate == second.coordinate)
    #expect(first.departure == nil)
    let (arrived, left) = (try #require(first.arrival?.time), try #require(second.departure?.time))
    #expect(abs((arrived - arrival).inSeconds) <= 12)
    #expect(abs((left - departure).inSeconds) <= 15)
    #expect(first.horizontalAccuracyMillimetres == 4000 && first.device.deviceID == "van")
  }

  @Test func aReceiverThatSleepsTwoMinutesAfterTheArrivalDoesNotMissIt() throws {
    let day = Journey(Self.settings())
    day.go(2000, at: 12)
    let arrival = day.time
    day.stop(120)
    day.pass(70)
    #expect(day.visits.count == 1)
    let arrived = try #require(day.visits.first?.arrival?.time)
    #expect(abs((arrived - arrival).inSeconds) <= 12)
    // Hours later motion wakes the receiver.
    day.pass(5 * 3600)
    day.drill.handle(.motion(.walking))
    let departure = day.time
    day.dark(20, metres: 60)
    day.go(400, at: 1.5)
    #expect(day.visits.count == 2)
    let left = try #require(day.visits.last?.departure?.time)
    #expect(abs((left - departure).inSeconds) <= 2)
  }

  @Test func aRedLightAndAWalkAreNotVisits() {
    let day = Journey(Self.settings())
    for _ in 0..<5 {
      day.go(500, at: 12)
      day.stop(100)
    }
    day.go(3000, at: 1.4)
    #expect(day.visits.isEmpty)
  }

  @Test func oneWildFixIsNotADeparture() {
    let day = Journey(Self.settings())
    day.stop(600)
    let home = day.position
    for _ in 0..<5 {
      day.position = home.moved(east: 400, north: 0)
      day.stop(1)
      day.position = home
      day.stop(200)
    }
    #expect(day.visits.count == 1)
  }

  @Test func withLocationsOffVisitsContinue() {
    var settings = Self.settings()
    settings.keepsLocations = false
    let day = Journey(settings)
    day.go(2000, at: 12)
    day.stop(600)
    day.go(2000, at: 12)
    #expect(day.visits.count == 2 && day.points.isEmpty)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func arrivalsAndDeparturesAlternateOnAnyDay(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let day = Journey(Self.settings(), seed: seed)
    for _ in 0..<12 {
      day.stop(Int.random(in: 1...900, using: &random))
      day.go(
        Double.random(in: 1...2000, using: &random), at: Double.random(in: 0.5...30, using: &random),
        course: Double.random(in: 0..<360, using: &random))
      if Bool.random(using: &random) {
        day.dark(
          Int.random(in: 1...5000, using: &random), metres: Double.random(in: 0...5000, using: &random))
      }
    }
    #expect(day.visits.count > 2)
    for (index, visit) in day.visits.enumerated() {
      #expect((visit.departure == nil) == (index % 2 == 0))
      guard index % 2 == 1 else { continue }
      let (from, to) = (try #require(visit.arrival?.time), try #require(visit.departure?.time))
      #expect(visit.arrival == day.visits[index - 1].arrival && to >= from)
    }
  }
}
