import DaySupport
import Quantities
import Records
import Testing
import Scheduling
import Tracking

/// Short drives with automatic pause and without motion sensor: no fix shows them, and the log contains them
/// nevertheless.
@Suite struct ReconstructionDays {
  /// Position checks so many seconds apart.
  private static func settings(check: Int64 = 600) -> TrackerSettings {
    var policy = TrackingPolicy.high
    policy.checkIntervalWithoutSensor = .seconds(check)
    var settings = TrackedDay.settings(policy)
    settings.pausesWhileStationary = true
    return settings
  }

  private static var withoutSensor: TrackedDay.Fitting { .init(hasAccelerometer: false) }

  /// A stop with its begin and end.
  private struct Dwell {
    var position: Coordinate
    var from: Timestamp
    var to: Timestamp
  }

  /// Home, 1.4 km, an hour, 1.1 km, an hour. If the receiver sleeps, each drive begins shortly after a position
  /// check.
  private static func twoDrives(
    _ settings: TrackerSettings, _ fitting: TrackedDay.Fitting
  ) -> (day: TrackedDay, dwells: [Dwell]) {
    let day = TrackedDay(settings, fitting: fitting)
    var dwells: [Dwell] = []
    func stand() {
      let from = day.time
      day.stop(.seconds(3000))
      for isAwake in [true, false] {
        for _ in 0..<900 where day.receiver.state.isPowered != isAwake { day.stop(.seconds(1)) }
      }
      dwells.append(Dwell(position: day.position, from: from, to: day.time))
    }
    stand()
    day.drive(1400, at: 7, course: 90)
    stand()
    day.drive(1100, at: 5.5, course: 0)
    stand()
    return (day, dwells)
  }

