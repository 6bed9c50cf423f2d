import Quantities

/// Words the sentence of an event from its fields: evidence first, then the remedy.
///
/// No other code words events. The sentence is stored with the event, so a later version may use other words.
struct EventSentence {
  private let fields: EventFields

  init(_ fields: EventFields) { self.fields = fields }

  func text(of kind: EventKind) -> String {
    switch kind {
    case .started, .stopped, .configurationChanged, .configurationRefused, .remoteApplied, .remoteProven,
      .remoteRolledBack, .updated, .updateRolledBack:
      ofSettings(kind)
    case .receiverFound, .receiverLost, .receiverSilent, .receiverGarbled, .receiverIdentified,
      .receiverConfigured, .receiverSpeed, .receiverRestarted, .receiverFault, .receiverRecovered,
      .receiverRecoveryStep:
      with(location, ofReceiver(kind))
    case .firstFix: "first fix \(duration(.duration)) after \(startText)"
    case .receiverAsleep: ofSleep
    case .gaugeLost, .gaugeReturned, .gaugeDoubtful, .accelerometerLost, .accelerometerReturned,
      .accelerometerDoubtful, .supplyUnder, .supplyOver, .supplyInRange:
      with(text(.part), ofPart(kind))
    case .ignitionOn, .ignitionOff, .ignitionLost, .chargerAttached, .chargerRemoved, .batteryFull,
      .batteryLow,
      .brownOut, .powerLevel, .powerBudget, .hostSleeping, .hostWoke, .hostStaysAwake:
      ofPower(kind)
    case .motionChanged, .motionBegan, .motionEnded, .trackingPaused, .trackingResumed, .clockSet,
      .clockStepped,
      .clockLost, .clockSourceChanged, .weekRepaired:
      ofMotionOrClock(kind)
    case .tripStarted, .tripEnded, .gap, .zoneEntered, .zoneLeft, .zoneDwelt, .parkingMoved,
      .harshAcceleration,
      .harshBraking, .harshCornering, .overspeedStarted, .overspeedEnded, .idlingStarted, .idlingEnded,
      .towed,
      .heartbeat, .fixesRejected, .fixesLeftOut:
      ofTracking(kind)
    case .logSalvaged, .recordsMissing, .recordsDropped, .storageFailing, .storageRecovered,
      .storageNearlyFull,
      .storageHasRoom, .storageSlow, .storageKeepsUp, .storageVolatile, .storageWearing:
      ofStorage(kind)
    case .deliveryFailing, .deliveryRecovered, .recordSetAside, .deliveryDoubtful, .backlogOver,
      .backlogUnder,
      .queueDropped:
      "upload \(text(.destination)): \(ofDelivery(kind))"
    case .networkFailing, .networkRecovered, .notificationFailing: ofNetwork(kind)
    }
  }

  // MARK: Pieces

  private func has(_ field: EventField) -> Bool { fields[field] != nil }
  private func text(_ field: EventField) -> String { fields.text(field) ?? "" }
  /// A word of a closed list, with spaces instead of underscores.
  private func word(_ field: EventField) -> String {
    text(field).split(separator: "_").joined(separator: " ")
  }
  private func number(_ field: EventField) -> Int64 { fields.number(field) ?? 0 }
  /// A duration with one unit, rounded down from ten minutes on; the field has the exact seconds.
  private func duration(_ field: EventField) -> String {
    let seconds = number(field)
    let steps: [(unit: String, length: Int64, from: Int64)] = [
      ("d", 86_400, 172_800), ("h", 3600, 7200), ("min", 60, 600),
    ]
    for step in steps where seconds >= step.from || (seconds >= 120 && seconds % step.length == 0) {
      return "\(seconds / step.length) \(step.unit)"
    }
    return "\(seconds) s"
  }

  private func counted(_ field: EventField, _ noun: String) -> String {
    number(field) == 1 ? "1 \(noun)" : "\(number(field)) \(noun)s"
  }

