/// Every setting, each declared once.
enum Schema {
  typealias Of<Value: Equatable & Sendable> = Setting<Configuration, Value>

  /// What a record of the log keeps of it, in bytes.
  static let longestDeviceID = 128

  static let board = Of<BoardChoice?>(
    "board", \.board, .optional(.board), default: nil, stands: .neverInBoardFile, applies: .afterRestart,
    effect: .always,
    "Board that the logger runs on: a file of boards/ by name, or a path.")
  static let deviceID = Of<String>(
    "device_id", \.deviceID, .text(atMost: longestDeviceID), default: "", defaultText: "the host name",
    applies: .atOnce, effect: .always, alsoCalled: ["name"],
    "Name of this device in what is sent; may be empty, which some servers do not store. OwnTracks makes its topic of "
      + "it: \"fleet/van7\" becomes owntracks/fleet/van7, + and # in it _. A phone leaves an empty one out; the box sends it as it is."
  )
  static let destinations = Of<[DestinationSettings]>(
    "destinations", \.destinations,
    .list(
      of: DestinationSettings.Field.table, named: "name", \.name, empty: DestinationSettings(),
      check: DestinationSettings.check),
    default: [], applies: .atOnce, effect: .always,
    "Servers and directories that receive the records; without any, records are only kept.")
  static let sendInterval = Of<Duration?>(
    "send_interval", \.sendInterval, .offOr(.duration(.seconds(1) ... .days(1))), default: .seconds(300),
    applies: .atOnce, effect: .requires(.sending(.interval)), fromServer: .destination,
    "Shortest time between two sends. Each send costs a radio session, so longer saves charge and data; a phone sends only "
      + "when a position comes in, the box by the clock. A trip that begins by hand, and each that ends, is told at once. Off keeps records without sending them; a box that was told so "
      + "from afar still checks in (remote.max_silence).")

  static let directory = Of<String>(
    "storage.directory", \.storage.directory, .path, default: "/var/lib/outrider", applies: .afterRestart,
    effect: .always,
    "Directory of the log.")
  static let commitInterval = Of<Duration>(
    "storage.commit_interval", \.storage.commitInterval, .duration(.zero ... .seconds(600)),
    default: .seconds(10), applies: .atOnce, effect: .always,
    "Longest time that a record waits to be made durable; \"0s\" commits each record. Each commit wears the medium by some "
      + "kilobytes.")
  static let retention = Of<Duration?>(
    "storage.retention", \.storage.retention, .offOr(.duration(.seconds(3600) ... .days(3650))),
    default: .days(30), applies: .atOnce, effect: .always,
    "Age at which records leave the log; off keeps them for ever.")
  static let limit = Of<Int64>(
    "storage.limit", \.storage.limitBytes, .bytes(atLeast: 1_000_000), default: 512_000_000, applies: .atOnce,
    effect: .always,
    "Space that the log may take.")
  static let allowVolatile = Of<Bool>(
    "storage.allow_volatile", \.storage.allowsVolatile, .boolean, default: false, applies: .afterRestart,
    effect: .always,
    "Whether the log may lie in memory, where a power cut destroys it.")

