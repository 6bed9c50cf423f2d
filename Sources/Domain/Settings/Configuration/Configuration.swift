import Quantities

/// All settings with their effective values, each from the highest layer that gave one.
///
/// ``settings`` describes key paths, units, ranges and meaning.
public struct Configuration: Equatable, Sendable {
  public var board: BoardChoice? = Schema.board.fallback
  /// True if the board is set up when the file is applied from the boot partition.
  public var appliesBoard: Bool = Schema.applyBoard.fallback
  public var deviceID: String
  public var destinations: [DestinationSettings] = Schema.destinations.fallback
  /// The master switch: false puts the receiver to sleep, stores nothing and sends nothing.
  public var isTracking: Bool = Schema.tracking.fallback
  /// The preset for accuracy against power; nil for none.
  public var usageProfile: UsageProfile? = Schema.usageProfile.fallback
  /// The general send interval; nil if off. ``delivery(to:)`` returns the value of one destination.
  public var sendInterval: Duration? = Schema.sendInterval.fallback
  /// The mode of a trip that is started without one.
  public var tripMode: TripMode = Schema.tripMode.fallback
  public var sendsTrackingStats: Bool = Schema.trackingStats.fallback
  public var sendsUniqueID: Bool = Schema.uniqueID.fallback
  /// The program or URL for notifications; nil for none.
  public var notifications: NotificationHook? = Schema.notifications.fallback
  public var storage = StorageSettings()
  /// The longest trial of a new version.
  public var updateTrial: Duration = Schema.updateTrial.fallback
  public var main = TrackingSettings()
  public var trip = TripSettings()
  /// The recording profiles in the order of evaluation. No two have the same condition.
  public var profiles: [ProfileSettings] = Schema.profiles.fallback
  public var parking = ParkingSettings()
  public var zones: [ZoneSettings] = Schema.zones.fallback
  public var privacyZones: [ZoneSettings] = Schema.privacyZones.fallback
  public var wifiZones: [WifiZoneSettings] = Schema.wifiZones.fallback
  public var wifiScan: Duration? = Schema.wifiScan.fallback
  public var motion = MotionSettings()
  public var driving = DrivingSettings()
  public var power = PowerSettings()
  public var network = NetworkSettings()
  public var host = HostSettings()
  public var remote = RemoteSettings()
  public var receiver = ReceiverSettings()
  public var supply: Supply = Schema.supply.fallback
  /// The accelerometer; nil for none.
  public var accelerometer: AccelerometerSettings? = Schema.accelerometer.fallback
  /// The fuel gauge; nil for none.
  public var gauge: GaugeSettings? = Schema.gauge.fallback
  public var lines = LinesSettings()
  public var leds = LEDSettings()
  /// Path of the clock chip, as in `/dev/rtc0`; nil for none.
  public var clockChip: String? = Schema.clockChip.fallback
  public var clock = ClockSettings()
  public var energy: EnergySettings = Schema.energy.fallback
  public var api: APISettings
  public var logLevel: LogLevel = Schema.logLevel.fallback
  /// The title of the board file; nil without a board file.
  public var boardTitle: String? = Schema.title.fallback
  /// The settings of the operating system that the board requires; empty without a board file.
  public var boardSystem: SystemSettings = Schema.system.fallback
  /// The steps that the operator must take before the board works; empty without a board file.
  public var boardNotes: [String] = Schema.notes.fallback
  /// The origin of every setting's value, by dotted path; contains every path of ``settings``.
  public internal(set) var origins: [String: Origin]
  /// The values that servers have set for their own destinations, by the destination's name and the setting's path.
  var destinationLayer: [String: [String: String]] = [:]
  /// The members of lists that the effective source gives, as in `zones[0].radius`.
  var givenMembers: Set<String> = []
  /// The errors of stored values that were ignored.
  public internal(set) var storedFaults: [SettingsError] = []
  /// The keys of the configuration file that stored values of the operator or of servers override.
  public internal(set) var overriddenKeys: [OverriddenKey] = []

