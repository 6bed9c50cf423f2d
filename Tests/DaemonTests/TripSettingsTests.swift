import GNSSReceiver
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Testing
import Tracking
import Daemon

/// Policies and settings during trips.
@Suite struct TripSettingsTests {
  private static func configuration(_ overrides: [String]) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil, overrides: overrides,
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  private static func settings(_ overrides: String...) throws -> TrackerSettings {
    TrackerSettings(try configuration(overrides))
  }

  @Test func aTripHasItsOwnPolicy() throws {
    let both = try Self.settings(
      "main.tracking_mode=both", "main.desired_accuracy=1km", "trip.desired_accuracy=best",
      "main.required_motion_duration=5s")
    var high = TrackingPolicy.highInCyclicMode
    high.requiredMotion = .seconds(5)
    #expect(both.tripPolicy == .own(high))
    #expect(both.policy != high && both.policy?.requiredMotion == .seconds(5))
    let significant = try Self.settings("main.tracking_mode=significant")
    #expect(significant.tripPolicy == .own(.within(metres: 20)))
    let plain = try Self.settings("main.desired_accuracy=best")
    #expect(plain.policy == nil && plain.tripPolicy == .own(nil) && plain.manualTripPolicy == nil)
  }

  @Test(arguments: [
    ("nav", nil), ("best", nil), ("10m", nil), ("100m", nil), ("1km", 1000.0), ("3km", 3000.0),
  ])
  func aTripByHandHasNoPauseAndIsSparseIfConfigured(_ row: (accuracy: String, metres: Double?)) throws {
    let settings = try Self.settings(
      "main.tracking_mode=both", "main.pause_automatically=true", "trip.desired_accuracy=\(row.accuracy)")
    var metres: Double?
    if case .sparse(let apart, _, _)? = settings.manualTripPolicy?.moving { metres = apart }
    #expect(metres == row.metres)
    #expect(settings.manualTripPolicy.map { $0.stationary == .asMoving } ?? true)
  }

  /// Nobody chose another accuracy for a trip that begins by itself.
  @Test func anAutomaticTripHasTheValuesOfMain() throws {
    let best = try Self.settings(
      "main.pause_automatically=true", "main.desired_accuracy=best", "main.min_time=5s",
      "main.activity_type=car", "trip.start=automatic")
    #expect(best.tripPolicy == .own(best.policy) && best.policy?.moving == .everySecond)
    #expect(best.profiles[.trip] == nil && best.trips.followsMotion)
    let given = try Self.settings(
      "main.pause_automatically=true", "main.desired_accuracy=best", "trip.desired_accuracy=100m",
      "trip.min_time=1s", "main.min_time=5s", "trip.start=automatic", "trip_mode=car")
    #expect(given.tripPolicy != .own(given.policy))
    #expect(given.profiles[.trip]?.minPeriod == .seconds(1) && !given.trips.followsMotion)
  }

  struct SendingCase: Sendable, CustomTestStringConvertible {
    var overrides: [String]
    var batchSize: Int
    var mode: LoggingMode
    var testDescription: String { overrides.joined(separator: " ") }
  }

  private static let home = "destinations=[{ name: 'home', kind: 'overland', url: 'http://h' }]"
  private static let own = "destinations=[{ name: 'home', kind: 'overland', url: 'http://h', batch_size: 9 }]"
  static let sending = [
    SendingCase(overrides: [home], batchSize: 200, mode: .all),
    SendingCase(
      overrides: [home, "main.batch_size=50", "main.logging_mode=latest"], batchSize: 200, mode: .all),
    SendingCase(
      overrides: [home, "main.batch_size=50", "main.logging_mode=latest", "trip.start=automatic"],
      batchSize: 50, mode: .latest),
    SendingCase(
      overrides: [
        home, "main.batch_size=50", "main.logging_mode=latest", "trip.start=automatic", "trip.batch_size=7",
        "trip.logging_mode=all",
      ], batchSize: 7, mode: .all),
    SendingCase(
      overrides: [own, "main.batch_size=50", "trip.start=automatic"], batchSize: 9, mode: .all),
    SendingCase(
      overrides: [own, "trip.batch_size=7", "trip.start=automatic"], batchSize: 9, mode: .all),
  ]

  /// Sending in a trip: the values of `trip`, in automatic trips those of `main` unless `trip` gives them.
  @Test(arguments: sending) func anAutomaticTripIsSentByTheValuesOfMain(_ test: SendingCase) throws {
    let configuration = try Self.configuration(test.overrides)
    let destination = try #require(configuration.effectiveDestinations(duringTrip: true).first)
    #expect(destination.batchSize == test.batchSize && destination.loggingMode == test.mode)
  }