  static let port = Of<String?>(
    "receiver.port", \.receiver.port, .optional(.path), default: nil, applies: .afterRestart, effect: .always,
    alsoCalled: ["device", "tty"],
    "Serial port of the receiver.")
  static let gpsd = Of<GPSDAddress?>(
    "receiver.gpsd", \.receiver.gpsd, .optional(.gpsd), default: nil, applies: .afterRestart, effect: .always,
    "Address of a gpsd that shares the receiver with other programs, instead of receiver.port.")
  static let speed = Of<ReceiverSpeed>(
    "receiver.speed", \.receiver.speed, .speed(4800...921_600), default: .automatic, applies: .afterRestart,
    effect: .requires(.serialPort),
    alsoCalled: ["baud", "baudrate"],
    "Rate of the serial port in bit/s; auto finds it by listening.")
  static let targetSpeed = Of<Int?>(
    "receiver.target_speed", \.receiver.targetSpeed, .offOr(.integer(4800...921_600)), default: nil,
    applies: .afterRestart, effect: .requires(.targetSpeed),
    "Rate in bit/s that the receiver is brought to where its port is on auto; off leaves the rate it has.")
  static let control = Of<ReceiverControl>(
    "receiver.control", \.receiver.control, .word, default: .full, applies: .afterRestart,
    effect: .requires(.serialPort),
    "Whether the logger configures the receiver (full) or never writes a byte to it (none).")
  static let cyclic = Of<CyclicMode>(
    "receiver.cyclic", \.receiver.cyclic, .word, default: .automatic, applies: .atOnce,
    effect: .requires(.cyclicReceiver),
    "Whether a receiver that may sleep tracks in its cyclic mode on the way: a fix a second at a third of the current and "
      + "somewhat less exact. auto does so with u-blox 6 to 8, M9 and M10 on a serial port, but not with the accuracy nav."
  )
  static let gathering = Of<Duration>(
    "receiver.gather", \.receiver.gathering, .duration(.zero ... .seconds(10)), default: .zero,
    applies: .atOnce, effect: .requires(.serialPort),
    "How long the epochs of a receiver that tracks may gather in the serial line's buffer before the host wakes for them, up "
      + "to 2,700 bytes; 0s wakes it for each. 3500ms takes three at one a second and saves about half of the processor "
      + "time. What is recorded stays the same; it is known, streamed and safe so much later, and who asks for a position "
      + "gets it at once.")
  static let module = Of<String?>(
    "receiver.module", \.receiver.module, .optional(.name), default: nil, applies: .afterRestart,
    effect: .always,
    "Receiver's module by maker and name, for people.")
  static let enable = Of<LineSettings?>(
    "receiver.enable", \.receiver.enable, .fitted(.line), default: nil, applies: .afterRestart,
    effect: .always,
    "Line that switches the receiver on.")
  static let backupSupply = Of<Bool>(
    "receiver.backup_supply", \.receiver.hasBackupSupply, .boolean, default: true, applies: .afterRestart,
    effect: .always,
    "Whether the receiver keeps time and ephemerides without its main supply (V_BCKP is wired). Without it each cut by "
      + "receiver.enable is a cold start of half a minute, so the supply is cut for long waits only.")
  static let accelerometer = Of<AccelerometerSettings?>(
    "accelerometer", \.accelerometer,
    .fitted(.accelerometer), default: nil,
    applies: .afterRestart, effect: .always, "Accelerometer, and how it is wired.")
  static let gauge = Of<GaugeSettings?>(
    "gauge", \.gauge, .fitted(.gauge), default: nil, applies: .afterRestart, effect: .always,
    alsoCalled: ["battery"],
    "Gauge or power monitor and how it is wired, or the kernel's name of a battery.")
  static let ignition = Of<LineSettings?>(
    "lines.ignition", \.lines.ignition, .fitted(.line), default: nil, applies: .afterRestart, effect: .always,
    "Line that is active while the ignition is on: it wakes the receiver, and its end ends a trip.")
  static let statusLED = Of<LEDSettings.Light?>(
    "leds.status", \.leds.status, .fitted(.light, mayBeNamed: true), default: nil, applies: .afterRestart,
    effect: .requires(.indicator),
    alsoCalled: ["led"],
    "Light that is on while tracking is switched on, where main.background_indicator or trip.background_indicator asks "
      + "for it; it costs what a light costs.")
  static let clockChip = Of<String?>(
    "rtc", \.clockChip, .offOr(.path), default: nil, applies: .afterRestart, effect: .always,
    "Device of a clock that runs on without supply, as in /dev/rtc0; its alarm wakes the host (host.sleep), where it is "
      + "wired to.")
  static let energy = Of<EnergySettings>(
    "energy", \.energy, .group(of: EnergySettings.table, empty: EnergySettings()), default: EnergySettings(),
    laidOver: { $0.overlaid(with: $1) }, applies: .atOnce, effect: .always,
    "Currents that the parts of the box draw; a source replaces only those that it gives.")
  static let supply = Of<Supply>(
    "supply", \.supply, .word, default: .mains, applies: .atOnce, effect: .always,
    "What feeds the box; without a gauge, mains and vehicle count as full (100 %), battery as unknown. Where it is not given, "
      + "a gauge that tells a charge decides what goes out.")