  private func decimal(_ field: EventField, per unit: Double = 1, digits: Double = 100) -> String {
    let value: Double =
      switch fields[field] {
      case .integer(let number)?: Double(number)
      case .decimal(let number)?: number
      case .flag?, .text?, .list?, .counts?, .texts?, nil: 0
      }
    let rounded = (value / unit * digits).rounded() / digits
    return Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
  }

  private var volts: String { "\(decimal(.voltage, per: 1000)) V" }

  private func with(_ subject: String, _ sentence: String) -> String {
    subject.isEmpty || sentence.hasPrefix("\(subject): ") ? sentence : "\(subject): \(sentence)"
  }

  // MARK: Logger and settings

  private func ofSettings(_ kind: EventKind) -> String {
    let changes = fields.list(.changes).joined(separator: ", ")
    let source = text(.destination).isEmpty ? "of a removed destination" : text(.destination)
    return switch kind {
    case .started: "Outrider \(text(.version))" + previousRun
    case .stopped: "orderly stop"
    case .configurationChanged: changes
    case .configurationRefused:
      text(.cause) == "start"
        ? "the logger did not start before: \(text(.reason))"
        : "\(text(.reason)); the current configuration stays in force"
    case .updated: "version \(text(.version)) has proven itself after \(text(.previousVersion))"
    case .updateRolledBack:
      "version \(text(.version)) failed its trial; version \(text(.previousVersion)) runs again: \(text(.reason))"
    case .remoteApplied:
      "remote settings \(source): \(changes): on trial; rolled back after \(duration(.rollback)) unless a location "
        + "recorded under them is stored and acknowledged"
    case .remoteProven:
      "remote settings \(source): \(changes): proven; a location recorded under them was stored and acknowledged"
    default: "remote settings \(source): \(changes): rolled back: \(rollbackReason)"
    }
  }

  private var rollbackReason: String {
    switch text(.cause) {
    case "not_proven": "no location recorded under them was acknowledged within remote.max_silence"
    case "crashes": "the logger ended repeatedly soon after its start"
    case "unset": "the operator unset them (outrider set --unset)"
    default: text(.reason)
    }
  }

  private var previousRun: String {
    let update = has(.previousVersion) ? "updated from \(text(.previousVersion))" : ""
    let cause =
      switch text(.cause) {
      case "first_start": "first start with this log"
      // The version before precedes it.
      case "orderly_stop", "update": "after an orderly stop"
      case "crash": "previous run crashed (\(text(.signal)))"
      case "watchdog": "previous run was ended by the watchdog of its supervisor (\(text(.signal)))"
      case "supervisor": "previous run was ended by its supervisor (\(text(.signal)))"
      case "other_program": "previous run was ended by another program (\(text(.signal)))"
      case "killed": "previous run ended without notice in this boot: killed, or out of memory"
      case "power_loss": "previous run ended with its boot: power loss, or the host stopped without notice"
      case "host_watchdog":
        "previous run ended with its boot: the hardware watchdog reset the host, which hung"
      case "no_notice": "previous run ended without notice"
      case "unknown": "nothing is known of the previous run"
      default: ""
      }
    return [update, cause].filter { !$0.isEmpty }.map { "; \($0)" }.joined()
  }

  // MARK: Receiver

  private var location: String {
    guard has(.gpsd) else { return text(.port) }
    return "gpsd at \(text(.gpsd))" + (has(.gpsdVersion) ? " (version \(text(.gpsdVersion)))" : "")
  }