  @Test func aGeofenceAppliesToTheImpliedPauseOfBoth() throws {
    let both = try Self.settings("main.tracking_mode=both", "main.resume_with_geofence=100m")
    #expect(both.policy?.resumeDistance == 100)
    let configuration = try Self.configuration([
      "main.tracking_mode=both", "main.resume_with_geofence=100m",
    ])
    let warnings = configuration.warnings.filter { $0.hasPrefix("main.resume_with_geofence") }
    #expect(warnings.count == (configuration.accelerometer == nil ? 1 : 0))
    #expect(warnings.allSatisfy { $0.contains("changes nothing") })
  }

  @Test func highResolutionRecordsOnceAMinuteAtRest() throws {
    let settings = try Self.settings("usage_profile=high-resolution")
    #expect(settings.profiles[.stop]?.minPeriod == .seconds(60) && settings.policy == nil)
    #expect(settings.decimation.minTime == .seconds(1))
    let given = try Self.settings("usage_profile=high-resolution", "main.min_time=1s")
    #expect(given.profiles.isEmpty)
  }

  @Test func aTripByHandThatMayPauseHasAPolicyThatSleeps() throws {
    let settings = try Self.settings("trip.pause_automatically=true", "trip.desired_accuracy=best")
    guard case .asleep? = settings.manualTripPolicy?.stationary else {
      return #expect(Bool(false), "no rest")
    }
    #expect(try Self.settings("main.pause_automatically=true").manualTripPolicy == nil)
  }

  @Test func theReceiverGetsTheActivityOfATrip() throws {
    let configuration = try Self.configuration([
      "main.activity_type=fitness", "trip.activity_type=car", "trip.min_time=200ms",
    ])
    #expect(SetUp(configuration, inTrip: false)?.dynamics == .pedestrian)
    #expect(SetUp(configuration, inTrip: true)?.dynamics == .automotive)
    #expect(SetUp(configuration, inTrip: false)?.interval == 1000)
    #expect(SetUp(configuration, inTrip: true)?.interval == 200)
  }

