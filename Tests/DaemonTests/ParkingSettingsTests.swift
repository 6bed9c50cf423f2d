import Quantities
import Records
import Scheduling
import Settings
import Testing
import Daemon

/// Settings of the content of records and of parking.
@Suite struct ParkingSettingsTests {
  @Test func belowTheQuietSpeedARecordHasNoSpeedAndNoCourse() throws {
    for (text, isQuiet) in [("{ main: { quiet_speed_mps: 0.5 } }", true), ("{}", false)] {
      let drive = try ConfiguredDrive(text)
      drive.go(3, at: 0.4, course: 90)
      drive.go(3, at: 0.6)
      let speeds = drive.locations.map(\.speedMillimetresPerSecond)
      let courses = drive.locations.map { $0.courseMillidegrees != nil }
      #expect(speeds == (isQuiet ? [0, 0, 0, 600, 600, 600] : [400, 400, 400, 600, 600, 600]))
      #expect(
        courses == (isQuiet ? [false, false, false, true, true, true] : Array(repeating: true, count: 6)))
    }
  }

  @Test func theBestInaccurateFixIsStoredAfterTheRetryTime() throws {
    for (value, count) in [("'20s'", 1), ("'off'", 0)] {
      let drive = try ConfiguredDrive("{ main: { max_accuracy: '50m', accuracy_retry: \(value) } }")
      drive.accuracy = 90
      drive.go(5)
      drive.accuracy = 60
      drive.go(1)
      drive.accuracy = 90
      drive.go(20)
      #expect(drive.locations.map(\.horizontalAccuracyMillimetres) == (0..<count).map { _ in 60_000 })
    }
  }

  @Test func anAcquisitionWaitsForTheRetryTimeForAnAccurateFix() throws {
    func timeout(_ value: String) throws -> Duration? {
      let main = "tracking_mode: 'both', accuracy_retry: \(value)"
      return try ConfiguredDrive.settings("{ main: { \(main) } }").policy?.acceptableFixTimeout
    }
    #expect(try timeout("'off'") == .seconds(60))
    #expect(try timeout("'20s'") == .seconds(60))
    #expect(try timeout("'5m'") == .seconds(300))
  }

  struct Freeze: Sendable, CustomTestStringConvertible {
    var value: String?
    var ignition: Bool?
    var isFrozen: Bool
    var testDescription: String { "\(value ?? "default"), ignition \(ignition.map { "\($0)" } ?? "unknown")" }
  }

  static let freezes = [
    Freeze(value: "off", ignition: false, isFrozen: false),
    Freeze(value: "off", ignition: nil, isFrozen: false),
    Freeze(value: "ignition", ignition: false, isFrozen: true),
    Freeze(value: "ignition", ignition: true, isFrozen: false),
    Freeze(value: "ignition", ignition: nil, isFrozen: false),
    Freeze(value: "rest", ignition: false, isFrozen: true),
    Freeze(value: "rest", ignition: true, isFrozen: false),
    Freeze(value: "rest", ignition: nil, isFrozen: true),
    Freeze(value: nil, ignition: false, isFrozen: true), Freeze(value: nil, ignition: nil, isFrozen: false),
  ]

  /// There is one record of every epoch, whatever its position.
  @Test(arguments: freezes)
  func aParkedDeviceShowsOnePositionIfConfigured(_ test: Freeze) throws {
    let text = test.value.map { "{ parking: { freeze: '\($0)' } }" } ?? "{}"
    let drive = try ConfiguredDrive(text)
    drive.process(.ignition(true))
    drive.go(100, at: 10, course: 0)
    drive.process(.ignition(test.ignition))
    drive.go(120)
    let before = drive.locations.count
    // The position drifts without a movement.
    for second in 0..<60 { drive.go(1, at: 0.2, course: second % 2 == 0 ? 90 : 270) }
    let parked = drive.locations[before...]
    #expect(parked.count == 60)
    #expect((Set(parked.map(\.coordinate)).count == 1) == test.isFrozen)
    #expect(parked.allSatisfy { ($0.speedMillimetresPerSecond == 0) == test.isFrozen })
    drive.process(.ignition(test.ignition.map { _ in true }))
    drive.go(60, at: 10, course: 0)
    #expect(drive.locations.count == before + 120)
    #expect(drive.locations.suffix(40).allSatisfy { $0.speedMillimetresPerSecond == 10_000 })
  }

  /// The stored locations and events are the same as without it.
  @Test func theParkingPositionChangesNothingElse() throws {
    var days: [(reasons: [KeepReasons], records: Int)] = []
    for value in ["off", "ignition"] {
      let drive = try ConfiguredDrive("{ main: { min_time: '10s' }, parking: { freeze: '\(value)' } }")
      drive.process(.ignition(true))
      drive.go(305, at: 10, course: 0)
      drive.process(.ignition(false))
      drive.go(905)
      drive.wait(7200)
      drive.process(.ignition(true))
      drive.go(305, at: 10, course: 90)
      days.append((drive.reasons, drive.records.count))
    }
    #expect(days[0].reasons == days[1].reasons && days[0].records == days[1].records)
  }

  struct Parking: Sendable, CustomTestStringConvertible {
    var promise: String
    var parking: String
    var stationarySeconds: Int
    var metres: Int
    var moved: Int
    var testDescription: String { promise }
  }

  static let parkings = [
    Parking(promise: "off by default", parking: "", stationarySeconds: 600, metres: 400, moved: 0),
    Parking(
      promise: "left after the delay", parking: "delay: '5m'", stationarySeconds: 400, metres: 400, moved: 1),
    Parking(
      promise: "left before the delay", parking: "delay: '5m'", stationarySeconds: 200, metres: 400, moved: 0),
    Parking(
      promise: "within the circle", parking: "delay: '5m'", stationarySeconds: 400, metres: 80, moved: 0),
    Parking(
      promise: "within a wider circle", parking: "delay: '5m', radius: '1km'", stationarySeconds: 400,
      metres: 400,
      moved: 0),
    Parking(
      promise: "outside a narrower circle", parking: "delay: '5m', radius: '50m'", stationarySeconds: 400,
      metres: 80,
      moved: 1),
  ]

  @Test(arguments: parkings)
  func leavingTheParkingPositionIsAnEvent(_ test: Parking) throws {
    let drive = try ConfiguredDrive("{ parking: { \(test.parking) } }")
    drive.go(test.stationarySeconds)
    drive.go(test.metres / 10, at: 10, course: 0)
    drive.go(5)
    #expect(drive.events(.parkingMoved).count == test.moved)
  }

  @Test(arguments: [("1m", 1), ("10m", 0)])
  func motionWithoutAFixIsADepartureAfterTheBlindDelay(delay: String, moved: Int) throws {
    let drive = try ConfiguredDrive("{ parking: { delay: '5m', blind_delay: '\(delay)' } }")
    drive.go(400)
    drive.process(.motion(.driving))
    drive.wait(180)
    #expect(drive.events(.parkingMoved).count == moved)
  }

  @Test(arguments: [("dwell: '10m'", 700, 1), ("dwell: '10m'", 500, 0), ("", 7000, 0)])
  func dwellingInAZoneIsAnEventIfConfigured(dwell: String, seconds: Int, events: Int) throws {
    let drive = try ConfiguredDrive(
      "{ zones: [{ name: 'yard', latitude: 52.01, longitude: 13, radius: '100m', \(dwell) }] }")
    drive.go(111, at: 10, course: 0)
    #expect(drive.events(.zoneEntered).count == 0)
    drive.go(20)
    #expect(drive.events(.zoneEntered).count == 1)
    drive.go(seconds)
    #expect(drive.events(.zoneDwelt).map(\.value) == (0..<events).map { _ in 600 })
  }

  struct Check: Sendable, CustomTestStringConvertible {
    var main: String
    var stationary: TrackingPolicy.StationaryService
    var blind = Duration.seconds(180)
    var testDescription: String { main }
  }

  static let checks = [
    Check(main: "tracking_mode: 'both'", stationary: TrackingPolicy.checks),
    Check(
      main: "tracking_mode: 'both', check_interval: '1h'",
      stationary: .asleep(check: .seconds(3600), longestCheck: .seconds(4 * 3600), metres: 500),
      blind: .seconds(3600)),
    Check(
      main: "tracking_mode: 'significant', check_interval: '5m', check_longest: '10m', check_distance: '2km'",
      stationary: .asleep(check: .seconds(300), longestCheck: .seconds(600), metres: 2000),
      blind: .seconds(300)),
    Check(
      main: "pause_automatically: true, check_longest: '1m'",
      stationary: .asleep(check: .seconds(900), longestCheck: .seconds(900), metres: 500)),
    Check(
      main: "tracking_mode: 'off', visit_tracking: true, check_distance: '100m'",
      stationary: .asleep(check: .seconds(900), longestCheck: .seconds(4 * 3600), metres: 100)),
    Check(
      main: "desired_accuracy: '1km', check_interval: '1h'", stationary: .asMoving, blind: .seconds(3600)),
  ]

  @Test(arguments: checks)
  func positionChecksHaveTheConfiguredIntervals(_ test: Check) throws {
    let policy = try #require(try ConfiguredDrive.settings("{ main: { \(test.main) } }").policy)
    #expect(policy.stationary == test.stationary && policy.checkIntervalWithoutSensor == test.blind)
  }
}
