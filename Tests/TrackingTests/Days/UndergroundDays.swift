import DaySupport
import Energy
import Quantities
import Records
import Testing
import Scheduling

/// Days without reception.
@Suite struct UndergroundDays {
  @Test(arguments: [TrackingPolicy.high, .within(metres: 20)])
  func aNightUnderADeckIsCheapAndTheDepartureIsRecorded(_ policy: TrackingPolicy) throws {
    let day = TrackedDay(TrackedDay.settings(policy))
    day.stop(.seconds(1800))
    day.drive(6000, at: 15)
    let ramp = day.time
    day.hasReception = false
    day.drive(60, at: 3)
    let evening = day.now
    day.stop(.seconds(10 * 3600))
    let morning = day.now
    day.drive(90, at: 3)
    day.hasReception = true
    let exit = day.time
    day.drive(8000, at: 12, course: 180)
    let arrival = day.time
    day.stop(.seconds(1800))
    #expect(day.onTime(from: evening, to: morning) < .seconds(2400))
    #expect(day.trips.count == 2)
    #expect(isNear(day.trips.first?.end.time, ramp, within: 15))
    // A warm start takes half a minute, and may have to start again.
    #expect(isNear(day.points.first { $0.time > exit }?.time, exit, within: 90))
    #expect(isNear(day.trips.last?.start.time, exit, within: 100))
    #expect(isNear(day.trips.last?.end.time, arrival, within: 15))
    #expect(day.events(.receiverAsleep).contains { $0.fields.text(.cause) == "no_reception" })
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<3000, ofMotion: 0.05...1, starts: 1...400).isEmpty)
  }

  @Test(arguments: [TrackingPolicy.high, .within(metres: 20)])
  func aDriveAfterANightWithReceptionIsRecordedFromItsFirstMinute(_ policy: TrackingPolicy) throws {
    let day = TrackedDay(TrackedDay.settings(policy))
    day.stop(.seconds(12 * 3600))
    let departure = day.time
    day.drive(12_000, at: 15)
    let arrival = day.time
    day.stop(.seconds(1800))
    #expect(isNear(day.points.first { $0.time > departure + .seconds(10) }?.time, departure, within: 60))
    #expect(day.trips.count == 1)
    #expect(isNear(day.trips.first?.start.time, departure, within: 60))
    #expect(isNear(day.trips.first?.end.time, arrival, within: 15))
    #expect((11_000...12_200).contains((day.trips.first?.distanceMillimetres ?? 0) / 1000))
    #expect(day.wrongPower(stationary: 60..<1500, ofMotion: 0.05...1, starts: 1...400).isEmpty)
  }

  @Test func aDayIndoorsEndsWithAFullBattery() throws {
    let day = TrackedDay()
    day.hasReception = false
    for _ in 0..<8 {
      day.stop(.seconds(3 * 3600 - 60))
      day.shake(60, as: .walking)
    }
    #expect(day.points.isEmpty)
    let charge = day.intervals.charge(at: .neoM8N).milliampereHours
    #expect(charge < 40)
    #expect(day.events(.receiverAsleep).contains { $0.fields.text(.cause) == "no_reception" })
  }

  @Test func theDepartureFromAHallWithoutReceptionIsDetected() throws {
    let day = TrackedDay()
    day.hasReception = false
    day.stop(.seconds(6 * 3600))
    day.walk(100)
    day.hasReception = true
    let out = day.time
    day.walk(900)
    #expect(isNear(day.points.first?.time, out, within: 180))
    day.stop(.seconds(1800))
    #expect(day.points.last.map { $0.location.coordinate.distance(to: day.position) < 20 } == true)
    #expect(day.wrongPower(stationary: 60..<2400, ofMotion: 0.3...1, starts: 2...40).isEmpty)
  }
}
