import Energy
import GNSSProtocol
import Quantities
import Records
import Scheduling
import Settings
import Tracking

extension TrackerSettings {
  /// Recording interval of a stationary device with the usage profile `high-resolution`, as in the Overland app.
  static let restPeriod = Duration.seconds(60)

  /// The settings of the tracker, from the configuration.
  public init(_ configuration: Configuration) {
    self.init(deviceID: configuration.deviceID)
    let main = configuration.main
    isTracking = configuration.isTracking
    keepsLocations = isTracking && main.trackingMode != .off
    decimation = Decimation(minTime: main.minTime, minDistance: main.minDistanceMetres)
    let trip = Decimation(
      minTime: configuration.usualTrip.minTime, minDistance: configuration.usualTrip.minDistanceMetres)
    profiles = ProfileRules(configuration.profiles.map { .init($0.when, AcquisitionRules($0)) })
    if trip != decimation { profiles = profiles.inTrips(trip.rules) }
    if configuration.recordsSparselyAtRest {
      profiles[.stop] = AcquisitionRules(minPeriod: Self.restPeriod)
      profiles = profiles.inTrips(trip.rules)
    }
    tripPolicy = .own(TrackingPolicy(tripOf: configuration))
    manualTripPolicy = TrackingPolicy(manualTripOf: configuration)
    if let known = ReceiverCurrents(configuration.energy) { currents = known }
    hasBackupSupply = configuration.receiver.hasBackupSupply
    if configuration.receiver.enable != nil, configuration.receiver.control == .full {
      currents.off =
        configuration.energy.currents[.receiverOff]?.milliamperes ?? (hasBackupSupply ? currents.backup : 0)
    }
    maxAccuracy = main.maxAccuracyMetres
    accuracyRetryWindow = main.accuracyRetry
    quietSpeed = main.quietSpeed
    parking = ParkingRules(configuration.parking)
    freezesWhenParked = configuration.parking.freeze == .rest
    freezesWithIgnitionOff = configuration.parking.freeze == .ignition
    deferredDistance = main.deferredMetres
    coalescingInterval = configuration.receiver.coalescingInterval
    trips.isAutomatic = isTracking && configuration.trip.start == .automatic
    trips.mode = configuration.tripMode
    trips.followsMotion = !configuration.gives("trip_mode")
    visits = main.tracksVisits ? VisitRules() : nil
    supplyMotion = SupplyRules(configuration.motion)
    driving = DrivingRules(configuration.driving)
    zones =
      configuration.zones.compactMap { Zone($0) } + configuration.privacyZones.compactMap { Zone(hiding: $0) }
    let needsPositions = visits != nil || parking != nil || zones.contains { !$0.isPrivate }
    policy =
      main.trackingMode == .off
      ? TrackingPolicy(
        withoutPositions: configuration, needsPositions: needsPositions || driving.towDelay != nil,
        watchesSpeed: driving.speedLimit != nil || driving.idlingDelay != nil)
      : TrackingPolicy(configuration)
    wifiZones = configuration.wifiZones.compactMap { WifiZone($0) }
    scanInterval = configuration.wifiScan
    if configuration.sendsTrackingStats {
      let usual = TrackingStatistics(main)
      statistics = usual
      var during = TrackingStatistics(main.during(configuration.trip))
      // Overland reports the main setting during trips, too.
      during.activity = usual.activity
      during.pauses = configuration.trip.pausesAutomatically
      tripStatistics = during
    }
    pausesWhileStationary = isTracking && configuration.pausesWhileStationary
    power = PowerRules(configuration)
    budget = PowerBudget.Rules(configuration)
    switch configuration.supply {
    case .mains where configuration.isGaugeBelieved: batteryWithoutGauge = .unknown
    case .mains, .vehicle: batteryWithoutGauge = .full
    case .battery: batteryWithoutGauge = .unknown
    }
  }
}

extension TrackingSettings {
  /// The settings during a trip: always standard mode, with the values of the trip.
  fileprivate func during(_ trip: TripSettings) -> TrackingSettings {
    var settings = self
    settings.trackingMode = .standard
    settings.desiredAccuracy = trip.desiredAccuracy
    settings.activityType = trip.activityType
    return settings
  }
}

extension TrackingPolicy {
  /// The policy outside trips; nil for level H, with the receiver always on.
  fileprivate init?(_ configuration: Configuration) {
    var settings = configuration.main
    // The geofence belongs to a pause, also to one that the mode implies.
    if !settings.pausesAutomatically, !configuration.pausesWhileStationary {
      settings.resumeRadiusMetres = nil
    }
    if settings.trackingMode == .both { settings.pausesAutomatically = configuration.pausesWhileStationary }
    self.init(settings, configuration)
    // A configured desired accuracy overrides that of the profile.
    if configuration.usageProfile == .batterySaving,
      configuration.origins["main.desired_accuracy"] == .profile
    {
      self = keepingLine(within: UsageProfile.batterySavingMetres)
    }
  }