  @Test(arguments: ["nav", "best", "10m", "100m", "1km", "3km"])
  func onlySparseTrackingSleepsWithoutAPause(accuracy: String) throws {
    let policy = try Self.settings("main.desired_accuracy=\(accuracy)").policy
    guard ["1km", "3km"].contains(accuracy) else { return #expect(policy == nil) }
    guard case .sparse(let metres, _, _)? = policy?.moving else { return #expect(Bool(false), "\(accuracy)") }
    #expect(metres == (accuracy == "1km" ? 1000 : 3000) && policy?.stationary == .asMoving)
  }

  @Test func recordsOfATripContainItsSettings() throws {
    let settings = try Self.settings(
      "tracking_stats=true", "main.tracking_mode=both", "trip.desired_accuracy=nav", "trip.activity_type=air")
    #expect(
      settings.tripStatistics
        == TrackingStatistics(
          pauses: false, activity: .other, desiredAccuracy: .nav, mode: .standard))
    #expect(settings.statistics?.mode == .both)
  }

  @Test func withTrackingModeOffTheReceiverSleepsForVisitsAndZones() throws {
    let visits = try Self.settings(
      "main.tracking_mode=off", "main.visit_tracking=true", "main.pause_delay=90s")
    var stopsOnly = TrackingPolicy.stopsOnly
    stopsOnly.pauseDelay = .seconds(90)
    stopsOnly.motion = MotionRules.other.obeying(pauseDelay: .seconds(90))
    #expect(visits.policy == stopsOnly && !visits.keepsLocations)
    #expect(visits.tripPolicy == .own(.within(metres: 20).pausing(.seconds(90))))
    let zone = "[{ name: 'yard', latitude: 52, longitude: 13, radius: '80m' }]"
    #expect(try Self.settings("main.tracking_mode=off", "zones=\(zone)").policy == .stopsOnly)
    #expect(try Self.settings("main.tracking_mode=off", "driving.tow=5m").policy == .stopsOnly)
  }

  @Test func withTrackingModeOffAndWithoutZonesTheReceiverIsOff() throws {
    let zone = "[{ name: 'yard', latitude: 52, longitude: 13, radius: '80m' }]"
    for more in [nil, "privacy_zones=\(zone)", "main.pause_delay=90s", "main.pause_automatically=true"] {
      let settings = TrackerSettings(
        try Self.configuration(["main.tracking_mode=off"] + [more].compactMap(\.self)))
      #expect(settings.policy?.moving == TrackingPolicy.MovingService.none, "\(more ?? "")")
      #expect(settings.policy?.stationary == .asMoving && !settings.keepsLocations)
      #expect(settings.policy == .off)
      #expect(settings.manualTripPolicy == nil, "a trip by hand is recorded without pause")
    }
  }

  @Test func speedIsWatchedWhileMovingThoughNoLocationIsStored() throws {
    for setting in ["driving.speed_limit_kmh=130", "driving.idling=5m"] {
      let settings = try Self.settings("main.tracking_mode=off", "main.visit_tracking=true", setting)
      #expect(settings.policy == .highInCyclicMode && !settings.keepsLocations, "\(setting)")
    }
  }

  @Test func automaticTripsStartIfConfigured() throws {
    #expect(try Self.settings().trips.isAutomatic == false)
    let automatic = try Self.settings("trip.start=automatic", "trip_mode=car", "main.tracking_mode=off")
    #expect(automatic.trips.isAutomatic && automatic.trips.mode == .car)
    // The receiver is on while moving, so that a trip starts at the departure; then the policy of trips applies.
    #expect(automatic.policy == .highInCyclicMode && automatic.tripPolicy == .own(.within(metres: 20)))
    let seldom = try Self.settings(
      "trip.start=automatic", "main.tracking_mode=off", "trip.desired_accuracy=1km",
      "main.resume_with_geofence=1km")
    #expect(seldom.tripPolicy == .own(seldom.policy) && seldom.policy?.resumeDistance == nil)
  }

  @Test func cyclicTrackingIsForPausesAndNotForTheBestAccuracy() throws {
    let pausing = ["main.tracking_mode=both", "main.pause_automatically=true"]
    for (accuracy, mode, uses) in [
      ("best", "auto", true), ("best", "off", false), ("100m", "auto", true), ("nav", "auto", false),
    ] {
      let settings = TrackerSettings(
        try Self.configuration(pausing + ["main.desired_accuracy=\(accuracy)", "receiver.cyclic=\(mode)"]))
      #expect(settings.policy?.usesCyclicMode == uses, "\(accuracy) \(mode)")
    }
    #expect(try Self.settings("main.desired_accuracy=best").policy == nil, "always on, at full power")
  }

  @Test func batterySavingKeepsTheTrackWithin50MetresUnlessAnAccuracyIsConfigured() throws {
    let saving = try #require(try Self.settings("usage_profile=battery-saving").policy)
    #expect(saving == UsageProfile.batterySaving.policy)
    #expect(saving.moving == .within(metres: 50) && saving.resumeDistance == 500)
    let given = try #require(
      try Self.settings("usage_profile=battery-saving", "main.desired_accuracy=100m").policy)
    #expect(given.moving == .within(metres: 20))
    let best = try #require(
      try Self.settings("usage_profile=battery-saving", "main.desired_accuracy=best").policy)
    #expect(best.moving == .everySecond)
  }

  @Test func theActivitySetsTheMotionRulesAndAConfiguredPauseDelayOverridesThem() throws {
    let pausing = ["main.tracking_mode=both", "main.pause_automatically=true"]
    func policy(_ more: String...) throws -> TrackingPolicy? {
      TrackerSettings(try Self.configuration(pausing + more)).policy
    }
    #expect(try policy()?.motion == .other && policy()?.pauseDelay == .seconds(120))
    let car = try #require(try policy("main.activity_type=car"))
    #expect(car.motion == MotionRules(.car) && car.pauseDelay == .seconds(180))
    let given = try #require(try policy("main.activity_type=car", "main.pause_delay=10s"))
    #expect(given.pauseDelay == .seconds(10) && given.motion.speed.stop == .seconds(10))
    let same = try #require(try policy("main.activity_type=car", "main.pause_delay=2m"))
    #expect(same.pauseDelay == .seconds(120) && same.motion.speed.stop == .seconds(120))
    let settings = TrackerSettings(try Self.configuration(pausing + ["trip.activity_type=fitness"]))
    guard case .own(let trip?) = settings.tripPolicy else { return #expect(Bool(false), "a trip has a plan") }
    #expect(trip.motion == MotionRules(.fitness) && settings.policy?.motion == .other)
  }

  @Test func drivingEventsAreDetectedIfConfigured() throws {
    #expect(try Self.settings().driving == DrivingRules())
    let asked = try Self.settings(
      "driving.speed_limit_kmh=90", "driving.speed_limit_duration=20s", "driving.idling=5m",
      "driving.idling_end=8s", "driving.tow=10m", "driving.tow_duration=30s")
    var rules = DrivingRules()
    rules.speedLimit = 25
    (rules.speedDuration, rules.idlingDelay, rules.idlingEnd) = (.seconds(20), .seconds(300), .seconds(8))
    (rules.towDelay, rules.towDuration) = (.seconds(600), .seconds(30))
    #expect(asked.driving == rules)
  }

  @Test func theSupplyIsAMotionSensorIfConfigured() throws {
    let quiet = try Self.settings()
    #expect(quiet.supplyMotion == SupplyRules())
    let asked = try Self.settings("motion.voltage=26.2", "motion.voltage_hold=1m", "motion.charger=true")
    #expect(asked.supplyMotion.voltage == 26.2 && asked.supplyMotion.voltageHold == .seconds(60))
    #expect(asked.supplyMotion.reactsToCharger)
  }
}

extension TrackingPolicy {
  fileprivate func pausing(_ delay: Duration) -> TrackingPolicy {
    var policy = self
    policy.pauseDelay = delay
    policy.motion = policy.motion.obeying(pauseDelay: delay)
    return policy
  }
}