  /// Creates a configuration with every setting at its default.
  public init(fallbacks: Fallbacks) {
    deviceID = fallbacks.deviceID
    api = APISettings(socket: fallbacks.apiSocket)
    origins = Dictionary(
      Self.listed.map { ($0.path, .default) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The defaults that depend on the host instead of the schema.
public struct Fallbacks: Equatable, Sendable {
  public var deviceID: String
  public var apiSocket: String

  public init(deviceID: String, apiSocket: String) {
    self.deviceID = deviceID
    self.apiSocket = apiSocket
  }
}

/// The settings of the log (`storage`).
public struct StorageSettings: Equatable, Sendable {
  public var directory: String = Schema.directory.fallback
  /// Interval of commits; zero commits every record.
  public var commitInterval: Duration = Schema.commitInterval.fallback
  /// Age at which records are deleted; nil for no limit.
  public var retention: Duration? = Schema.retention.fallback
  public var limitBytes: Int64 = Schema.limit.fallback
  /// The endurance that the maker of the medium states; nil if unknown.
  public var enduranceBytes: Int64? = Schema.endurance.fallback
  public var allowsVolatile: Bool = Schema.allowVolatile.fallback

  public init() {}
}

/// The settings of recording and sending outside of trips (`main`).
public struct TrackingSettings: Equatable, Sendable {
  public var trackingMode: TrackingMode = Schema.trackingMode.fallback
  public var tracksVisits: Bool = Schema.visitTracking.fallback
  public var desiredAccuracy: DesiredAccuracy = Schema.desiredAccuracy.fallback
  public var activityType: ActivityType = Schema.activityType.fallback
  public var showsIndicator: Bool = Schema.backgroundIndicator.fallback
  public var pausesAutomatically: Bool = Schema.pauseAutomatically.fallback
  /// Radius of the geofence that resumes recording, in metres; nil if off.
  public var resumeRadiusMetres: Double? = Schema.resumeWithGeofence.fallback
  public var pauseDelay: Duration = Schema.pauseDelay.fallback
  public var requiredMotionDuration: Duration = Schema.requiredMotionDuration.fallback
  public var loggingMode: LoggingMode = Schema.loggingMode.fallback
  public var batchSize: Int = Schema.batchSize.fallback
  /// Minimum distance between two records in metres; nil if off.
  public var minDistanceMetres: Double? = Schema.minDistance.fallback
  public var minTime: Duration = Schema.minTime.fallback
  /// Worst horizontal accuracy of a record in metres; nil if off.
  public var maxAccuracyMetres: Double? = Schema.maxAccuracy.fallback
  /// Time after which the best of the poor fixes is recorded; nil for never.
  public var accuracyRetry: Duration? = Schema.accuracyRetry.fallback
  /// Speed in m/s below which a record shows 0; nil if off.
  public var quietSpeed: Double? = Schema.quietSpeed.fallback
  public var checkInterval: Duration = Schema.checkInterval.fallback
  public var checkLongest: Duration = Schema.checkLongest.fallback
  public var checkMetres: Double = Schema.checkDistance.fallback
  /// Distance in metres for which fixes may be deferred; nil if off.
  public var deferredMetres: Double? = Schema.deferred.fallback

  public init() {}
}

/// The settings of trips (`trip`).
public struct TripSettings: Equatable, Sendable {
  public var start: TripStart = Schema.tripStart.fallback
  public var desiredAccuracy: DesiredAccuracy = Schema.tripDesiredAccuracy.fallback
  public var activityType: ActivityType = Schema.tripActivityType.fallback
  public var showsIndicator: Bool = Schema.tripBackgroundIndicator.fallback
  public var preventsScreenLock: Bool = Schema.tripPreventScreenLock.fallback
  public var pausesAutomatically: Bool = Schema.tripPauseAutomatically.fallback
  public var loggingMode: LoggingMode = Schema.tripLoggingMode.fallback
  public var batchSize: Int = Schema.tripBatchSize.fallback
  /// Minimum distance between two records in metres; nil if off.
  public var minDistanceMetres: Double? = Schema.tripMinDistance.fallback
  public var minTime: Duration = Schema.tripMinTime.fallback

  public init() {}
}

/// The limits of changes by servers (`remote`).
public struct RemoteSettings: Equatable, Sendable {
  public var maxSilence: Duration = Schema.maxSilence.fallback
  /// The settings and groups of settings that servers cannot change.
  public var locked: [String] = Schema.locked.fallback

  public init() {}

  /// True if the setting at a dotted path, or a group that contains it, is locked.
  public func locks(_ path: String) -> Bool {
    locked.contains { $0 == path || path.hasPrefix($0 + ".") }
  }
}

/// The settings of the receiver (`receiver`).
public struct ReceiverSettings: Equatable, Sendable {
  /// Path of the serial port; nil if not given. Never given together with `gpsd`.
  public var port: String? = Schema.port.fallback
  /// Address of gpsd; nil if not given.
  public var gpsd: GPSDAddress? = Schema.gpsd.fallback
  public var speed: ReceiverSpeed = Schema.speed.fallback
  /// The baud rate to set, in bit/s; nil for no change.
  public var targetSpeed: Int? = Schema.targetSpeed.fallback
  public var control: ReceiverControl = Schema.control.fallback
  public var cyclic: CyclicMode = Schema.cyclic.fallback
  /// The longest time that epochs stay unread in the buffer; zero reads every epoch.
  public var coalescingInterval: Duration = Schema.coalescingInterval.fallback
  /// Maker and name of the module, for display; nil if not given.
  public var module: String? = Schema.module.fallback
  /// The line that switches the receiver on; nil if not wired.
  public var enable: LineSettings? = Schema.enable.fallback
  /// True if the receiver keeps its data without its main supply.
  public var hasBackupSupply: Bool = Schema.backupSupply.fallback

  public init() {}
}

/// The settings of the local API (`api`).
public struct APISettings: Equatable, Sendable {
  public var socket: String
  public var isEnabled: Bool = Schema.apiEnabled.fallback
  /// The TCP address, `ADDRESS:PORT`; nil for none.
  public var listen: String? = Schema.apiListen.fallback
  public var token: Secret? = Schema.apiToken.fallback

  public init(socket: String) { self.socket = socket }
}