  /// The policy with `tracking_mode: off`, for zones, visits, driving events and automatic trips.
  ///
  /// Before an automatic trip the receiver is on while the device moves, so that the trip starts at the departure: sparse
  /// fixes show a departure too late, or on foot not at all. Trips that are configured as sparse are sparse from the start.
  fileprivate init?(withoutPositions configuration: Configuration, needsPositions: Bool, watchesSpeed: Bool) {
    var settings = configuration.main
    guard watchesSpeed || configuration.trip.start == .automatic else {
      self.init(settings, configuration, needsPositions: needsPositions)
      return
    }
    settings = settings.during(configuration.usualTrip)
    settings.pausesAutomatically = true
    settings.resumeRadiusMetres = nil
    switch settings.desiredAccuracy {
    case .metres10, .metres100: settings.desiredAccuracy = .best
    case .kilometre1, .kilometres3: if watchesSpeed { settings.desiredAccuracy = .best }
    case .nav, .best: break
    }
    self.init(settings, configuration)
  }

  /// The policy during an automatic trip. If the receiver sleeps while stationary, it does so in the trip, too, which ends
  /// the trip.
  fileprivate init?(tripOf configuration: Configuration) {
    var settings = configuration.main.during(configuration.automaticTrip)
    // The geofence belongs to a pause, also to one that the mode implies.
    if !settings.pausesAutomatically, !configuration.pausesWhileStationary {
      settings.resumeRadiusMetres = nil
    }
    // Sparse tracking stays sparse in a trip; with `both`, the configured pause applies.
    switch configuration.main.trackingMode {
    case .standard: break
    case .off, .significant: settings.pausesAutomatically = true
    case .both: settings.pausesAutomatically = configuration.pausesWhileStationary
    }
    self.init(settings, configuration)
  }

  /// The policy during a trip by hand: without a pause unless the trip may pause. Sparse tracking stays sparse.
  fileprivate init?(manualTripOf configuration: Configuration) {
    var settings = configuration.main.during(configuration.trip)
    settings.pausesAutomatically = configuration.trip.pausesAutomatically
    settings.resumeRadiusMetres = nil
    self.init(settings, configuration)
  }

  /// Adds the settings that every policy has.
  private mutating func adopt(_ settings: TrackingSettings, _ configuration: Configuration) {
    requiredMotion = settings.requiredMotionDuration
    acceptableFixTimeout = max(acceptableFixTimeout, settings.accuracyRetry ?? .zero)
    // A configured interval also applies without a motion sensor.
    if configuration.gives("main.check_interval") { checkIntervalWithoutSensor = settings.checkInterval }
    setPositionChecks(
      each: settings.checkInterval, longest: settings.checkLongest, metres: settings.checkMetres)
    // Each search of a host that halts costs a boot.
    if configuration.host.sleep == .halt {
      longestSearchPause = max(longestSearchPause, settings.checkInterval, settings.checkLongest)
    }
    adoptMotionRules(settings, configuration)
  }

  /// Adds the motion rules of the activity type; a configured pause delay overrides theirs.
  private mutating func adoptMotionRules(_ settings: TrackingSettings, _ configuration: Configuration) {
    motion = MotionRules(settings.activityType)
    let isGiven = configuration.gives("main.pause_delay")
    pauseDelay = isGiven ? settings.pauseDelay : motion.pauseDelay
    if isGiven { motion = motion.obeying(pauseDelay: pauseDelay) }
  }

  private init?(
    _ settings: TrackingSettings, _ configuration: Configuration, needsPositions: Bool = false
  ) {
    let desired = TrackingPolicy.desired(
      trackingMode: settings.trackingMode, pausesAutomatically: settings.pausesAutomatically,
      desiredAccuracy: settings.desiredAccuracy, resumeDistance: settings.resumeRadiusMetres,
      hasCyclicMode: configuration.receiver.cyclic == .automatic, needsPositions: needsPositions)
    guard let desired else { return nil }
    self = desired
    // The policy `off` has no further settings.
    if desired != .off { adopt(settings, configuration) }
  }
}

extension SupplyRules {
  fileprivate init(_ motion: MotionSettings) {
    self.init()
    voltage = motion.voltage
    voltageHold = motion.voltageHold
    reactsToCharger = motion.reactsToCharger
  }
}

extension DrivingRules {
  fileprivate init(_ settings: DrivingSettings) {
    self.init()
    speedLimit = settings.speedLimit.map { $0 / 3.6 }
    speedDuration = settings.speedDuration
    idlingDelay = settings.idlingDelay
    idlingEnd = settings.idlingEnd
    towDelay = settings.towDelay
    towDuration = settings.towDuration
  }
}

extension Zone {
  /// The zone; nil for an impossible shape, which a valid configuration does not have.
  fileprivate init?(_ settings: ZoneSettings) {
    guard let shape = settings.shape else { return nil }
    self.init(settings.name, shape)
    dwell = settings.dwell
    hasProfile = settings.hasProfile
  }

  fileprivate init?(hiding settings: ZoneSettings) {
    self.init(settings)
    isPrivate = true
  }
}

extension PrivateZones {
  /// The privacy zones of the configuration.
  public init(_ configuration: Configuration) {
    self.init(configuration.privacyZones.compactMap(Zone.init(hiding:)))
  }
}

extension TrackingStatistics {
  fileprivate init(_ main: TrackingSettings) {
    self.init(
      pauses: main.pausesAutomatically, activity: main.activityType, desiredAccuracy: main.desiredAccuracy,
      mode: main.trackingMode)
  }
}

extension WifiZone {
  /// The Wi-Fi zone; nil for impossible coordinates.
  fileprivate init?(_ settings: WifiZoneSettings) {
    guard let position = Coordinate(latitude: settings.latitude, longitude: settings.longitude),
      !position.isNullIsland
    else { return nil }
    self.init(settings.name, network: settings.ssid, accessPoint: settings.address, position: position)
  }
}