  private func ofReceiver(_ kind: EventKind) -> String {
    switch kind {
    case .receiverFound:
      if has(.duration) { return "data again after \(duration(.duration))" }
      if has(.device) { return "data from \(text(.device))" }
      if has(.gpsd) { return "data from the receiver again" }
      return has(.baud) ? "valid messages at \(number(.baud)) baud" : "valid messages"
    case .receiverLost: return "\(text(.reason)); \(portRemedy); the logger keeps retrying"
    case .receiverSilent: return silence
    case .receiverGarbled: return garbled
    case .receiverIdentified:
      let names = [text(.module), has(.firmware) ? "firmware \(text(.firmware))" : "", text(.device)]
      let known = names.filter { !$0.isEmpty }.joined(separator: ", ")
      return known.isEmpty ? "no answer to identification; the receiver keeps its settings" : known
    case .receiverConfigured: return configured
    case .receiverSpeed: return baudRate
    case .receiverRestarted: return "restarted by itself; configuring it again"
    case .receiverFault: return faultWithEvidence
    case .receiverRecovered: return "\(word(.fault)) cleared after \(duration(.duration))"
    default:
      guard has(.retry) else { return "\(word(.fault)); recovery step: \(word(.remedy))" }
      let tried = fields.list(.tried).map { $0.split(separator: "_").joined(separator: " ") }
      let steps =
        tried.isEmpty ? "no recovery step is possible" : "recovery failed (\(tried.joined(separator: ", ")))"
      return
        "\(word(.fault)); \(steps); check receiver, cable and antenna; next attempt in \(duration(.retry))"
    }
  }

  private var portRemedy: String {
    switch text(.cause) {
    case "no_such_file": "check receiver.port and the cable"
    case "busy": "stop the program that uses the port (gpsd, ModemManager, a login console, another outrider)"
    case "permission_denied": "add the user to the group dialout"
    case "no_serial_port": "set receiver.port to a serial port"
    case "write_timeout": "check the port, or set receiver.control to none"
    case "unknown_host": "check the host in receiver.gpsd"
    case "unreachable": "check that gpsd runs and that receiver.gpsd names its port"
    case "no_answer": "check the network and receiver.gpsd"
    case "connection_closed": "check the journal of gpsd"
    case "configuration": "check receiver.gpsd"
    default: "check the cable"
    }
  }

  private var silence: String {
    switch text(.cause) {
    case "no_answer": "no data, even after a query; check the receiver's supply and wiring"
    case "does_not_wake": "does not wake up; searching for the receiver"
    case _ where has(.gpsd):
      "no receiver data for \(duration(.duration)); check with gpsmon or cgps if gpsd has a receiver"
    default: "no data for \(duration(.duration))"
    }
  }

  private var garbled: String {
    switch text(.cause) {
    case "all_baud_rates": "no valid message at any baud rate; check the wiring and receiver.speed"
    case "wrong_port": "bytes, but no valid message; check that this is the receiver's port"
    default: "no valid message (\(evidence)); check the wiring and receiver.speed"
    }
  }

  private var configured: String {
    switch text(.cause) {
    case "cyclic_refused": "cyclic tracking is off: the receiver rejects \(text(.command))"
    case "cyclic_silent": "cyclic tracking is off: the receiver stopped sending"
    case "batching_refused":
      "batching is off: the receiver rejects \(text(.command)); epochs wait in the line's buffer"
    default:
      number(.count) == 0 ? "configured" : "configured, except for \(counted(.count, "command")) not accepted"
    }
  }

  private var baudRate: String {
    switch text(.cause) {
    case "changed": "baud rate changed from \(number(.previousBaud)) to \(number(.baud))"
    case "rejected": "\(number(.desiredBaud)) baud cannot be used; still at \(number(.baud)) baud"
    default:
      "no data after the change to \(number(.desiredBaud)) baud, nor at \(number(.previousBaud)) baud; "
        + "searching for the receiver"
    }
  }

  private var faultWithEvidence: String {
    switch text(.fault) {
    case "supply_switch": "receiver.enable: \(text(.reason)); the receiver's supply stays as it is"
    case "unsupported_protocol": text(.reason)
    case "does_not_sleep": "cannot be put to sleep: \(obstacle)"
    case "epochs_lost": "\(counted(.count, "epoch")) buffered in the receiver lost"
    default: with(word(.fault), evidence)
    }
  }

