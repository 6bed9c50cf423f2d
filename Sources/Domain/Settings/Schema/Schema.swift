import Quantities

/// The declarations of all settings, each declared once.
enum Schema {
  typealias Of<Value: Equatable & Sendable> = Setting<Configuration, Value>

  /// The longest device name that a record of the log stores, in bytes.
  static let longestDeviceID = 128

  static let board = Of<BoardChoice?>(
    "board", \.board, .optional(.board), default: nil, allowedFiles: .neverInBoardFile,
    applies: .afterRestart,
    effect: .always,
    "Board description: the name of a file in boards/, or a path.")
  static let deviceID = Of<String>(
    "device_id", \.deviceID, .text(atMost: longestDeviceID), default: "", defaultText: "the host name",
    applies: .atOnce, effect: .always, alsoCalled: ["name"],
    "Name of this device in sent records. OwnTracks derives its topic from it: \"fleet/van7\" "
      + "becomes owntracks/fleet/van7, in which + and # become _. An empty name is sent as it is. Some "
      + "servers do not store records without a name.")
  static let applyBoard = Of<Bool>(
    "apply_board", \.appliesBoard, .boolean, default: false, allowedFiles: .neverInBoardFile,
    applies: .afterRestart,
    effect: .always,
    "Sets up the board's overlays, serial port and services when this file is applied from the boot "
      + "partition (outrider provision). The logger itself ignores it.")
  static let destinations = Of<[DestinationSettings]>(
    "destinations", \.destinations,
    .list(
      of: DestinationSettings.Field.table, named: "name", \.name, atMost: SettingLimits.destinations,
      empty: DestinationSettings(),
      check: DestinationSettings.check),
    default: [], applies: .atOnce, effect: .always,
    "Servers, brokers and directories that receive the records. Without any, records are only stored.")
  static let tracking = Of<Bool>(
    "tracking", \.isTracking, .boolean, default: true, applies: .atOnce, effect: .always,
    "Master switch of tracking. false ends a running trip, puts the receiver to sleep, and stores "
      + "and sends nothing. Only the local API still answers. outrider start and outrider stop change "
      + "it; servers cannot.")
  static let usageProfile = Of<UsageProfile?>(
    "usage_profile", \.usageProfile, .offOr(.word), default: nil, applies: .atOnce, effect: .always,
    "Preset of settings that replaces defaults and the board's values. high-resolution records "
      + "without pauses, once a minute at rest, and uses the most charge. battery-saving pauses while stationary and resumes "
      + "on motion or 500 m away. Its records keep the track within 50 m of the true one. "
      + "significant-only records a location after 500 m, at least 5 minutes apart. Settings that you "
      + "give override the preset.")
  static let sendInterval = Of<Duration?>(
    "send_interval", \.sendInterval, .offOr(.duration(.seconds(1) ... .days(1))), default: .seconds(300),
    applies: .atOnce, effect: .requires(.sending(.interval)), fromServer: .destination,
    "Shortest time between two sends. Every send costs a radio session, so a longer interval saves "
      + "charge and data. The start of a manual trip and the end of every trip are sent immediately. Off "
      + "stores records without sending them. Then outrider send, the start of a manual trip and the end of "
      + "every trip cause one attempt each, without a retry. If a server switched sending off, check-ins "
      + "continue (remote.max_silence).")
  static let tripMode = Of<TripMode>(
    "trip_mode", \.tripMode, .word, default: .bicycle, applies: .atOnce, effect: .always, fromServer: .device,
    "Mode of transport of the running trip and of later ones.")
  static let trackingStats = Of<Bool>(
    "tracking_stats", \.sendsTrackingStats, .boolean, default: false, applies: .atOnce, effect: .always,
    "Adds the tracking settings to locations, and stores actions such as pauses and their ends as "
      + "records. It costs about 130 bytes per location without compression.")
  static let uniqueID = Of<Bool>(
    "unique_id", \.sendsUniqueID, .boolean, default: false, applies: .atOnce,
    effect: .requires(.identityDestination),
    "Adds an identity of this installation to records. It is derived from the machine-id and "
      + "the serial number of the hardware and reveals neither. It costs about 50 bytes per record without compression."
  )
  static let notifications = Of<[NotificationSettings]>(
    "notifications", \.notifications, .notificationHooks, default: [], applies: .atOnce,
    effect: .requires(.notificationProgram),
    "Program, unit or URL that is called with every event of trips, visits, zones, parking, towing, "
      + "ignition, power and the automatic pause. A group also chooses kinds of events, quiet hours, a limit "
      + "and the form; a list has several.")
  static let profiles = Of<[ProfileSettings]>(
    "profiles", \.profiles,
    .list(of: ProfileSettings.Field.table, named: "when", \.when.rawValue, empty: ProfileSettings()),
    default: [], applies: .atOnce, effect: .always,
    "Recording rules by condition. The first profile in the list whose condition holds applies "
      + "alone, and any of its rules makes a record. If none holds, main.min_time and main.min_distance "
      + "apply. Unless trip is listed, trip.min_time and trip.min_distance precede moving, stop and "
      + "always, if they differ from those of main. Fewer records cost less data; the receiver's charge "
      + "depends on main.tracking_mode. A profile that can never apply is reported at the start.")
  static let zones = Of<[ZoneSettings]>(
    "zones", \.zones,
    .list(
      of: ZoneSettings.Field.table, named: "name", \.name, atMost: SettingLimits.zones, empty: ZoneSettings()),
    default: [], applies: .atOnce, effect: .always,
    "Circles and polygons whose entry and exit are events. An event takes about 100 bytes in the log.")
  static let privacyZones = Of<[ZoneSettings]>(
    "privacy_zones", \.privacyZones,
    .list(
      of: ZoneSettings.Field.shapeTable, named: "name", \.name, atMost: SettingLimits.zones,
      empty: ZoneSettings()), default: [],
    applies: .atOnce, effect: .always,
    "Circles and polygons whose locations are neither stored nor sent, from the moment they are set. "
      + "Earlier records stay in the log and on the servers.")
  static let wifiZones = Of<[WifiZoneSettings]>(
    "wifi_zones", \.wifiZones,
    .list(
      of: WifiZoneSettings.Field.table, named: "name", \.name, atMost: SettingLimits.zones,
      empty: WifiZoneSettings()), default: [],
    applies: .atOnce, effect: .requires(.wireless),
    "Wi-Fi networks with known coordinates. The coordinates are recorded when the network is joined, "
      + "at position checks and for outrider send, without the receiver. Fixes are recorded with them, "
      + "too, unless they are more than 500 m away. A name alone can be imitated, a hardware address "
      + "less easily. The kernel reports the network, which costs nothing.")
  static let wifiScan = Of<Duration?>(
    "wifi_scan", \.wifiScan, .offOr(.duration(.seconds(60) ... .days(1))), default: nil, applies: .atOnce,
    effect: .requires(.wireless),
    "Shortest time between two scans for access points while stationary. A scan uses a wake-up that "
      + "comes anyway. If all access points of a location are gone and others are found, a position "
      + "check follows. A scan costs some seconds of the radio's current and requires CAP_NET_ADMIN. "
      + "Without CAP_NET_ADMIN, scans of other programs are used.")
  static let updateTrial = Of<Duration>(
    "update.trial", \.updateTrial, .duration(.seconds(1800) ... .days(30)), default: .days(1),
    applies: .atOnce,
    effect: .always,
    "Longest time in which a new version of the package must store and deliver as the previous one did. "
      + "Otherwise the previous one returns.")
  static let supply = Of<Supply>(
    "supply", \.supply, .word, default: .mains, applies: .atOnce, effect: .always,
    "Power supply of the device. Without a gauge, mains and vehicle count as full (100 %), battery "
      + "as unknown. If this is not given, a gauge that reports a charge determines the battery state "
      + "that is sent.")
  static let accelerometer = Of<AccelerometerSettings?>(
    "accelerometer", \.accelerometer,
    .optionalComponent(.accelerometer), default: nil,
    applies: .afterRestart, effect: .always, "Accelerometer and its wiring.")
  static let gauge = Of<GaugeSettings?>(
    "gauge", \.gauge, .optionalComponent(.gauge), default: nil, applies: .afterRestart, effect: .always,
    alsoCalled: ["battery"],
    "Fuel gauge or power monitor and its wiring, or the kernel's name of a battery.")
  static let powerManager = Of<PowerManagerSettings?>(
    "power_manager", \.powerManager, .optionalComponent(.powerManager), default: nil, applies: .afterRestart,
    effect: .always,
    "Board or circuit that cuts the supply of a halted host (host.sleep) and restores it for the next task.")
  static let clockChip = Of<String?>(
    "rtc", \.clockChip, .offOr(.path), default: nil, applies: .afterRestart, effect: .always,
    "Device of a battery-backed clock, as in /dev/rtc0. Its alarm wakes the host (host.sleep) if it "
      + "is wired to the host.")
  static let energy = Of<EnergySettings>(
    "energy", \.energy, .group(of: EnergySettings.table, empty: EnergySettings()), default: EnergySettings(),
    mergeLayers: { $0.overlaid(with: $1) }, applies: .atOnce, effect: .always,
    "Currents of the consumers. A configuration over a board replaces only the entries that it "
      + "contains.")
  static let logLevel = Of<LogLevel>(
    "log.level", \.logLevel, .word, default: .notice, applies: .atOnce, effect: .always,
    "Least urgent level of the messages that are logged.")
  static let title = Of<String?>(
    "title", \.boardTitle, .optional(.name), default: nil, allowedFiles: .onlyInBoardFile, isRequired: true,
    applies: .afterRestart, effect: .always, "Name of the board, in one line.")
  static let system = Of<SystemSettings>(
    "system", \.boardSystem, .group(of: SystemSettings.table, empty: SystemSettings()),
    default: SystemSettings(), allowedFiles: .onlyInBoardFile, applies: .afterRestart, effect: .always,
    "Settings of the operating system, which outrider boards NAME --apply writes.")

