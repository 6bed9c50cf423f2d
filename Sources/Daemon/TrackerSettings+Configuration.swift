import Energy
import Quantities
import Records
import Settings
import Tracking

extension TrackerSettings {
  /// What the configuration wishes of the tracker.
  public init(_ configuration: Configuration) {
    self.init(deviceID: configuration.deviceID)
    let main = configuration.main
    keepsLocations = configuration.isTracking && main.trackingMode != .off
    thinning = Thinning(minTime: main.minTime, minDistance: main.minDistanceMetres)
    let trip = Thinning(
      minTime: configuration.trip.minTime, minDistance: configuration.trip.minDistanceMetres)
    if trip != thinning { profiles = ProfileRules([.trip: trip.rules]) }
    scheme = ReceiverScheme(configuration)
    if let known = ReceiverCurrents(configuration.energy) { currents = known }
    maxAccuracy = main.maxAccuracyMetres
    visits = main.tracksVisits ? VisitRules() : nil
    zones =
      configuration.zones.compactMap { Zone($0) } + configuration.privacyZones.compactMap { Zone(hiding: $0) }
    wifiZones = configuration.wifiZones.compactMap { WifiZone($0) }
    if configuration.sendsTrackingStats { statistics = TrackingStatistics(main) }
    power = PowerRules(configuration)
    budget = PowerBudget.Rules(configuration)
    switch configuration.supply {
    case .mains, .vehicle: supply = .external
    case .battery: supply = .battery
    }
  }
}

extension ReceiverScheme {
  /// Nil for a receiver that is on all the time and whose every fix is looked at.
  fileprivate init?(_ configuration: Configuration) {
    let main = configuration.main
    switch main.trackingMode {
    // Check-ins, trips and visits take what comes.
    case .off: return nil
    case .standard where !main.pausesAutomatically: return nil
    case .standard, .significant, .both: break
    }
    self.init(
      trackingMode: main.trackingMode,
      pausesAutomatically: main.pausesAutomatically, desiredAccuracy: main.desiredAccuracy,
      resumeDistance: main.resumeRadiusMetres, pauseDelay: main.pauseDelay)
  }
}

extension Zone {
  /// Nil for what has no area, as corners in one line.
  fileprivate init?(_ settings: ZoneSettings) {
    let shape: ZoneShape?
    if let latitude = settings.latitude, let longitude = settings.longitude {
      shape = Coordinate(latitude: latitude, longitude: longitude).flatMap {
        ZoneShape(centre: $0, radius: settings.radiusMetres)
      }
    } else {
      shape = ZoneShape(
        polygon: settings.polygon.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) })
    }
    guard let shape else { return nil }
    self.init(settings.name, shape)
  }

  fileprivate init?(hiding settings: ZoneSettings) {
    self.init(settings)
    isPrivate = true
  }
}

extension TrackingStatistics {
  fileprivate init(_ main: TrackingSettings) {
    let activity: Activity =
      switch main.activityType {
      case .other: .other
      case .car: .automotiveNavigation
      case .fitness: .fitness
      case .nav: .otherNavigation
      case .air: .airborne
      }
    let accuracy: Accuracy =
      switch main.desiredAccuracy {
      case .nav: .navigation
      case .best: .best
      case .metres10: .tenMetres
      case .metres100: .hundredMetres
      case .kilometre1: .kilometre
      case .kilometres3: .threeKilometres
      }
    let mode: Mode =
      switch main.trackingMode {
      case .off: .off
      case .standard: .standard
      case .significant: .significant
      case .both: .both
      }
    self.init(
      pauses: main.pausesAutomatically, activity: activity, desiredAccuracy: accuracy, mode: mode)
  }
}

extension WifiZone {
  /// Nil for a place that is none.
  fileprivate init?(_ settings: WifiZoneSettings) {
    guard let place = Coordinate(latitude: settings.latitude, longitude: settings.longitude),
      !place.isNullIsland
    else { return nil }
    self.init(settings.name, network: settings.ssid, accessPoint: settings.address, place: place)
  }
}