  private var obstacle: String {
    switch text(.obstacle) {
    case "not_allowed": "receiver.control is none; set it to full"
    case "no_command": "the receiver has no command for it; wire receiver.enable or use another receiver"
    case "needs_pin": "only a pin would wake it up again; wire receiver.enable"
    default: "it keeps sending after the command; wire receiver.enable"
    }
  }

  private var evidence: String {
    let time = duration(.duration)
    return switch text(.evidence) {
    case "no_bytes": "no data for \(time)"
    case "bytes_without_message": "\(counted(.bytes, "byte")) in \(time)"
    case "no_epoch": "messages without a time for \(time)"
    case "same_position": "same position for \(time) at \(decimal(.speed, per: 1000, digits: 1)) m/s"
    case "same_fix": "same fix for \(time)"
    case "same_time": "same time for \(time)"
    case "time_went_back": "time went back by \(number(.step)) ms"
    case "time_jumped": "time jumped ahead by \(number(.step)) ms"
    case "no_fix": "none for \(time); check the antenna and its view of the sky"
    case "antenna": "reported by the receiver"
    case "spoofing": "reported as \(text(.reason)); positions and times may be false"
    default: "reported as \(text(.reason))"
    }
  }

  private var startText: String {
    switch text(.cause) {
    case "program_start": "the start of the program"
    case "receiver_start": "a restart of the receiver"
    case "tracking_on": "tracking was switched on"
    default: "data from the receiver returned"
    }
  }

  private var ofSleep: String {
    let cause =
      switch text(.cause) {
      case "stationary": "stationary"
      case "no_reception": "no reception"
      case "no_time": "no fix gave the time"
      default: "no locations required"
      }
    switch text(.wakeReason) {
    case "network_changed" where has(.network):
      return
        "\(cause); position check now: the network is \(text(.network)), no longer \(text(.previousNetwork))"
    case "network_changed": return "\(cause); position check now: the network changed"
    case "access_points_gone":
      return
        "\(cause); position check now: none of the \(counted(.accessPoints, "known access point")) is in range"
    default:
      return has(.wake) ? "\(cause); next position check in \(duration(.wake)) or on motion" : cause
    }
  }

  // MARK: Battery, supply, sensors

  private func ofPart(_ kind: EventKind) -> String {
    switch kind {
    case .gaugeLost:
      "\(text(.reason)); the logger keeps retrying and uses the last charge until it is too old"
    case .gaugeReturned, .accelerometerReturned:
      has(.duration) ? "responds again after \(duration(.duration))" : "readings again"
    case .gaugeDoubtful: doubtfulGauge
    case .accelerometerLost:
      "\(text(.reason)); no motion detection by accelerometer; the logger keeps retrying"
    case .accelerometerDoubtful: doubtfulAccelerometer
    case .supplyUnder: "\(volts), below power.under_V"
    case .supplyOver: "\(volts), above power.over_V"
    default: "\(volts), within its limits"
    }
  }

  private var doubtfulGauge: String {
    switch text(.cause) {
    case "charge_contradicts_voltage":
      "\(decimal(.percent, digits: 10)) % does not match \(volts) per cell; the charge is unknown until they match"
    case "implausible_voltage":
      "\(volts) is implausible for \(number(.cells) == 1 ? "one cell" : "\(number(.cells)) cells in series"); "
        + "check gauge.cells"
    case "reset": "lost its supply and learns the battery again"
    default: "no reading for too long"
    }
  }

  private var doubtfulAccelerometer: String {
    let polled = "the accelerometer is polled"
    return switch text(.cause) {
    case "overrun": "\(counted(.count, "sample")) lost: read too late"
    case "invalid_samples":
      "\(counted(.count, "sample")) discarded as impossible; check the bus for interference"
    case "interrupt_gone":
      "the GPIO chip of accelerometer.interrupt disappeared; \(polled) until the next start"
    case "interrupt_silent": "moved without an edge on accelerometer.interrupt; \(polled); check the wiring"
    case "interrupt_noisy": "edges on accelerometer.interrupt without movement; \(polled); check the wiring"
    default:
      "self-test response \(decimal(.x, per: 1000, digits: 1000)), \(decimal(.y, per: 1000, digits: 1000)), "
        + "\(decimal(.z, per: 1000, digits: 1000)) g, expected \(text(.limit)); used nevertheless"
    }
  }