  static let notes = Of<[String]>(
    "notes", \.boardNotes, .lines, default: [], allowedFiles: .onlyInBoardFile, applies: .afterRestart,
    effect: .always,
    "Steps that the operator must take before the board works.")

  /// All settings in the order of the reference: the operator's choices first, the hardware last.
  static let table = SettingTable<Configuration>(order.flatMap { $0 })

  private static let order: [[any SettingDeclaration<Configuration>]] = [
    [
      board, deviceID, applyBoard, destinations, tracking, usageProfile, sendInterval, tripMode,
      trackingStats, uniqueID, notifications,
    ],
    TrackingSettings.declared,
    TripSettings.declared,
    [profiles],
    ParkingSettings.declared,
    [zones, privacyZones, wifiZones, wifiScan],
    MotionSettings.declared,
    DrivingSettings.declared,
    PowerSettings.declared,
    NetworkSettings.declared,
    HostSettings.declared,
    HeartbeatSettings.declared,
    RemoteSettings.declared,
    StorageSettings.declared,
    [updateTrial],
    ReceiverSettings.declared,
    [supply, accelerometer, gauge, powerManager],
    LinesSettings.declared,
    LEDSettings.declared,
    [clockChip],
    ClockSettings.declared,
    [energy],
    APISettings.declared,
    PageSettings.declared,
    ShareSettings.declared,
    MapSettings.declared,
    [logLevel, title, system, notes],
  ]
}

extension Schema {
  /// The error for a dotted path that is not a setting: it reaches into a list or group that can only be set as a whole, or
  /// it is unknown, with the likely keys.
  static func unknown(_ path: String, at location: SettingLocation) -> SettingsError {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { $0.prefix { $0 != "[" } }
    let whole = names.indices.dropFirst().reversed().lazy
      .map { names[..<$0].joined(separator: ".") }.first { table[$0]?.isCompound == true }
    if let whole { return .partAlone(location, of: whole) }
    return .unknownKey(location, nearest: NearestKey.choice(table.meant(by: path)))
  }
}

extension Duration {
  static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}
