import Quantities

// The receiver: its connection, identity, faults, starts and sleep.

extension EventDefinition {
  static var receiverFound: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .ends(.receiver), level: .notice, effects: [],
      gap: .context,
      meaning: "Valid data arrives from the receiver.",
      fields: [.port, .gpsd, .gpsdVersion, .device, .baud, .duration], value: .baud
    ) { event in event.at(event.connection, event.foundReceiver) }
  }

  static var receiverLost: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .begins(.receiver), level: .warning, effects: [],
      gap: .cause("the receiver was disconnected"),
      meaning: "The serial port or gpsd cannot be opened, or disappeared.",
      fields: [.port, .gpsd, .cause, .reason],
      advice: "Follow the remedy in the sentence. The logger keeps retrying."
    ) { event in
      event.at(event.connection, "\(event.text(.reason)); \(event.portRemedy); the logger keeps retrying")
    }
  }

  static var receiverSilent: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .begins(.receiver), level: .warning, effects: [],
      gap: .cause("the receiver sent no data"),
      meaning: "No data arrives from the receiver.",
      fields: [.port, .gpsd, .cause, .evidence, .duration], value: .duration,
      advice: "Check the receiver's supply and wiring."
    ) { event in event.at(event.connection, event.silence) }
  }

  static var receiverGarbled: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .begins(.receiver), level: .warning, effects: [],
      gap: .cause("the receiver sent no valid data"),
      meaning: "Bytes arrive, but no valid message: wrong baud rate, wrong port or noise.",
      fields: [.port, .cause, .evidence, .bytes, .duration],
      advice: "Check the wiring and `receiver.speed`."
    ) { event in event.at(event.connection, event.garbledData) }
  }

  static var receiverIdentified: Self {
    Self(
      subject: "receiver", group: .receiver, level: .notice, effects: [], gap: .unrelated,
      meaning: "The receiver reported its identity, or does not answer.",
      fields: [.port, .module, .firmware, .device]
    ) { event in event.at(event.connection, event.identity) }
  }

  static var receiverConfigured: Self {
    Self(
      subject: "receiver", group: .receiver, level: .notice, effects: [], gap: .unrelated,
      meaning: "The receiver was configured. The count is that of rejected or unanswered commands.",
      fields: [.port, .count, .cause, .command], value: .count
    ) { event in event.at(event.connection, event.configured) }
  }

  static var receiverSpeed: Self {
    Self(
      subject: "receiver", group: .receiver, level: .notice, effects: [],
      gap: .cause("the baud rate changed"),
      meaning: "The baud rate of the line changed, or could not be changed.",
      fields: [.port, .cause, .baud, .previousBaud, .desiredBaud], value: .baud
    ) { event in event.at(event.connection, event.baudRate) }
  }

  static var receiverRestarted: Self {
    Self(
      subject: "receiver", group: .receiver, level: .notice, effects: [],
      gap: .cause("the receiver restarted"),
      meaning: "The receiver restarted without a command. It is configured again.",
      fields: [.port],
      advice: "If this repeats, check the receiver's supply."
    ) { event in event.at(event.connection, "restarted by itself; configuring it again") }
  }

  static var firstFix: Self {
    Self(
      subject: "receiver", group: .receiver, level: .notice, effects: [], gap: .context,
      meaning: "First fix after a start of the program or receiver, or after tracking was switched on.",
      fields: [.duration, .cause], value: .duration,
      advice: "If it takes minutes, check the antenna's view of the sky."
    ) { event in "first fix \(event.duration(.duration)) after \(event.startOfSearch)" }
  }

  static var receiverFault: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .begins(.receiver), level: .warning, effects: [],
      gap: .cause("the receiver had a fault"),
      meaning: "A fault of the receiver, its antenna or its surroundings, jamming and spoofing included.",
      fields: [
        .port, .fault, .evidence, .obstacle, .reason, .duration, .speed, .step, .bytes, .count, .cause,
        .started, .time,
      ],
      value: .count,
      advice: "Follow the remedy in the sentence."
    ) { event in event.at(event.connection, event.faultWithEvidence) }
  }

  static var receiverRecovered: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .ends(.receiver), level: .notice, effects: [],
      gap: .context,
      meaning: "A fault is over.",
      fields: [.port, .fault, .duration], value: .duration
    ) { event in
      event.at(event.connection, "\(event.word(.fault)) cleared after \(event.duration(.duration))")
    }
  }

  static var receiverRecoveryStep: Self {
    Self(
      subject: "receiver", group: .receiver, fault: .continues(.receiver), level: .warning, effects: [],
      gap: .cause("the receiver was being recovered"),
      meaning: "A recovery step was taken against a fault, or all of them failed.",
      fields: [.port, .fault, .remedy, .tried, .retry],
      advice: "If all steps failed, check receiver, cable and antenna."
    ) { event in event.at(event.connection, event.recovery) }
  }

  static var receiverAsleep: Self {
    Self(
      subject: "receiver asleep", group: .receiver, level: .debug, effects: [],
      gap: .cause("the receiver was asleep as scheduled"),
      meaning: "The receiver is asleep as scheduled. No locations are expected until it wakes up.",
      fields: [.cause, .wakeReason, .wake, .network, .previousNetwork, .accessPoints], value: .wake
    ) { event in event.receiverSleep }
  }
}

