import GNSS
import Quantities
import Records
import Testing

@testable import Tracking

/// Motion and stops by fixes alone, and the clock without the receiver.
@Suite struct UnderWayTests {
  private func told(_ journey: Journey) -> [EventRecord] {
    journey.drill.events.filter { [.motionBegan, .motionEnded].contains($0.kind) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64], [1, 15])
  func withoutAnAccelerometerFixesReportMotionAndStops(seed: UInt64, spacing: Int) throws {
    var journey = Journey(TrackerSettings(deviceID: "van"), seed: seed)
    journey.spacing = spacing
    journey.rest(600)
    #expect(told(journey).isEmpty)
    journey.go(6000, at: 12)
    // Traffic lights.
    journey.rest(90)
    journey.go(6000, at: 12)
    #expect(told(journey).map(\.kind) == [.motionBegan])
    journey.rest(1800)
    let events = told(journey)
    #expect(events.map(\.kind) == [.motionBegan, .motionEnded])
    let seconds = try #require(events.last?.value)
    #expect((1000...1200).contains(seconds))
    // Walking speed.
    journey.go(300, at: 1.3)
    journey.rest(300)
    #expect(told(journey).count == 4)
  }

  @Test func withAnAccelerometerFixesReportNoMotion() {
    var journey = Journey(TrackerSettings(deviceID: "van"))
    journey.drill.tell(.evidence(.accelerometer, isActive: false))
    journey.rest(60)
    journey.go(2000, at: 12)
    journey.rest(600)
    #expect(told(journey).isEmpty)
    journey.drill.tell(.evidenceLost(.accelerometer))
    journey.go(2000, at: 12)
    #expect(told(journey).map(\.kind) == [.motionBegan])
  }

  /// The sensor reported first, and was lost during the movement.
  @Test func motionWithoutALoggedBeginningHasNoLoggedEnd() {
    var journey = Journey(TrackerSettings(deviceID: "van"))
    journey.drill.tell(.evidence(.accelerometer, isActive: false))
    journey.rest(60)
    journey.drill.tell(.evidence(.accelerometer, isActive: true))
    journey.go(2000, at: 12)
    journey.drill.tell(.evidenceLost(.accelerometer))
    journey.go(2000, at: 12)
    journey.rest(600)
    #expect(told(journey).isEmpty)
    journey.go(2000, at: 12)
    // The sensor is back: the motion that was logged ends nevertheless.
    journey.drill.tell(.evidence(.accelerometer, isActive: true))
    journey.rest(600)
    #expect(told(journey).map(\.kind) == [.motionBegan, .motionEnded])
  }

  @Test(arguments: [true, false])
  func motionInterruptedByARestartEndsAfterIt(isTold: Bool) throws {
    var journey = Journey(TrackerSettings(deviceID: "van"))
    journey.rest(60)
    journey.go(6000, at: 12)
    if isTold { journey.drill.tell(.stopping) }
    #expect(told(journey).map(\.kind) == [.motionBegan])
    var next = try StateTests.restart(journey)
    next.rest(600)
    #expect(told(next).map(\.kind) == [.motionEnded])
    let seconds = try #require(told(next).last?.value)
    #expect(isTold ? (480...510).contains(seconds) : (0...60).contains(seconds), "\(seconds) s")
    var third = try StateTests.restart(next)
    third.rest(600)
    #expect(told(third).isEmpty)
  }

  @Test func ignitionOffEndsMotionImmediatelyUnlessTheVehicleStillRolls() {
    var journey = Journey(TrackerSettings(deviceID: "van"))
    journey.drill.tell(.ignition(true))
    journey.rest(30)
    journey.go(2000, at: 12)
    journey.drill.tell(.ignition(false))
    #expect(told(journey).map(\.kind) == [.motionBegan])
    journey.drill.tell(.ignition(true))
    journey.rest(5)
    journey.drill.tell(.ignition(false))
    #expect(told(journey).map(\.kind) == [.motionBegan, .motionEnded])
  }

  @Test func oneWildFixIsNotMotion() throws {
    var watch = UnderWayWatch()
    let home = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    func sample(_ metres: Double, _ second: Int64) -> Sample {
      var sample = Sample(
        timestamp: nil, moment: .zero + .seconds(second), coordinate: home.moved(east: metres, north: 0))
      sample.accuracy = 5
      return sample
    }
    var began: [Int64] = []
    for (second, metres) in [0, 3, 200, 2, 1, 36, 4, 200, 230].enumerated() {
      let second = Int64(second)
      if watch.take(sample(Double(metres), second), now: .zero + .seconds(second)) == .began {
        began.append(second)
      }
    }
    #expect(began == [8], "at the second of two distant fixes")
  }

  @Test func motionInAPrivacyZoneIsNotReported() throws {
    var settings = TrackerSettings(deviceID: "van")
    let home = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    var zone = Zone("home", try #require(ZoneShape(centre: home, radius: 3000)))
    zone.isPrivate = true
    settings.zones = [zone]
    var journey = Journey(settings, from: home)
    journey.rest(60)
    journey.go(2000, at: 12)
    journey.rest(600)
    #expect(told(journey).isEmpty)
    journey.go(4000, at: 12)
    #expect(told(journey).map(\.kind) == [.motionBegan])
    journey.go(4000, at: 12, course: 270)
    journey.rest(600)
    #expect(told(journey).map(\.kind) == [.motionBegan])
  }

  // MARK: The clock

  private func clock(_ drill: Drill) -> [EventRecord] {
    drill.events.filter { [.clockLost, .clockSourceChanged].contains($0.kind) }
  }

  @Test func aLostClockSourceIsLoggedOnceAndSoIsItsReturn() {
    var drill = Drill()
    drill.tell(Fix.series([0, 1000, 2000]))
    drill.wait(.seconds(86_300))
    drill.tell(.occurred(EventRecord(.gaugeLost)))
    #expect(clock(drill).isEmpty)
    drill.wait(.seconds(200))
    // Neither an undated fix nor anything else confirms the clock.
    drill.tell(.occurred(EventRecord(.gaugeLost)))
    drill.tell([Fix(Fix.start + .seconds(86_505)).undated])
    drill.tell(.occurred(EventRecord(.gaugeReturned)))
    #expect(clock(drill).map(\.kind) == [.clockLost])
    #expect(clock(drill).first?.value == 86_501)
    // It was 2 s slow.
    drill.tell([Fix(Fix.start + .seconds(86_508)), Fix(Fix.start + .seconds(86_509))])
    #expect(clock(drill).map(\.kind) == [.clockLost, .clockSourceChanged])
    drill.wait(.seconds(3600))
    drill.tell(.occurred(EventRecord(.gaugeLost)))
    #expect(clock(drill).count == 2)
  }

  @Test func aSleepOfADayWithoutDatingLosesNothing() {
    var drill = Drill()
    drill.tell(Fix.series([0, 1000]))
    drill.now = drill.now + .seconds(100_000)
    drill.tell([Fix(Fix.start + .seconds(100_002))])
    #expect(clock(drill).isEmpty)
  }

  @Test func withoutAnyDateNoClockIsLost() {
    var drill = Drill()
    drill.tell([Fix(Fix.start).undated])
    drill.now = drill.now + .seconds(200_000)
    drill.tell(.occurred(EventRecord(.gaugeLost)))
    #expect(clock(drill).isEmpty)
  }
}