  static let apiSocket = Of<String>(
    "api.socket", \.api.socket, .path, default: "",
    defaultText: "api.sock in $RUNTIME_DIRECTORY, else in /run/outrider", applies: .afterRestart,
    effect: .requires(.api),
    "Socket through which the command line and other programs talk to the logger.")
  static let apiEnabled = Of<Bool>(
    "api.enabled", \.api.isEnabled, .boolean, default: true, applies: .afterRestart, effect: .always,
    "Whether the logger answers the command line and other programs.")
  static let apiListen = Of<String?>(
    "api.listen", \.api.listen, .offOr(.listenAddress), default: nil, applies: .afterRestart,
    effect: .requires(.api),
    alsoCalled: ["port"],
    "Address on which the local API answers other machines too; wants api.token, and is not encrypted.")
  static let apiToken = Of<Secret?>(
    "api.token", \.api.token, .optional(.secret), default: nil, applies: .afterRestart,
    effect: .requires(.apiListen),
    "Secret that clients of api.listen send as bearer token; never shown.")
  static let logLevel = Of<LogLevel>(
    "log.level", \.logLevel, .word, default: .notice, applies: .atOnce, effect: .always,
    "Least urgent messages that are still logged.")

  static let title = Of<String?>(
    "title", \.boardTitle, .optional(.name), default: nil, stands: .onlyInBoardFile, isRequired: true,
    applies: .afterRestart, effect: .always, "What the board is, in a line.")
  static let notes = Of<[String]>(
    "notes", \.boardNotes, .lines, default: [], stands: .onlyInBoardFile, applies: .afterRestart,
    effect: .always,
    "What the operator must do before the board works.")

  /// In the order of the reference: what the operator wants first, what is soldered last.
  static let table = SettingTable<Configuration>([
    board, deviceID, destinations, tracking, usageProfile, sendInterval, tripMode, trackingStats, uniqueID,
    notifications,
    trackingMode, visitTracking, desiredAccuracy, activityType, backgroundIndicator, pauseAutomatically,
    resumeWithGeofence, pauseDelay, requiredMotionDuration, loggingMode, batchSize, minDistance, minTime,
    maxAccuracy, accuracyRetry, quietSpeed,
    deferred, checkInterval, checkLongest, checkDistance,
    tripStart, tripDesiredAccuracy, tripActivityType, tripBackgroundIndicator, tripPreventScreenLock,
    tripPauseAutomatically,
    tripLoggingMode,
    tripBatchSize, tripMinDistance, tripMinTime,
    profiles, parkingDelay, parkingRadius, parkingBlindDelay, parkingFreeze,
    zones, privacyZones, wifiZones, wifiScan,
    motionVoltage, motionVoltageHold, motionCharger,
    harshAcceleration, harshBraking, harshCornering, speedLimit, speedDuration, idling, idlingEnd, tow,
    towDuration,
    powerLow, powerCritical, powerResume, powerLowVolts, powerCriticalVolts, powerResumeVolts,
    powerUnderVolts, powerOverVolts, powerColdest, powerHottest, powerLastUntil, powerReserve, powerCapacity,
    networkUp, networkDown, networkRadio, networkLine, networkSettling, networkPatience, networkLongest,
    hostSleep, hostDown, hostStarting, hostStopping, hostLeast, hostAfterStart, hostWakesOnMotion,
    hostWhileFed,
    maxSilence, locked,
    directory, commitInterval, retention, limit, allowVolatile,
    port, gpsd, speed, targetSpeed, control, cyclic, gathering, module, enable, backupSupply, supply,
    accelerometer, gauge, ignition, statusLED, clockChip, energy, apiSocket, apiEnabled, apiListen,
    apiToken, logLevel, title, notes,
  ])
}

extension Schema {
  /// What is wrong with a dotted path that is no setting: it reaches into a list or group that is given as a whole, or
  /// others were probably meant.
  static func unknown(_ path: String, at place: SettingsPlace) -> SettingsError {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { $0.prefix { $0 != "[" } }
    let whole = names.indices.dropFirst().reversed().lazy
      .map { names[..<$0].joined(separator: ".") }.first { table[$0]?.isCompound == true }
    if let whole { return .partAlone(place, of: whole) }
    return .unknownKey(place, nearest: NearestKey.choice(table.meant(by: path)))
  }
}

extension Duration {
  static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}
