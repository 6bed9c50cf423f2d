import DaySupport
import Quantities
import Records
import Settings
import Testing
import Scheduling
import Tracking

/// Days of a vehicle whose receiver sleeps while stationary.
@Suite struct VehicleDays {
  static let policies: [TrackingPolicy] = [.high, .within(metres: 20)]

  @Test(arguments: policies)
  func aColdStartInACarParkThenMotorwayLosesNoMoreThanTheColdStart(_ policy: TrackingPolicy) throws {
    let day = TrackedDay(TrackedDay.settings(policy))
    let boot = day.time
    day.drive(300, at: 5, course: 0)
    day.drive(20_000, at: 33)
    let arrival = (day.time, day.now)
    day.stop(.seconds(1800))
    #expect(isNear(day.points.first?.time, boot, within: 45))
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect(isNear(trip.start.time, boot, within: 60))
    #expect(isNear(trip.end.time, arrival.0, within: 15))
    #expect((19_700...20_400).contains(trip.distanceMillimetres / 1000))
    // On during the whole drive, and asleep soon after it.
    #expect(day.onShare(from: arrival.1 + .seconds(120), to: day.now) < 0.1)
    #expect(day.unexplainedPauses(over: .seconds(200)).isEmpty)
  }

  @Test(arguments: policies)
  func aTunnelIsAGapAndDoesNotEndTheTrip(_ policy: TrackingPolicy) throws {
    let day = TrackedDay(TrackedDay.settings(policy))
    day.stop(.seconds(1800))
    day.drive(8000, at: 25)
    let mouth = (day.time, day.now)
    day.hasReception = false
    day.drive(4000, at: 20)
    day.hasReception = true
    let exit = (day.time, day.now)
    day.drive(8000, at: 25)
    day.stop(.seconds(1800))
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && day.events(.tripStarted).count == 1)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - day.distance) < 0.02 * day.distance)
    #expect(!day.points.contains { $0.time > mouth.0 + .seconds(2) && $0.time <= exit.0 })
    #expect(isNear(day.points.first { $0.time > exit.0 }?.time, exit.0, within: 30))
    // Searches, but not without end.
    #expect((0.1...0.7).contains(day.onShare(from: mouth.1, to: exit.1)))
    #expect(day.unexplainedPauses(over: .seconds(185)).isEmpty)
    // Home and the destination, and nothing in between.
    #expect(day.visits.filter { $0.departure == nil }.count == 2)
  }

  @Test func aTrafficJamOfFortyMinutesIsNeitherAnEndNorAVisit() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    let start = day.time
    day.drive(5000, at: 20)
    let jam = day.now
    for _ in 0..<6 {
      day.wait(.seconds(385))
      day.drive(30, at: 2)
    }
    let end = day.now
    day.drive(5000, at: 20)
    let arrival = day.time
    day.stop(.seconds(1800))
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect(isNear(trip.start.time, start, within: 20) && isNear(trip.end.time, arrival, within: 15))
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - day.distance) < 0.03 * day.distance)
    #expect(day.visits.filter { $0.departure == nil }.count == 2)
    #expect(day.onShare(from: jam, to: end) < 0.5)
  }

  @Test func aPetrolStopOfFourMinutesIsOneTrip() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(8000, at: 20)
    let pump = (day.position, day.time)
    day.stop(.seconds(240))
    day.drive(8000, at: 20)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(day.trips.first?.ending == .stop)
    #expect(
      abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - day.distance) < 0.02 * day.distance)
    // The pump is recorded.
    #expect(
      day.points.contains {
        isNear($0.time, pump.1, within: 20) && $0.location.coordinate.distance(to: pump.0) < 15
      })
    #expect(day.wrongPower(stationary: 60..<500, ofMotion: 0.99...1, starts: 1...9).isEmpty)
  }

  @Test func aStopOfTenMinutesSplitsTheTripAndIsReportedAsAVisitMeanwhile() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(8000, at: 20)
    let arrival = (day.time, day.now)
    day.stop(.seconds(600))
    let departure = (day.time, day.now)
    #expect(day.trips.count == 1, "ended before the next began")
    day.drive(8000, at: 20)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 2)
    #expect(isNear(day.trips.first?.end.time, arrival.0, within: 15))
    #expect(isNear(day.trips.last?.start.time, departure.0, within: 20))
    let stop = try #require(day.visits.first { isNear($0.arrival?.time, arrival.0, within: 20) })
    #expect(stop.departure == nil)
    #expect(day.reportedArrivals.contains { $0 > arrival.1 && $0 < arrival.1 + .seconds(240) })
    let left = day.visits.first { $0.arrival == stop.arrival && $0.departure != nil }
    #expect(isNear(left?.departure?.time, departure.0, within: 20))
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0.99...1, starts: 1...9).isEmpty)
  }

  @Test func aDriveOfThreeHundredMetresIsRecordedButIsNoTrip() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    let before = day.points.count
    let departure = day.time
    day.drive(290, at: 8)
    let school = day.position
    day.stop(.seconds(1800))
    #expect(day.trips.isEmpty)
    #expect(day.points.count >= before + 20)
    #expect(isNear(day.points.dropFirst(before).first?.time, departure, within: 15))
    #expect(day.points.last.map { $0.location.coordinate.distance(to: school) < 15 } == true)
    #expect(day.events(.tripStarted).count == day.events(.tripEnded).count)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.9...1, starts: 1...7).isEmpty)
  }

  @Test func aSmoothElectricCarIsDetectedByTheNextPositionCheckAndNotLostAgain() throws {
    let day = TrackedDay()
    day.stop(.seconds(600))
    day.isSmooth = true
    let departure = day.time
    day.drive(40_000, at: 20)
    let arrival = day.time
    day.stop(.seconds(3600))
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect(trip.start.time.map { $0 - departure <= .seconds(930) } == true)
    #expect(isNear(trip.end.time, arrival, within: 15))
    let found = try #require(trip.start.time)
    let after = day.points.filter { $0.time >= found && $0.time <= arrival }
    #expect(Double(after.count) > 0.95 * (arrival - found).inSeconds)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0.5...1, starts: 1...9).isEmpty)
  }

  @Test func aSilentAccelerometerOnAMotorwayIsNotAStop() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(5000, at: 20)
    day.handle(.evidence(.accelerometer, isActive: false))
    day.handle(.motion(.stationary))
    day.isSmooth = true
    let silent = day.now
    day.drive(60_000, at: 36)
    #expect(day.onShare(from: silent, to: day.now) > 0.99)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(
      abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - day.distance) < 0.01 * day.distance)
  }

  @Test func aFerryWithTheEngineOffIsMovementAndNotAJump() throws {
    let day = TrackedDay(fitting: .init(hasIgnition: true))
    day.stop(.seconds(1800))
    day.drive(5000, at: 15)
    day.stop(.seconds(300))
    let quay = day.time
    day.travel(30_000, at: 8, course: 0, as: nil)
    let landing = day.time
    day.stop(.seconds(120))
    day.drive(5000, at: 15)
    day.stop(.seconds(1800))
    let crossing = day.points.filter { $0.time > quay && $0.time < landing }
    #expect(crossing.first.map { $0.time - quay <= .seconds(930) } == true)
    #expect(crossing.count > 2500)
    // The ignition shows which trips are the vehicle's own.
    #expect(day.trips.count == 2)
    #expect(day.trips.allSatisfy { (4_500...5_500).contains($0.distanceMillimetres / 1000) })
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0.7...1, starts: 1...12).isEmpty)
  }

  @Test func aTrainUnderOverheadWiresIsOneTripOfTheRightLength() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    (day.accuracy, day.error) = (40, 20)
    for _ in 0..<20 {
      day.drive(3000, at: 50)
      day.hasReception = false
      day.drive(1250, at: 50)
      day.hasReception = true
    }
    (day.accuracy, day.error) = (3, 2)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(day.tracker.fixes.rejections.totals[.impossibleSpeed] == nil)
    #expect(
      abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - day.distance) < 0.04 * day.distance)
    #expect(day.wrongPower(stationary: 60..<500, ofMotion: 0.7...1, starts: 1...30).isEmpty)
  }

  @Test func aTowTruckRaisesAnAlarmAndItsTrackIsRecorded() throws {
    var settings = TrackedDay.settings()
    settings.parking = ParkingRules()
    let day = TrackedDay(settings, fitting: .init(hasIgnition: true))
    day.stop(.seconds(600))
    day.drive(3000, at: 12)
    day.stop(.seconds(3600))
    let taken = day.now
    day.handle(.evidence(.accelerometer, isActive: true))
    day.handle(.motion(.driving))
    day.travel(8000, at: 14, course: 0, as: nil)
    let alarm = day.records.first {
      if case .event(let event) = $0.body { event.kind == .parkingMoved } else { false }
    }
    #expect(alarm.map { $0.moment - taken < .seconds(60) } == true)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1, "the vehicle's own")
    #expect(day.points.last.map { $0.location.coordinate.distance(to: day.position) < 20 } == true)
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0.95...1, starts: 1...12).isEmpty)
  }

  /// Ten red lights of half a minute on a drive through town.
  @Test(arguments: policies)
  func aRedLightIsAnArrivalOnlyForAnUnknownActivity(_ policy: TrackingPolicy) {
    var arrivals: [ActivityType: Int] = [:]
    for activity in [ActivityType.other, .car] {
      var own = policy
      own.motion = MotionRules(activity)
      own.pauseDelay = own.motion.pauseDelay
      let day = TrackedDay(TrackedDay.settings(own))
      day.stop(.seconds(1800))
      let orders = day.actions.count
      for _ in 0..<10 {
        day.drive(600, at: 12)
        day.wait(.seconds(30))
      }
      day.drive(600, at: 12)
      arrivals[activity] = day.actions[orders...].count {
        if case .keep(let record, _) = $0, case .location(let position) = record.body {
          position.reasons.contains(.transition)
        } else {
          false
        }
      }
      day.stop(.seconds(1800))
      #expect(day.trips.count == 1 && !day.receiver.state.isPowered)
    }
    #expect(arrivals[.car, default: 99] + 5 < arrivals[.other, default: 0], "\(arrivals)")
  }

  @Test func aCarParkedWithTheIgnitionOffIsAsleepWithoutALongerDelay() {
    for (hasIgnition, limit) in [(true, 30), (false, 75)] {
      var policy = TrackingPolicy.high
      policy.motion = MotionRules(.car)
      let day = TrackedDay(TrackedDay.settings(policy), fitting: .init(hasIgnition: hasIgnition))
      day.stop(.seconds(1800))
      day.drive(6000, at: 15)
      day.stop(.seconds(Int64(limit)))
      #expect(!day.receiver.state.isPowered, "\(hasIgnition)")
      day.stop(.seconds(600))
    }
  }
}