  @Test func twoShortDrivesWithoutAMotionSensorAreReconstructedTrips() throws {
    let (day, dwells) = Self.twoDrives(Self.settings(), Self.withoutSensor)
    #expect(day.trips.map(\.isReconstructed) == [true, true])
    for (index, metres) in [1400.0, 1100.0].enumerated() where index < day.trips.count {
      let trip = day.trips[index]
      #expect(abs(Double(trip.distanceMillimetres) / 1000 - metres) < 0.03 * metres)
      let (start, end) = (try #require(trip.start.time), try #require(trip.end.time))
      let (departure, arrival) = (dwells[index].to, dwells[index + 1].from)
      #expect(start <= departure && departure - start <= .seconds(605), "last known at the old position")
      #expect(end >= arrival && end - arrival <= .seconds(640), "the first fix at the new one")
      #expect(trip.durationMilliseconds == (end - start).wholeMilliseconds)
      #expect(
        trip.startLocation.map { $0.location.coordinate.distance(to: dwells[index].position) < 20 } == true)
      #expect(
        trip.endLocation.map { $0.location.coordinate.distance(to: dwells[index + 1].position) < 20 } == true)
      #expect(!trip.isManual && trip.steps == nil && trip.startLocation?.location.trip == nil)
    }
    // No fix exists in between: every location lies at the stop of its time.
    for point in day.points {
      #expect(
        dwells.contains {
          $0.from <= point.time && point.time <= $0.to + .seconds(1)
            && $0.position.distance(to: point.location.coordinate) < 30
        }, "\(point.time.iso8601())")
    }
    #expect(day.events(.tripStarted).count == day.events(.tripEnded).count)
  }

  @Test func withAnAccelerometerTheSameDayHasOrdinaryTrips() {
    let (day, _) = Self.twoDrives(Self.settings(), TrackedDay.Fitting())
    #expect(day.trips.map(\.isReconstructed) == [false, false])
    #expect(day.points.count > 350)
  }

  @Test func aReceiverThatIsAlwaysOnRecordsOrdinaryTrips() {
    var settings = Self.settings()
    (settings.policy, settings.pausesWhileStationary) = (nil, false)
    let (day, _) = Self.twoDrives(settings, Self.withoutSensor)
    #expect(day.trips.map(\.isReconstructed) == [false, false])
  }

  /// The position check of every three minutes may happen while stationary or during the drive.
  @Test(arguments: [Int64(1800), 1820, 1840, 1860, 1880, 1900, 1920, 1940, 1960])
  func aDriveOfAMinuteAndAHalfIsOneTripOfTheRightLength(stop: Int64) throws {
    let day = TrackedDay(Self.settings(check: 180), fitting: Self.withoutSensor)
    day.stop(.seconds(stop))
    let departure = day.time
    day.drive(1300, at: 14)
    day.stop(.seconds(1800))
    guard let trip = day.trips.first else {
      // The check happened early: the drive is recorded from there on, and too short for an ordinary trip.
      return #expect(day.points.count { $0.time > departure } > 60)
    }
    #expect(day.trips.count == 1 && trip.isReconstructed)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - 1300) < 70, "\(trip.distanceMillimetres)")
    #expect(trip.start.time.map { $0 <= departure && departure - $0 < .seconds(200) } == true)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func aNightIndoorsIsNotATrip(seed: UInt64) {
    let day = TrackedDay(Self.settings(check: 180), fitting: Self.withoutSensor, seed: seed)
    (day.accuracy, day.error) = (12, 45)
    day.stop(.seconds(10 * 3600))
    #expect(day.trips.isEmpty)
    #expect(day.points.count > 5, "apparent movement")
  }

  /// Some seconds of fixes that report good accuracy and lie 700 m off, as by a reflection.
  @Test(arguments: [1, 2, 5, 20])
  func fixesThatJumpAwayAndReturnAreNotATrip(seconds: Int) {
    let day = TrackedDay(Self.settings(check: 180), fitting: Self.withoutSensor)
    day.stop(.seconds(1000))
    var left = seconds
    day.alterFix = { fix in
      guard left > 0, let latitude = fix.latitude else { return fix }
      left -= 1
      var fix = fix
      fix.latitude = latitude + 700 / 111_195
      return fix
    }
    day.stop(.seconds(3 * 3600))
    #expect(left == 0 && day.trips.isEmpty)
  }

  @Test func aLongDriveWithAPositionCheckIsOneOrdinaryTrip() {
    let day = TrackedDay(Self.settings(check: 180), fitting: Self.withoutSensor)
    day.stop(.seconds(1800))
    day.drive(9000, at: 14)
    day.stop(.seconds(1800))
    #expect(day.trips.map(\.isReconstructed) == [false])
  }

  /// The receiver paused at the pump, and the trip continues: it contains the distance from there already.
  @Test func aMovementInARunningTripIsNotReconstructed() {
    let day = TrackedDay(Self.settings(check: 100), fitting: Self.withoutSensor)
    day.stop(.seconds(1800))
    day.drive(8000, at: 14)
    day.stop(.seconds(140))
    #expect(!day.receiver.state.isPowered && day.tracker.summary.isTripRunning)
    day.drive(700, at: 14)
    #expect(!day.receiver.state.isPowered && day.tracker.summary.isTripRunning, "no position check yet")
    day.stop(.seconds(1800))
    #expect(day.trips.map(\.isReconstructed) == [false])
  }

  @Test func aMovementBelowTheMinimumDistanceIsNotATrip() {
    let day = TrackedDay(Self.settings(), fitting: Self.withoutSensor)
    day.stop(.seconds(1800))
    day.drive(250, at: 5)
    day.stop(.seconds(1800))
    #expect(day.trips.isEmpty)
  }

  @Test func withoutAutomaticTripsNothingIsReconstructed() {
    var settings = Self.settings()
    settings.trips.isAutomatic = false
    #expect(Self.twoDrives(settings, Self.withoutSensor).day.trips.isEmpty)
  }

  /// The operator switches tracking off while the device moves, and on again.
  @Test(arguments: [true, false])
  func nothingIsReconstructedWhileTrackingIsOff(isWholeBoxOff: Bool) {
    let day = TrackedDay(Self.settings(), fitting: Self.withoutSensor)
    day.stop(.seconds(1800))
    var settings = day.tracker.settings
    (settings.isTracking, settings.keepsLocations) = (!isWholeBoxOff, false)
    day.handle(.settings(settings, changed: ["tracking"]))
    day.drive(1400, at: 14)
    day.handle(.settings(Self.settings(), changed: ["tracking"]))
    day.stop(.seconds(1800))
    #expect(day.trips.isEmpty)
  }

  @Test(arguments: [0, 1, 2])
  func aTripThatBeginsOrEndsInAPrivacyZoneIsNotReconstructed(which: Int) throws {
    let home = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    let end = home.moved(east: 1400, north: 0)
    var settings = Self.settings()
    if which < 2 { settings.zones = [try #require(Self.privateZone(around: which == 0 ? home : end))] }
    let day = TrackedDay(settings, fitting: Self.withoutSensor)
    day.stop(.seconds(1800))
    if which == 2 {
      // Added around the device while it stands there.
      settings.zones = [try #require(Self.privateZone(around: home))]
      day.handle(.settings(settings, changed: ["privacy_zones"]))
    }
    day.drive(1400, at: 7)
    day.stop(.seconds(1800))
    #expect(day.trips.isEmpty)
  }

  private static func privateZone(around position: Coordinate) -> Zone? {
    guard let shape = ZoneShape(centre: position, radius: 200) else { return nil }
    var zone = Zone("hidden", shape)
    zone.isPrivate = true
    return zone
  }

  /// The program ends during the pause, the device is moved 3 km, and the program starts again.
  private static func restart(isDated: Bool, isOrderly: Bool = true, recordsSince: Bool = false) -> TrackedDay
  {
    let day = TrackedDay(settings(), fitting: withoutSensor)
    day.stop(.seconds(1800))
    if isOrderly { day.handle(.stopping) }
    if recordsSince {
      day.handle(.positionRequested)
      day.pass(.seconds(60))
    }
    day.usesOwnReceiver = false
    day.travel(3000, at: 10, course: 0, as: nil)
    day.usesOwnReceiver = true
    day.isUndated = !isDated
    day.cutPower(for: .seconds(60))
    day.stop(.seconds(1800))
    return day
  }

  @Test func aPauseContinuesAfterARestartIfTheDateIsKnown() throws {
    let day = Self.restart(isDated: true)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && trip.isReconstructed)
    #expect(abs(Double(trip.distanceMillimetres) / 1000 - 3000) < 60)
    #expect(trip.start.time != nil && trip.startLocation?.time.time == trip.start.time)
  }

  @Test func nothingIsReconstructedAcrossARestartWithAnUnknownClock() {
    #expect(Self.restart(isDated: false).trips.isEmpty)
  }

  @Test func aRecordAfterThePauseEndsIt() {
    #expect(Self.restart(isDated: true, recordsSince: true).trips.isEmpty)
  }
}