  private func ofPower(_ kind: EventKind) -> String {
    switch kind {
    case .ignitionOn: return "ignition on"
    case .ignitionOff: return "ignition off"
    case .ignitionLost: return "\(text(.reason)); check lines.ignition and the group gpio"
    case .chargerAttached: return "charger connected"
    case .chargerRemoved: return "charger disconnected"
    case .batteryFull: return has(.percent) ? "battery full at \(number(.percent)) %" : "battery full"
    case .batteryLow:
      let measures = [has(.percent) ? "\(number(.percent)) %" : "", has(.voltage) ? volts : ""]
      return with("battery low", measures.filter { !$0.isEmpty }.joined(separator: ", "))
    case .brownOut:
      let time = text(.cause) == "now" ? "is too low" : "was too low since the last boot"
      return "the board reports that its supply voltage \(time); check the supply and its cable"
    case .powerLevel: return "\(text(.previousLevel)) to \(text(.level)): \(levelCause)"
    case .powerBudget: return budget
    case .hostSleeping: return "\(text(.mode)) for \(duration(.wake)); wake-up for \(word(.wakeReason))"
    case .hostWoke: return waking
    default:
      return "stays awake: \(text(.reason))" + (has(.retry) ? "; next attempt in \(duration(.retry))" : "")
    }
  }

  private var levelCause: String {
    switch text(.cause) {
    case "charge": "charge \(decimal(.percent)) %, limit \(text(.limit)) %"
    case "voltage": "\(volts), limit \(text(.limit)) V"
    case "temperature": "cell temperature \(decimal(.temperature)) °C, limit \(text(.limit)) °C"
    case "charger": "the battery is charged"
    case "no_reading":
      "no battery reading for \(duration(.duration)); the level is normal until the gauge responds"
    case "constant_reading": "same battery reading for \(duration(.duration)); ignored until it changes"
    case "restored": "as before the restart, until the battery is read"
    default: "the battery has not been read yet"
    }
  }

  private var budget: String {
    let sampling =
      number(.interval) > 100
      ? "sampling interval \(decimal(.interval, per: 100, digits: 10)) times that of the settings"
      : "sampling as in the settings"
    return switch text(.outlook) {
    case "lasts": "the battery lasts until power.last_until; \(sampling)"
    case "falls_short": "the battery will not last until power.last_until; \(sampling)"
    case "over": "power.last_until has passed; \(sampling)"
    default: sampling
    }
  }

  private var waking: String {
    guard has(.duration) else { return "awake; without a clock chip, the time asleep is unknown" }
    let slept = "awake after \(duration(.duration))"
    return switch text(.cause) {
    case "alarm": "\(slept), as scheduled"
    case "early": "\(slept) of \(duration(.planned)): woken by something other than the alarm"
    default: "\(slept); another program had put the host to sleep"
    }
  }

  // MARK: Motion and clock

  private func ofMotionOrClock(_ kind: EventKind) -> String {
    switch kind {
    case .motionChanged:
      let states = fields.list(.motion)
      return states.isEmpty ? "unknown" : "\(states.joined(separator: ", ")) (\(text(.confidence)))"
    case .motionBegan: return "moving"
    case .motionEnded: return "stationary after \(duration(.duration))"
    case .trackingPaused: return "paused: stationary"
    case .trackingResumed: return "resumed after \(duration(.duration))"
    case .clockSet:
      let source =
        switch text(.cause) {
        case "network": "the system clock, synchronised by the network"
        case "clock_chip": "the clock chip"
        default: "the receiver"
        }
      return "\(Timestamp(milliseconds: number(.time)).iso8601()) from \(source)"
    case .clockStepped: return "the receiver's time jumped by \(number(.step)) ms"
    case .clockLost:
      return "no date from the receiver for \(duration(.age)); the boot clock may be off by seconds"
    case .clockSourceChanged: return "set by the receiver again, \(number(.step)) ms ahead"
    default: return "the receiver's date is \(counted(.days, "day")) behind and is corrected"
    }
  }

