import DaySupport
import Energy
import Quantities
import Records
import Testing
import Scheduling
import Tracking

/// The use of days, and devices without some of their parts.
@Suite struct PowerDays {
  @Test func aStationaryWinterMonthUsesLessThanATenthOfTheBattery() {
    let day = TrackedDay(at: "2026-12-01T06:00:00Z")
    for _ in 0..<30 { day.stop(.seconds(86_400)) }
    #expect(day.intervals.charge(at: .neoM8N).milliampereHours < 100)
    #expect(day.points.count < 40 && day.visits.count == 1)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
  }

  @Test func aDevicePoweredByTheIgnitionRecordsATripPerDrive() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(15_000, at: 15)
    let work = day.time
    day.stop(.seconds(10))
    let (distance, points) = (day.distance, day.points.count)
    day.cutPower(for: .seconds(9 * 3600))
    let evening = day.time
    day.drive(15_000, at: 15, course: 270)
    let home = day.time
    day.stop(.seconds(1800))
    #expect(day.trips.count == 2)
    let (out, back) = (try #require(day.trips.first), try #require(day.trips.last))
    #expect(isNear(out.end.time, work, within: 15))
    #expect(abs(Double(out.distanceMillimetres) / 1000 - distance) < 0.02 * distance)
    #expect(isNear(back.start.time, evening, within: 60) && isNear(back.end.time, home, within: 15))
    #expect(
      out.endLocation.map { $0.location.coordinate == day.points[points - 1].location.coordinate } == true)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.98...1, starts: 1...8).isEmpty)
  }

  @Test func powerCutsEveryThirtySecondsSplitNoTripAndRepeatNoLocation() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    let departure = day.time
    for _ in 0..<60 {
      day.drive(450, at: 15)
      day.cutPower(for: .seconds(2))
    }
    let arrival = day.time
    for _ in 0..<60 {
      day.stop(.seconds(30))
      day.cutPower(for: .seconds(2))
    }
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1 && day.events(.tripStarted).count == 1)
    let trip = try #require(day.trips.first)
    #expect(isNear(trip.start.time, departure, within: 60))
    #expect(trip.end.time.map { $0 - arrival >= .seconds(-60) } == true)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - day.distance) < 0.1 * day.distance)
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(abs(Double(day.tracker.places.lifetime.millimetres) / 1000 - day.distance) < 0.1 * day.distance)
    #expect(day.wrongPower(stationary: 60..<2400, ofMotion: 0.98...1, starts: 60...130).isEmpty)
  }

  @Test func withoutAnAccelerometerADriveIsDetectedWithinFourMinutesAndSoIsItsEnd() throws {
    let day = TrackedDay(fitting: .init(hasAccelerometer: false))
    day.stop(.seconds(3600))
    let departure = day.time
    day.drive(12_000, at: 15)
    let arrival = (day.time, day.now)
    day.stop(.seconds(3600))
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect(trip.start.time.map { $0 - departure <= .seconds(240) } == true)
    #expect(isNear(trip.end.time, arrival.0, within: 15))
    #expect(day.onShare(from: arrival.1 + .seconds(300), to: day.now) < 0.15)
    #expect(day.visits.filter { $0.departure == nil }.count == 2)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
  }

  @Test func anAccelerometerThatFailsDuringATripLosesNoLocation() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(5000, at: 15)
    day.handle(.evidenceLost(.accelerometer))
    day.handle(.motion([]))
    day.isSmooth = true
    let before = day.points.count
    day.drive(5000, at: 15)
    #expect(day.points.count >= before + 330)
    let arrival = day.time
    day.travel(0.1, at: 1, course: 0, as: nil)
    day.pass(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(isNear(day.trips.first?.end.time, arrival, within: 15))
    #expect(!day.receiver.state.isPowered || day.onShare(from: day.now + .seconds(-1200), to: day.now) < 0.3)
  }

  @Test func withoutAGaugeTheChargeIsUnknownAndNeverEmpty() {
    var settings = TrackedDay.settings()
    settings.batteryWithoutGauge = .unknown
    let day = TrackedDay(settings)
    day.stop(.seconds(600))
    day.drive(3000, at: 15)
    day.stop(.seconds(600))
    #expect(
      day.points.allSatisfy { $0.location.batteryState == .unknown && $0.location.batteryPercent == nil })
    #expect(day.trips.count == 1)
    #expect(day.wrongPower(stationary: 30..<300, ofMotion: 0.98...1, starts: 1...6).isEmpty)
  }

  /// A battery that alternates between low and normal changes the interval of the locations, and nothing else.
  @Test func aBatteryThatOscillatesAtItsThresholdSplitsNoTrip() {
    var settings = TrackedDay.settings()
    settings.profiles = ProfileRules([.lowBattery: AcquisitionRules(minPeriod: .seconds(60))])
    var power = PowerRules()
    power.charge = PowerRules.Limits(low: 15, critical: 6, resume: 20, leastGap: 2)
    settings.power = power
    let day = TrackedDay(settings)
    day.stop(.seconds(1800))
    for number in 0..<20 {
      let percent = number % 2 == 0 ? 14.0 : 21.0
      for _ in 0..<4 { day.handle(.power(PowerReading(.unplugged, percent: percent))) }
      day.drive(900, at: 15)
    }
    day.stop(.seconds(1800))
    #expect(day.events(.powerLevel).count == 20)
    #expect(day.trips.count == 1 && day.events(.tripStarted).count == 1)
    let distance = day.trips.first.map { Double($0.distanceMillimetres) / 1000 } ?? 0
    #expect(abs(distance - day.distance) < 0.05 * day.distance, "\(distance) of \(day.distance)")
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.2...1, starts: 1...60).isEmpty)
  }

  @Test func changedSettingsDuringATripDoNotSplitIt() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    let departure = day.time
    for policy in [TrackingPolicy.within(metres: 10), .significant, nil, .high, .within(metres: 20), .high] {
      day.drive(6000, at: 15)
      var settings = day.tracker.settings
      settings.policy = policy
      day.handle(.settings(settings, changed: ["main.desired_accuracy"]))
    }
    day.drive(6000, at: 15)
    let arrival = (day.time, day.now)
    day.stop(.seconds(1800))
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && day.events(.tripStarted).count == 1)
    #expect(isNear(trip.start.time, departure, within: 20) && isNear(trip.end.time, arrival.0, within: 15))
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - day.distance) < 0.03 * day.distance)
    #expect(day.events(.configurationChanged).count == 6)
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(day.onShare(from: arrival.1 + .seconds(300), to: day.now) < 0.1)
  }

  @Test func switchingTrackingOffDuringATripEndsRecordingAndTheReceiverSleeps() {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(6000, at: 15)
    var settings = day.tracker.settings
    settings.policy = .off
    settings.keepsLocations = false
    day.handle(.settings(settings, changed: ["main.tracking_mode"]))
    let off = (day.points.count, day.now)
    day.drive(6000, at: 15)
    day.stop(.seconds(3600))
    #expect(day.points.count == off.0)
    #expect(day.onTime(from: off.1, to: day.now) <= .seconds(2))
    #expect(day.events(.tripStarted).count == day.events(.tripEnded).count)
  }
}
