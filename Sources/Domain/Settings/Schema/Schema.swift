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
  static let applyBoard = Of<Bool>(
    "apply_board", \.appliesBoard, .boolean, default: false, allowedFiles: .neverInBoardFile,
    applies: .afterRestart,
    effect: .always,
    "Sets up the board's overlays, serial port and services when this file is applied from the boot "
      + "partition (outrider provision). The logger itself ignores it.")
  static let deviceID = Of<String>(
    "device_id", \.deviceID, .text(atMost: longestDeviceID), default: "", defaultText: "the host name",
    applies: .atOnce, effect: .always, alsoCalled: ["name"],
    "Name of this device in sent records. OwnTracks derives its topic from it: \"fleet/van7\" "
      + "becomes owntracks/fleet/van7, in which + and # become _. An empty name is sent as it is. Some "
      + "servers do not store records without a name.")
  static let destinations = Of<[DestinationSettings]>(
    "destinations", \.destinations,
    .list(
      of: DestinationSettings.Field.table, named: "name", \.name, empty: DestinationSettings(),
      check: DestinationSettings.check),
    default: [], applies: .atOnce, effect: .always,
    "Servers, brokers and directories that receive the records. Without any, records are only stored.")
  static let sendInterval = Of<Duration?>(
    "send_interval", \.sendInterval, .offOr(.duration(.seconds(1) ... .days(1))), default: .seconds(300),
    applies: .atOnce, effect: .requires(.sending(.interval)), fromServer: .destination,
    "Shortest time between two sends. Every send costs a radio session, so a longer interval saves "
      + "charge and data. The start of a manual trip and the end of every trip are sent immediately. Off "
      + "stores records without sending them. If a server switched sending off, check-ins continue "
      + "(remote.max_silence).")

  static let directory = Of<String>(
    "storage.directory", \.storage.directory, .path, default: "/var/lib/outrider", applies: .afterRestart,
    effect: .always,
    "Directory of the log.")
  static let commitInterval = Of<Duration>(
    "storage.commit_interval", \.storage.commitInterval, .duration(.zero ... .seconds(600)),
    default: .seconds(10), applies: .atOnce, effect: .always,
    "Longest time until a record is durable. \"0s\" commits every record. Every commit writes some "
      + "kilobytes, which wears the storage medium.")
  static let retention = Of<Duration?>(
    "storage.retention", \.storage.retention, .offOr(.duration(.seconds(3600) ... .days(3650))),
    default: .days(30), applies: .atOnce, effect: .always,
    "Age at which records are removed from the log. Off keeps them for ever.")
  static let limit = Of<Int64>(
    "storage.limit", \.storage.limitBytes, .bytes(atLeast: 1_000_000), default: 512_000_000, applies: .atOnce,
    effect: .always,
    "Largest size of the log.")
  static let endurance = Of<Int64?>(
    "storage.endurance", \.storage.enduranceBytes, .optional(.bytes(atLeast: 1_000_000_000)), default: nil,
    applies: .atOnce, effect: .always,
    "Bytes that the storage medium can be written with, by its maker (TBW). With it, outrider status shows how long "
      + "the medium lasts, and the event storage_wearing reports 80 % and 90 %.")
  static let allowVolatile = Of<Bool>(
    "storage.allow_volatile", \.storage.allowsVolatile, .boolean, default: false, applies: .afterRestart,
    effect: .always,
    "Allows a log in memory, where a power cut destroys it.")

  static let port = Of<String?>(
    "receiver.port", \.receiver.port, .optional(.path), default: nil, applies: .afterRestart, effect: .always,
    alsoCalled: ["device", "tty"],
    "Serial port of the receiver.")
  static let gpsd = Of<GPSDAddress?>(
    "receiver.gpsd", \.receiver.gpsd, .optional(.gpsd), default: nil, applies: .afterRestart, effect: .always,
    "Address of a gpsd that shares the receiver with other programs. It takes the place of "
      + "receiver.port.")
  static let speed = Of<ReceiverSpeed>(
    "receiver.speed", \.receiver.speed, .speed(4800...921_600), default: .automatic, applies: .afterRestart,
    effect: .requires(.serialPort),
    alsoCalled: ["baud", "baudrate"],
    "Baud rate of the serial port, in bit/s. auto detects it by listening.")
  static let targetSpeed = Of<Int?>(
    "receiver.target_speed", \.receiver.targetSpeed, .offOr(.integer(4800...921_600)), default: nil,
    applies: .afterRestart, effect: .requires(.targetSpeed),
    "Baud rate in bit/s to which the receiver is switched if receiver.speed is auto. Off keeps the "
      + "present rate.")
  static let control = Of<ReceiverControl>(
    "receiver.control", \.receiver.control, .word, default: .full, applies: .afterRestart,
    effect: .requires(.serialPort),
    "Control of the receiver: full configures it, none never writes to it.")
  static let cyclic = Of<CyclicMode>(
    "receiver.cyclic", \.receiver.cyclic, .word, default: .automatic, applies: .atOnce,
    effect: .requires(.cyclicReceiver),
    "Use of cyclic tracking while moving, if the receiver may sleep. It delivers a fix every second "
      + "at a third of the current, slightly less accurately. auto uses it with u-blox 6 to 8, M9 and "
      + "M10 on a serial port, except with the accuracy nav.")
  static let coalescingInterval = Of<Duration>(
    "receiver.gather", \.receiver.coalescingInterval, .duration(.zero ... .seconds(10)), default: .zero,
    applies: .atOnce, effect: .requires(.serialPort),
    "Longest time that epochs stay in the serial buffer before the host wakes to read them, up to "
      + "2,700 bytes. 0s wakes the host for every epoch. 3500ms reads three epochs together at 1 Hz and "
      + "saves about half of the processor time. The records are the same, but they are available, "
      + "streamed and stored later by this time. A request for a position is answered immediately.")
  static let module = Of<String?>(
    "receiver.module", \.receiver.module, .optional(.name), default: nil, applies: .afterRestart,
    effect: .always,
    "Maker and name of the receiver module. It is for display only.")
  static let enable = Of<LineSettings?>(
    "receiver.enable", \.receiver.enable, .optionalComponent(.line), default: nil, applies: .afterRestart,
    effect: .always,
    "GPIO line that switches the receiver on.")
  static let backupSupply = Of<Bool>(
    "receiver.backup_supply", \.receiver.hasBackupSupply, .boolean, default: true, applies: .afterRestart,
    effect: .always,
    "Declares a backup supply (V_BCKP) that keeps the receiver's time and ephemerides without its "
      + "main supply. Without it, every cut by receiver.enable causes a cold start of half a minute. "
      + "The supply is then cut for long waits only.")
  static let accelerometer = Of<AccelerometerSettings?>(
    "accelerometer", \.accelerometer,
    .optionalComponent(.accelerometer), default: nil,
    applies: .afterRestart, effect: .always, "Accelerometer and its wiring.")
  static let gauge = Of<GaugeSettings?>(
    "gauge", \.gauge, .optionalComponent(.gauge), default: nil, applies: .afterRestart, effect: .always,
    alsoCalled: ["battery"],
    "Fuel gauge or power monitor and its wiring, or the kernel's name of a battery.")
  static let ignition = Of<LineSettings?>(
    "lines.ignition", \.lines.ignition, .optionalComponent(.line), default: nil, applies: .afterRestart,
    effect: .always,
    "GPIO line that is active while the ignition is on. It wakes the receiver, and switching the "
      + "ignition off ends a trip.")
  static let statusLED = Of<LEDSettings.Light?>(
    "leds.status", \.leds.status, .optionalComponent(.light, mayBeNamed: true), default: nil,
    applies: .afterRestart,
    effect: .requires(.indicator),
    alsoCalled: ["led"],
    "Light that is on while tracking is on, if main.background_indicator or "
      + "trip.background_indicator enables it. It costs the current of the light.")
  static let clockChip = Of<String?>(
    "rtc", \.clockChip, .offOr(.path), default: nil, applies: .afterRestart, effect: .always,
    "Device of a battery-backed clock, as in /dev/rtc0. Its alarm wakes the host (host.sleep) if it "
      + "is wired to the host.")
  static let energy = Of<EnergySettings>(
    "energy", \.energy, .group(of: EnergySettings.table, empty: EnergySettings()), default: EnergySettings(),
    mergeLayers: { $0.overlaid(with: $1) }, applies: .atOnce, effect: .always,
    "Currents of the consumers. A configuration over a board replaces only the entries that it "
      + "contains.")
  static let supply = Of<Supply>(
    "supply", \.supply, .word, default: .mains, applies: .atOnce, effect: .always,
    "Power supply of the device. Without a gauge, mains and vehicle count as full (100 %), battery "
      + "as unknown. If this is not given, a gauge that reports a charge determines the battery state "
      + "that is sent.")

  static let apiSocket = Of<String>(
    "api.socket", \.api.socket, .path, default: "",
    defaultText: "api.sock in $RUNTIME_DIRECTORY, otherwise in /run/outrider", applies: .afterRestart,
    effect: .requires(.api),
    "Unix socket of the local API, for the command line and other programs.")
  static let apiEnabled = Of<Bool>(
    "api.enabled", \.api.isEnabled, .boolean, default: true, applies: .afterRestart, effect: .always,
    "Switch of the local API, which serves the command line and other programs.")
  static let apiListen = Of<String?>(
    "api.listen", \.api.listen, .offOr(.listenAddress), default: nil, applies: .afterRestart,
    effect: .requires(.api),
    alsoCalled: ["port"],
    "TCP address on which the local API also serves other machines. It requires api.token. The "
      + "connection is not encrypted.")
  static let apiToken = Of<Secret?>(
    "api.token", \.api.token, .optional(.secret), default: nil, applies: .afterRestart,
    effect: .requires(.apiListen),
    "Secret that clients of api.listen send as a bearer token. It is never shown.")
  static let logLevel = Of<LogLevel>(
    "log.level", \.logLevel, .word, default: .notice, applies: .atOnce, effect: .always,
    "Least urgent level of the messages that are logged.")

  static let title = Of<String?>(
    "title", \.boardTitle, .optional(.name), default: nil, allowedFiles: .onlyInBoardFile, isRequired: true,
    applies: .afterRestart, effect: .always, "Name of the board, in one line.")
  static let notes = Of<[String]>(
    "notes", \.boardNotes, .lines, default: [], allowedFiles: .onlyInBoardFile, applies: .afterRestart,
    effect: .always,
    "Steps that the operator must take before the board works.")

  static let system = Of<SystemSettings>(
    "system", \.boardSystem, .group(of: SystemSettings.table, empty: SystemSettings()),
    default: SystemSettings(), allowedFiles: .onlyInBoardFile, applies: .afterRestart, effect: .always,
    "Settings of the operating system, which outrider boards NAME --apply writes.")

  /// All settings in the order of the reference: the operator's choices first, the hardware last.
  static let table = SettingTable<Configuration>([
    board, deviceID, applyBoard, destinations, tracking, usageProfile, sendInterval, tripMode, trackingStats,
    uniqueID, notifications,
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
    networkUp, networkDown, networkRadio, networkLine, networkSettling, networkTimeout, networkLongest,
    hostSleep, hostDown, hostStarting, hostStopping, hostLeast, hostAfterStart, hostWakesOnMotion,
    hostWhileFed,
    maxSilence, locked,
    directory, commitInterval, retention, limit, endurance, allowVolatile, updateTrial,
    port, gpsd, speed, targetSpeed, control, cyclic, coalescingInterval, module, enable, backupSupply, supply,
    accelerometer, gauge, ignition, statusLED, clockChip, chrony, energy, apiSocket, apiEnabled, apiListen,
    apiToken, logLevel, title, system, notes,
  ])
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