  // MARK: Trips, zones, driving, fixes

  private func ofTracking(_ kind: EventKind) -> String {
    switch kind {
    case .tripStarted:
      return fields.has(.isManual)
        ? "started by hand" : "started; \(counted(.count, "buffered fix", "buffered fixes")) stored"
    case .tripEnded:
      let measure = "\(number(.distance)) m in \(duration(.duration))"
      return fields.has(.isTrip) ? "ended by \(tripEnding): \(measure)" : "discarded as too short: \(measure)"
    case .gap:
      let location = has(.distance) ? "\(number(.distance)) m from the last one" : "now elsewhere"
      return "no \(text(.missing)) for \(duration(.duration)); \(location)"
    case .zoneEntered, .zoneLeft: return zone
    case .zoneDwelt: return has(.duration) ? "\(text(.zone)) (after \(duration(.duration)))" : text(.zone)
    case .parkingMoved:
      if has(.distance) { return "\(number(.distance)) m from the parking position" }
      return text(.cause) == "no_fix" ? "moves, without a fix" : "left the parking position"
    case .harshAcceleration, .harshBraking: return peak
    case .harshCornering: return "\(text(.side)), \(peak)"
    case .overspeedStarted: return speed
    case .overspeedEnded: return "at most \(speed) for \(duration(.duration))\(since)"
    case .idlingStarted: return "ignition on and stationary for \(duration(.duration))"
    case .idlingEnded: return "after \(duration(.duration))\(since)"
    case .towed:
      if has(.distance) { return "ignition off, \(number(.distance)) m from the parking position" }
      return text(.cause) == "no_fix"
        ? "ignition off, moves without a fix" : "ignition off, left the parking position"
    case .heartbeat:
      return has(.age) ? "no new location; the last one is \(duration(.age)) old" : "no location yet"
    default: return rejections
    }
  }

  private func counted(_ field: EventField, _ noun: String, _ plural: String) -> String {
    number(field) == 1 ? "1 \(noun)" : "\(number(field)) \(plural)"
  }

  private var tripEnding: String {
    switch text(.cause) {
    case "asked": "hand"
    case "rest": "a stop"
    case "ignition": "the ignition"
    case "no_fix": "a loss of fixes"
    default: "the automatic pause"
    }
  }

  private var zone: String {
    switch text(.cause) {
    case "network": "\(text(.zone)) (by its network)"
    case "contradicted": "\(text(.zone)) (its network is joined, but fixes are elsewhere)"
    default: fields.has(.isInferred) ? "\(text(.zone)) (crossed between two fixes)" : text(.zone)
    }
  }

  private var peak: String {
    "\(decimal(.peakAcceleration, per: 1000, digits: 10)) m/s² for \(decimal(.durationMilliseconds, per: 1000, digits: 10)) s"
  }

  private var speed: String { "\(decimal(.speed, per: 1000 / 3.6, digits: 1)) km/h" }

  private var since: String {
    has(.started) ? ", since \(Timestamp(milliseconds: number(.started)).iso8601())" : ""
  }

