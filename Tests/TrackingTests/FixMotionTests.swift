import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Tracking

/// Motion and stops by fixes alone, and the clock without the receiver.
@Suite struct FixMotionTests {
  private func reported(_ journey: Journey) -> [EventRecord] {
    journey.drill.events.filter { [.motionBegan, .motionEnded].contains($0.kind) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64], [1, 15])
  func withoutAnAccelerometerFixesReportMotionAndStops(seed: UInt64, spacing: Int) throws {
    let journey = Journey(TrackerSettings(deviceID: "van"), seed: seed)
    journey.spacing = spacing
    journey.stop(600)
    #expect(reported(journey).isEmpty)
    journey.go(6000, at: 12)
    // Traffic lights.
    journey.stop(90)
    journey.go(6000, at: 12)
    #expect(reported(journey).map(\.kind) == [.motionBegan])
    journey.stop(1800)
    let events = reported(journey)
    #expect(events.map(\.kind) == [.motionBegan, .motionEnded])
    let seconds = try #require(events.last?.value)
    #expect((1000...1200).contains(seconds))
    // Walking speed.
    journey.go(300, at: 1.3)
    journey.stop(300)
    #expect(reported(journey).count == 4)
  }

  @Test func withAnAccelerometerFixesReportNoMotion() {
    let journey = Journey(TrackerSettings(deviceID: "van"))
    journey.drill.handle(.evidence(.accelerometer, isActive: false))
    journey.stop(60)
    journey.go(2000, at: 12)
    journey.stop(600)
    #expect(reported(journey).isEmpty)
    journey.drill.handle(.evidenceLost(.accelerometer))
    journey.go(2000, at: 12)
    #expect(reported(journey).map(\.kind) == [.motionBegan])
  }

  /// The sensor reported first, and was lost during the movement.
  @Test func motionWithoutALoggedBeginningHasNoLoggedEnd() {
    let journey = Journey(TrackerSettings(deviceID: "van"))
    journey.drill.handle(.evidence(.accelerometer, isActive: false))
    journey.stop(60)
    journey.drill.handle(.evidence(.accelerometer, isActive: true))
    journey.go(2000, at: 12)
    journey.drill.handle(.evidenceLost(.accelerometer))
    journey.go(2000, at: 12)
    journey.stop(600)
    #expect(reported(journey).isEmpty)
    journey.go(2000, at: 12)
    // The sensor is back: the motion that was logged ends nevertheless.
    journey.drill.handle(.evidence(.accelerometer, isActive: true))
    journey.stop(600)
    #expect(reported(journey).map(\.kind) == [.motionBegan, .motionEnded])
  }

  @Test(arguments: [true, false])
  func motionInterruptedByARestartEndsAfterIt(isReported: Bool) throws {
    let journey = Journey(TrackerSettings(deviceID: "van"))
    journey.stop(60)
    journey.go(6000, at: 12)
    if isReported { journey.drill.handle(.stopping) }
    #expect(reported(journey).map(\.kind) == [.motionBegan])
    let next = try StateTests.restart(journey)
    next.stop(600)
    #expect(reported(next).map(\.kind) == [.motionEnded])
    let seconds = try #require(reported(next).last?.value)
    #expect(isReported ? (480...510).contains(seconds) : (0...60).contains(seconds), "\(seconds) s")
    let third = try StateTests.restart(next)
    third.stop(600)
    #expect(reported(third).isEmpty)
  }

  @Test func ignitionOffEndsMotionImmediatelyUnlessTheVehicleStillRolls() {
    let journey = Journey(TrackerSettings(deviceID: "van"))
    journey.drill.handle(.ignition(true))
    journey.stop(30)
    journey.go(2000, at: 12)
    journey.drill.handle(.ignition(false))
    #expect(reported(journey).map(\.kind) == [.motionBegan])
    journey.drill.handle(.ignition(true))
    journey.stop(5)
    journey.drill.handle(.ignition(false))
    #expect(reported(journey).map(\.kind) == [.motionBegan, .motionEnded])
  }

  @Test func oneWildFixIsNotMotion() throws {
    var watch = FixMotionWatch()
    let home = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    func observation(_ metres: Double, _ second: Int64) -> Observation {
      var observation = Observation(
        timestamp: nil, moment: .zero + .seconds(second), coordinate: home.moved(east: metres, north: 0))
      observation.accuracy = 5
      return observation
    }
    var began: [Int64] = []
    for (second, metres) in [0, 3, 200, 2, 1, 36, 4, 200, 230].enumerated() {
      let second = Int64(second)
      if watch.take(observation(Double(metres), second), now: .zero + .seconds(second)) == .began {
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
    let journey = Journey(settings, from: home)
    journey.stop(60)
    journey.go(2000, at: 12)
    journey.stop(600)
    #expect(reported(journey).isEmpty)
    journey.go(4000, at: 12)
    #expect(reported(journey).map(\.kind) == [.motionBegan])
    journey.go(4000, at: 12, course: 270)
    journey.stop(600)
    #expect(reported(journey).map(\.kind) == [.motionBegan])
  }

  // MARK: The clock

  private func clock(_ drill: Drill) -> [EventRecord] {
    drill.events.filter { [.clockLost, .clockSourceChanged].contains($0.kind) }
  }

  @Test func aLostClockSourceIsLoggedOnceAndSoIsItsReturn() {
    let drill = Drill()
    drill.handle(Fix.series([0, 1000, 2000]))
    drill.wait(.seconds(86_300))
    drill.handle(.occurred(EventRecord(.gaugeLost)))
    #expect(clock(drill).isEmpty)
    drill.wait(.seconds(200))
    // Neither an undated fix nor anything else confirms the clock.
    drill.handle(.occurred(EventRecord(.gaugeLost)))
    drill.handle([Fix(Fix.start + .seconds(86_505)).undated])
    drill.handle(.occurred(EventRecord(.gaugeReturned)))
    #expect(clock(drill).map(\.kind) == [.clockLost])
    #expect(clock(drill).first?.value == 86_501)
    // It was 2 s slow.
    drill.handle([Fix(Fix.start + .seconds(86_508)), Fix(Fix.start + .seconds(86_509))])
    #expect(clock(drill).map(\.kind) == [.clockLost, .clockSourceChanged])
    drill.wait(.seconds(3600))
    drill.handle(.occurred(EventRecord(.gaugeLost)))
    #expect(clock(drill).count == 2)
  }

  @Test func aSleepOfADayWithoutDatingLosesNothing() {
    let drill = Drill()
    drill.handle(Fix.series([0, 1000]))
    drill.now = drill.now + .seconds(100_000)
    drill.handle([Fix(Fix.start + .seconds(100_002))])
    #expect(clock(drill).isEmpty)
  }

  @Test func withoutAnyDateNoClockIsLost() {
    let drill = Drill()
    drill.handle([Fix(Fix.start).undated])
    drill.now = drill.now + .seconds(200_000)
    drill.handle(.occurred(EventRecord(.gaugeLost)))
    #expect(clock(drill).isEmpty)
  }
}