extension EventEvidence {
  /// The serial port of the receiver, or gpsd.
  fileprivate var connection: String {
    guard has(.gpsd) else { return text(.port) }
    return "gpsd at \(text(.gpsd))" + (has(.gpsdVersion) ? " (version \(text(.gpsdVersion)))" : "")
  }

  fileprivate var foundReceiver: String {
    if has(.duration) { return "data again after \(duration(.duration))" }
    if has(.device) { return "data from \(text(.device))" }
    if has(.gpsd) { return "data from the receiver again" }
    return has(.baud) ? "valid messages at \(number(.baud)) baud" : "valid messages"
  }

  fileprivate var identity: String {
    let names = [text(.module), has(.firmware) ? "firmware \(text(.firmware))" : "", text(.device)]
    let known = names.filter { !$0.isEmpty }.joined(separator: ", ")
    return known.isEmpty ? "no answer to identification; the receiver keeps its settings" : known
  }

  fileprivate var recovery: String {
    guard has(.retry) else { return "\(word(.fault)); recovery step: \(word(.remedy))" }
    let tried = list(.tried).map { $0.split(separator: "_").joined(separator: " ") }
    let steps =
      tried.isEmpty ? "no recovery step is possible" : "recovery failed (\(tried.joined(separator: ", ")))"
    return
      "\(word(.fault)); \(steps); check receiver, cable and antenna; next attempt in \(duration(.retry))"
  }

  fileprivate var portRemedy: String {
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

  fileprivate var silence: String {
    switch text(.cause) {
    case "no_answer": "no data, even after a query; check the receiver's supply and wiring"
    case "does_not_wake": "does not wake up; searching for the receiver"
    case _ where has(.gpsd):
      "no receiver data for \(duration(.duration)); check with gpsmon or cgps if gpsd has a receiver"
    default: "no data for \(duration(.duration))"
    }
  }

  fileprivate var garbledData: String {
    switch text(.cause) {
    case "all_baud_rates": "no valid message at any baud rate; check the wiring and receiver.speed"
    case "wrong_port": "bytes, but no valid message; check that this is the receiver's port"
    default: "no valid message (\(faultEvidence)); check the wiring and receiver.speed"
    }
  }

  fileprivate var configured: String {
    switch text(.cause) {
    case "cyclic_refused": "cyclic tracking is off: the receiver rejects \(text(.command))"
    case "cyclic_silent": "cyclic tracking is off: the receiver stopped sending"
    case "batching_refused":
      "batching is off: the receiver rejects \(text(.command)); epochs wait in the line's buffer"
    default:
      number(.count) == 0 ? "configured" : "configured, except for \(counted(.count, "command")) not accepted"
    }
  }

  fileprivate var baudRate: String {
    switch text(.cause) {
    case "changed": "baud rate changed from \(number(.previousBaud)) to \(number(.baud))"
    case "rejected": "\(number(.desiredBaud)) baud cannot be used; still at \(number(.baud)) baud"
    default:
      "no data after the change to \(number(.desiredBaud)) baud, nor at \(number(.previousBaud)) baud; "
        + "searching for the receiver"
    }
  }

  fileprivate var faultWithEvidence: String {
    switch text(.fault) {
    case "supply_switch": "receiver.enable: \(text(.reason)); the receiver's supply stays as it is"
    case "unsupported_protocol": text(.reason)
    case "does_not_sleep": "cannot be put to sleep: \(obstacle)"
    case "epochs_lost": "\(counted(.count, "epoch")) buffered in the receiver lost"
    case "epochs_missing": missingEpochs
    default: at(word(.fault), faultEvidence)
    }
  }

  fileprivate var missingEpochs: String {
    let start = Timestamp(milliseconds: number(.started)).iso8601()
    let end = Timestamp(milliseconds: number(.time)).iso8601()
    let loss =
      text(.cause) == "no_room"
      ? "\(counted(.count, "epoch")) lost because the receiver's memory was full" : "no epochs stored"
    return "\(loss) from \(start) to \(end), while the host was off"
  }

  fileprivate var obstacle: String {
    switch text(.obstacle) {
    case "not_allowed": "receiver.control is none; set it to full"
    case "no_command": "the receiver has no command for it; wire receiver.enable or use another receiver"
    case "needs_pin": "only a pin would wake it up again; wire receiver.enable"
    default: "it keeps sending after the command; wire receiver.enable"
    }
  }

  fileprivate var faultEvidence: String {
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

  fileprivate var startOfSearch: String {
    switch text(.cause) {
    case "program_start": "the start of the program"
    case "receiver_start": "a restart of the receiver"
    case "tracking_on": "tracking was switched on"
    default: "data from the receiver returned"
    }
  }

  fileprivate var receiverSleep: String {
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
}