  private var rejections: String {
    guard case .counts(let counts)? = fields[.rejections] else { return "\(counted(.count, "fix", "fixes"))" }
    var last: [String: String] = [:]
    if case .texts(let texts)? = fields[.lastValues] { last = texts }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count in
      "\(reason) \(count)" + (last[reason].map { " (last \($0))" } ?? "")
    }.joined(separator: ", ")
  }

  // MARK: Storage

  private func ofStorage(_ kind: EventKind) -> String {
    let free = "\(number(.freeBytes) >> 20) MiB left"
    switch kind {
    case .logSalvaged:
      var sentence =
        "\(text(.cause)); \(counted(.count, "record")) recovered, at least \(number(.lostRecords)) lost"
      if has(.file) { sentence += "; set aside as \(text(.file))" }
      if has(.renumbered) { sentence += "; \(number(.renumbered)) with impossible numbers renumbered" }
      return sentence + (has(.reason) ? "; \(text(.reason))" : "")
    case .recordsMissing: return missing
    case .recordsDropped: return "\(counted(.count, "record")) dropped: \(dropReason)"
    case .storageFailing: return "\(text(.reason)); \(counted(.count, "record")) waiting in memory"
    case .storageRecovered: return "written again; \(counted(.count, "record")) were waiting in memory"
    case .storageNearlyFull:
      let scarce =
        text(.cause) == "limit"
        ? "unsent records nearly fill storage.limit" : "the file system of storage.directory is nearly full"
      return "\(scarce); \(free) before unsent records are dropped"
    case .storageHasRoom: return free
    case .storageSlow: return "a commit took \(number(.durationMilliseconds)) ms; the card may be worn out"
    case .storageKeepsUp: return "commits are fast again: \(number(.durationMilliseconds)) ms"
    case .storageWearing:
      let source = text(.cause) == "endurance" ? "of storage.endurance" : "of its life, by its own report,"
      return "\(has(.device) ? text(.device) : "the storage medium"): \(number(.percent)) % \(source) is used"
    default:
      return
        "\(text(.directory)) is on a file system of type \(text(.fileSystem)): the log does not survive a power "
        + "cut (storage.allow_volatile)"
    }
  }

  private var missing: String {
    let bound = "at most \(number(.bytes) >> 10) KiB; keep outrider.db-wal beside the log"
    let lost =
      "\(number(.pages)) of its \(number(.totalPages)) pages with records after id \(number(.record)) are lost"
    return switch text(.cause) {
    case "not_salvaged": "not in the damaged log: \(text(.records))"
    case "checksum": "checksum mismatch: \(text(.records))"
    case "no_entry": "no entry in the log: \(text(.records))"
    case "wal_cut": "the write-ahead log is truncated or from another time: \(lost), \(bound)"
    case "wal_gone": "the write-ahead log is gone: \(lost), \(bound)"
    default:
      "the log was not closed and its write-ahead log is gone: unless another program has checkpointed it, "
        + "records after id \(number(.record)) are lost, \(bound)"
    }
  }

  private var dropReason: String {
    switch text(.cause) {
    case "log_slow": "storage was too slow, and the memory for waiting records is limited"
    case "log_failing": "the log could not be written, and the memory for waiting records was full"
    default: "the log reached its limit; unsent records up to id \(number(.record)) deleted"
    }
  }

  // MARK: Delivery and network

  private func ofDelivery(_ kind: EventKind) -> String {
    switch kind {
    case .deliveryDoubtful where text(.cause) != "no_subscriber":
      "\(text(.reason)); verify that the server stores the records"
    case .deliveryFailing, .deliveryDoubtful: "\(text(.reason)); records stay queued, delivery is retried"
    case .deliveryRecovered: "delivery resumed after \(counted(.failures, "failed attempt"))"
    case .recordSetAside:
      "record \(number(.record)) set aside, the server rejects it and accepts others: \(text(.reason))"
    case .backlogOver, .backlogUnder: "\(counted(.count, "record")) queued"
    default: "\(counted(.count, "record")) removed from the queue; they stay in the log"
    }
  }

  private func ofNetwork(_ kind: EventKind) -> String {
    switch kind {
    case .networkFailing:
      "\(text(.reason)); uploads are tried nevertheless; check network.up, network.down and network.rfkill"
    case .networkRecovered: "switched again after \(counted(.failures, "failure"))"
    default: text(.reason)
    }
  }
}
