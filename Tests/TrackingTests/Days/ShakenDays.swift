import DaySupport
import Energy
import Quantities
import Records
import Testing
import Tracking

/// Days with shaking but without departure.
@Suite struct ShakenDays {
  @Test func doorsAndGustsCauseNoTripNoDepartureAndNoTrack() {
    var settings = TrackedDay.settings()
    settings.parking = ParkingRules()
    let day = TrackedDay(settings)
    day.stop(.seconds(1800))
    let before = day.points.count
    let start = day.now
    for number in 0..<40 {
      day.shake(number % 3 + 2, as: number % 2 == 0 ? .driving : .walking)
      day.stop(.seconds(600))
    }
    #expect(day.trips.isEmpty && day.events(.tripStarted).isEmpty && day.events(.parkingMoved).isEmpty)
    #expect(day.visits.count == 1)
    #expect(day.points.count <= before + 4)
    #expect(day.onShare(from: start, to: day.now) < 0.03)
  }

  @Test func aDayOnASwayingMastCostsLittle() {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    let start = day.now
    for _ in 0..<360 {
      day.shake(4)
      day.stop(.seconds(116))
    }
    #expect(day.onShare(from: start, to: day.now) < 0.03)
    #expect(day.trips.isEmpty && day.visits.count == 1)
  }

  /// A person gets in, tidies up for two minutes and leaves again.
  @Test func cleaningTheVehicleIsNotATrip() {
    let day = TrackedDay()
    day.stop(.seconds(3600))
    day.shake(120, as: .walking)
    day.stop(.seconds(3600))
    #expect(day.trips.isEmpty && day.visits.count == 1)
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0...1, starts: 1...14).isEmpty)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func aNightBesideTallGlassIsOneLocation(seed: UInt64) {
    let day = TrackedDay(seed: seed)
    (day.accuracy, day.error) = (20, 18)
    day.drive(3000, at: 12)
    let arrival = day.now
    let before = day.points.count
    day.stop(.seconds(12 * 3600))
    #expect(day.trips.count == 1)
    #expect((2400...3200).contains((day.trips.first?.distanceMillimetres ?? 0) / 1000))
    #expect(day.visits.count == 1)
    #expect(day.points.count <= before + 10)
    #expect(day.onShare(from: arrival, to: day.now) < 0.03)
  }

  @Test func aWildFixAtAPositionCheckIsNoTripAndNoDeparture() {
    let day = TrackedDay()
    day.stop(.seconds(1000))
    var count = 0
    day.alterFix = { fix in
      guard let latitude = fix.latitude else { return fix }
      count += 1
      guard count == 1 else { return fix }
      var fix = fix
      fix.latitude = latitude + 0.02
      fix.horizontalAccuracy = 8
      return fix
    }
    day.stop(.seconds(4 * 3600))
    #expect(count > 1)
    #expect(day.trips.isEmpty && day.visits.count == 1)
    #expect(day.points.last.map { $0.location.coordinate.distance(to: day.position) < 20 } == true)
    #expect(day.wrongPower(stationary: 60..<900, ofMotion: 0...1, starts: 4...30).isEmpty)
  }
}
