// The power level, the battery target, and the sleep of the host.

extension EventDefinition {
  static var powerLevel: Self {
    Self(
      subject: "power level", group: .power, level: .warning, effects: .notifies,
      gap: .cause("the power level changed"),
      meaning: "The power level changed: normal, low or critical.",
      fields: [.level, .previousLevel, .cause, .percent, .voltage, .temperature, .limit, .duration],
      value: .percent
    ) { event in "\(event.text(.previousLevel)) to \(event.text(.level)): \(event.levelCause)" }
  }

  static var powerBudget: Self {
    Self(
      subject: "battery target", group: .power, level: .notice, effects: .notifies,
      gap: .cause("the sampling interval was raised to save the battery"),
      meaning:
        "Sampling was adapted to the battery target `power.last_until`. The interval is relative to the "
        + "settings.",
      fields: [.interval, .outlook], value: .interval,
      advice: "If the battery will not last, charge it or change the target."
    ) { event in event.budget }
  }

  static var hostSleeping: Self {
    Self(
      subject: "host", group: .power, level: .notice, effects: .isStoredWhileOff,
      gap: .cause("the host was asleep as scheduled"),
      meaning: "The host goes to sleep until the alarm. Nothing is recorded meanwhile.",
      fields: [.mode, .wake, .wakeReason], value: .wake
    ) { event in
      "\(event.text(.mode)) for \(event.duration(.wake)); wake-up for \(event.word(.wakeReason))"
    }
  }

  static var hostWoke: Self {
    Self(
      subject: "host", group: .power, level: .notice, effects: .isStoredWhileOff, gap: .context,
      meaning: "The host is awake again.",
      fields: [.duration, .planned, .cause], value: .duration
    ) { event in event.waking }
  }

  static var wakeAlarmMissed: Self {
    Self(
      subject: "host", group: .power, level: .warning, effects: .isStoredWhileOff,
      gap: .cause("the alarm did not start the host"),
      meaning:
        "The alarm of the power manager did not start the host; something else did, later.",
      fields: [.planned, .duration, .cause], value: .planned,
      advice: "Check the power manager's battery and firmware: outrider power, outrider doctor i2c."
    ) { event in
      "the alarm after \(event.duration(.planned)) did not start the host"
        + (event.has(.duration) ? "; it was off for \(event.duration(.duration))" : "")
    }
  }

  static var powerManagerFailed: Self {
    Self(
      subject: "power manager", group: .power, level: .warning, effects: .isStoredWhileOff,
      gap: .unrelated,
      meaning: "The power manager does not answer, or is not the configured one. The host stays awake.",
      fields: [.part, .reason],
      advice: "Check its wiring and power_manager: outrider doctor i2c shows the chips that answer."
    ) { event in "\(event.text(.part)): \(event.text(.reason)); the host stays awake" }
  }

  static var hostStaysAwake: Self {
    Self(
      subject: "host", group: .power, level: .warning, effects: .isStoredWhileOff, gap: .unrelated,
      meaning: "The host could not go to sleep, or never can in this configuration.",
      fields: [.reason, .retry, .failures], value: .failures,
      advice: "Follow the reason: it names the setting."
    ) { event in
      "stays awake: \(event.text(.reason))"
        + (event.has(.retry) ? "; next attempt in \(event.duration(.retry))" : "")
    }
  }
}

extension EventEvidence {
  fileprivate var levelCause: String {
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

  fileprivate var budget: String {
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

  fileprivate var waking: String {
    guard has(.duration) else {
      return has(.cause)
        ? "awake: \(Self.started(by: text(.cause)))"
        : "awake; without a clock chip, the time asleep is unknown"
    }
    let slept = "awake after \(duration(.duration))"
    return switch text(.cause) {
    case "alarm": "\(slept), as scheduled"
    case "early": "\(slept) of \(duration(.planned)): woken by something other than the alarm"
    case "other_program": "\(slept); another program had put the host to sleep"
    case let cause: "\(slept): \(Self.started(by: cause))"
    }
  }

  /// The reason that a power manager states, as a clause.
  private static func started(by cause: String) -> String {
    switch cause {
    case "alarm": "started by the alarm"
    case "delayed_alarm": "started late, because the voltage was too low at the alarm"
    case "dead_man": "started by the dead-man timer"
    case "button": "started at the switch input, by a person or by motion"
    case "supply": "started when the supply returned"
    case "low_voltage": "the power manager had cut the supply because of a low voltage"
    case "temperature": "the power manager had reacted to the temperature"
    case "armed_cut": "the power manager had cut the supply as asked"
    case "reboot": "restarted without a cut of the supply"
    default: "started for a reason that the power manager's driver does not know (\(cause))"
    }
  }
}
