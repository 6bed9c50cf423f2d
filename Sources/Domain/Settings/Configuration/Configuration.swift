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
  /// The programs and URLs for notifications; empty for none.
  public var notifications: [NotificationSettings] = Schema.notifications.fallback
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
  public var heartbeat = HeartbeatSettings()
  public var remote = RemoteSettings()
  public var receiver = ReceiverSettings()
  public var supply: Supply = Schema.supply.fallback
  /// The accelerometer; nil for none.
  public var accelerometer: AccelerometerSettings? = Schema.accelerometer.fallback
  /// The fuel gauge; nil for none.
  public var gauge: GaugeSettings? = Schema.gauge.fallback
  /// The board that cuts the supply of the host; nil for none.
  public var powerManager: PowerManagerSettings? = Schema.powerManager.fallback
  public var lines = LinesSettings()
  public var leds = LEDSettings()
  /// Path of the clock chip, as in `/dev/rtc0`; nil for none.
  public var clockChip: String? = Schema.clockChip.fallback
  public var clock = ClockSettings()
  public var energy: EnergySettings = Schema.energy.fallback
  public var api: APISettings
  public var page = PageSettings()
  public var share = ShareSettings()
  public var map = MapSettings()
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
