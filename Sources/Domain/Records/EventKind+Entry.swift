extension EventKind {
  /// The entry of one kind in the reference of events.
  public struct Entry: Sendable {
    /// The meaning of the event, in full sentences.
    public var meaning: String
    /// The fields that an event of the kind can have, the most important first.
    public var fields: [EventField]
    /// The field whose number is also the `value` of the event; nil for kinds without one.
    public var value: EventField?
    /// Advice to the operator; empty if nothing needs to be done.
    public var advice: String

    init(_ meaning: String, _ fields: [EventField] = [], value: EventField? = nil, _ advice: String = "") {
      self.meaning = meaning
      self.fields = fields
      self.value = value
      self.advice = advice
    }
  }

  /// The entry of this kind.
  public var entry: Entry {
    switch self {
    // MARK: Logger and settings
    case .started:
      Entry(
        "The logger started. The cause names the end of the previous run.",
        [.version, .previousVersion, .cause, .signal],
        "If the cause is power_loss or killed again and again, check the supply and the memory of the device. If it is "
          + "host_watchdog, read the kernel's messages before the reset (journalctl --boot -1)."
      )
    case .stopped: Entry("The logger stopped in an orderly way.")
    case .configurationChanged: Entry("A new configuration is in force.", [.changes])
    case .configurationRefused:
      Entry(
        "A new configuration is invalid, and the current one stays in force. With the cause start, it prevented an "
          + "earlier start of the service, and the logger runs since it was corrected.", [.reason, .cause],
        "Correct the file and reload it.")
    case .remoteApplied:
      Entry("A server changed settings. They are on trial.", [.destination, .changes, .rollback])
    case .remoteProven:
      Entry(
        "Settings of a server are proven: a location recorded under them was stored and acknowledged.",
        [.destination, .changes])
    case .remoteRolledBack:
      Entry(
        "Settings of a server were rolled back.", [.destination, .changes, .cause, .reason],
        "Correct the value at the server. It is not tried again until the server sends another one.")
    case .updated:
      Entry("A new version of the package has proven itself.", [.version, .previousVersion])
    case .updateRolledBack:
      Entry(
        "A new version of the package failed its trial. The previous one runs again.",
        [.version, .previousVersion, .reason],
        "Correct the cause, then try again with `sudo apt install --reinstall outrider`, or wait for the next version."
      )

    // MARK: Receiver
    case .receiverFound:
      Entry(
        "Valid data arrives from the receiver.", [.port, .gpsd, .gpsdVersion, .device, .baud, .duration],
        value: .baud)
    case .receiverLost:
      Entry(
        "The serial port or gpsd cannot be opened, or disappeared.", [.port, .gpsd, .cause, .reason],
        "Follow the remedy in the sentence. The logger keeps retrying.")
    case .receiverSilent:
      Entry(
        "No data arrives from the receiver.", [.port, .gpsd, .cause, .evidence, .duration], value: .duration,
        "Check the receiver's supply and wiring.")
    case .receiverGarbled:
      Entry(
        "Bytes arrive, but no valid message: wrong baud rate, wrong port or noise.",
        [.port, .cause, .evidence, .bytes, .duration], "Check the wiring and `receiver.speed`.")
    case .receiverIdentified:
      Entry(
        "The receiver reported its identity, or does not answer.", [.port, .module, .firmware, .device])
    case .receiverConfigured:
      Entry(
        "The receiver was configured. The count is that of rejected or unanswered commands.",
        [.port, .count, .cause, .command], value: .count)
    case .receiverSpeed:
      Entry(
        "The baud rate of the line changed, or could not be changed.",
        [.port, .cause, .baud, .previousBaud, .desiredBaud], value: .baud)
    case .receiverRestarted:
      Entry(
        "The receiver restarted without a command. It is configured again.", [.port],
        "If this repeats, check the receiver's supply.")
    case .firstFix:
      Entry(
        "First fix after a start of the program or receiver, or after tracking was switched on.",
        [.duration, .cause], value: .duration, "If it takes minutes, check the antenna's view of the sky.")
    case .receiverFault:
      Entry(
        "A fault of the receiver, its antenna or its surroundings, jamming and spoofing included.",
        [.port, .fault, .evidence, .obstacle, .reason, .duration, .speed, .step, .bytes, .count],
        value: .count,
        "Follow the remedy in the sentence.")
    case .receiverRecovered: Entry("A fault is over.", [.port, .fault, .duration], value: .duration)
    case .receiverRecoveryStep:
      Entry(
        "A recovery step was taken against a fault, or all of them failed.",
        [.port, .fault, .remedy, .tried, .retry], "If all steps failed, check receiver, cable and antenna.")
    case .receiverAsleep:
      Entry(
        "The receiver is asleep as scheduled. No locations are expected until it wakes up.",
        [.cause, .wakeReason, .wake, .network, .previousNetwork, .accessPoints], value: .wake)

    // MARK: Battery, supply, sensors
    case .gaugeLost:
      Entry(
        "The fuel gauge does not respond.", [.part, .reason],
        "Check the wiring and `gauge` with `outrider doctor i2c`.")
    case .gaugeReturned: Entry("The fuel gauge responds again.", [.part, .duration], value: .duration)
    case .gaugeDoubtful:
      Entry(
        "Readings of the fuel gauge are implausible, or it lost its state.",
        [.part, .cause, .percent, .voltage, .cells],
        "Check `gauge.cells` and the gauge's connection to the battery.")
    case .accelerometerLost:
      Entry(
        "The accelerometer does not respond. Motion detection uses the other sensors.", [.part, .reason],
        "Check the wiring and `accelerometer` with `outrider doctor i2c`.")
    case .accelerometerReturned:
      Entry("The accelerometer responds again.", [.part, .duration], value: .duration)
    case .accelerometerDoubtful:
      Entry(
        "Samples of the accelerometer are lost or invalid, its self-test failed, or its interrupt line does not work.",
        [.part, .cause, .count, .x, .y, .z, .limit], value: .count, "Check the bus and the interrupt line.")
    case .ignitionOn: Entry("The ignition was switched on.")
    case .ignitionOff: Entry("The ignition was switched off.")
    case .ignitionLost:
      Entry(
        "The ignition line cannot be read. The other sensors decide.", [.reason],
        "Check `lines.ignition` and the group gpio.")
    case .chargerAttached: Entry("A charger was connected.")
    case .chargerRemoved: Entry("The charger was disconnected.")
    case .batteryFull: Entry("The battery is full.", [.percent], value: .percent)
    case .batteryLow:
      Entry("The battery is low.", [.percent, .voltage], value: .percent, "Charge the battery.")
    case .supplyUnder:
      Entry(
        "The supply voltage is below `power.under_V`.", [.voltage, .part], value: .voltage,
        "Check the vehicle battery or the supply.")
    case .supplyOver:
      Entry(
        "The supply voltage is above `power.over_V`.", [.voltage, .part], value: .voltage, "Check the supply."
      )
    case .supplyInRange:
      Entry("The supply voltage is within its limits again.", [.voltage, .part], value: .voltage)
    case .brownOut:
      Entry(
        "The board reported a supply voltage below its minimum.", [.cause],
        "Use a stronger supply or a shorter cable.")
    case .powerLevel:
      Entry(
        "The power level changed: normal, low or critical.",
        [.level, .previousLevel, .cause, .percent, .voltage, .temperature, .limit, .duration], value: .percent
      )
    case .powerBudget:
      Entry(
        "Sampling was adapted to the battery target `power.last_until`. The interval is relative to the settings.",
        [.interval, .outlook], value: .interval,
        "If the battery will not last, charge it or change the target.")
    case .hostSleeping:
      Entry(
        "The host goes to sleep until the alarm. Nothing is recorded meanwhile.",
        [.mode, .wake, .wakeReason],
        value: .wake)
    case .hostWoke: Entry("The host is awake again.", [.duration, .planned, .cause], value: .duration)
    case .hostStaysAwake:
      Entry(
        "The host could not go to sleep, or never can in this configuration.", [.reason, .retry, .failures],
        value: .failures, "Follow the reason: it names the setting.")

    // MARK: Motion and clock
    case .motionChanged: Entry("The motion state changed.", [.motion, .confidence, .steps], value: .steps)
    case .motionBegan: Entry("The fixes show movement; no accelerometer is fitted.")
    case .motionEnded:
      Entry("The fixes show that the device is stationary again.", [.duration], value: .duration)
    case .trackingPaused: Entry("Recording paused automatically while the device is stationary.", [.cause])
    case .trackingResumed: Entry("Recording resumed after an automatic pause.", [.duration], value: .duration)
    case .clockSet:
      Entry("The time became known, in milliseconds since 1970.", [.time, .cause], value: .time)
    case .clockStepped: Entry("The receiver's time jumped.", [.step], value: .step)
    case .clockLost:
      Entry(
        "The receiver has given no date for a long time. The boot clock may be off by seconds.", [.age],
        value: .age)
    case .clockSourceChanged:
      Entry("The receiver sets the clock again, ahead by this step.", [.step], value: .step)
    case .weekRepaired:
      Entry(
        "The receiver's date was behind by a multiple of 1,024 weeks and is corrected.", [.days],
        value: .days,
        "Update the receiver's firmware if its maker offers one.")

    // MARK: Trips, zones, driving
    case .tripStarted: Entry("A trip started.", [.isManual, .count, .age], value: .age)
    case .tripEnded:
      Entry(
        "A trip ended, or was too short to be one.", [.distance, .duration, .cause, .isTrip], value: .distance
      )
    case .gap:
      Entry(
        "No fix, or no location across a restart, for a long time; the device is elsewhere afterwards.",
        [.duration, .distance, .missing], value: .duration, "`outrider why` gives the reason.")
    case .zoneEntered: Entry("The device entered a zone.", [.zone, .cause, .isInferred])
    case .zoneLeft: Entry("The device left a zone.", [.zone, .cause, .isInferred])
    case .zoneDwelt: Entry("The device dwelt in a zone.", [.zone, .duration], value: .duration)
    case .parkingMoved:
      Entry(
        "The parked device moved.", [.distance, .cause], value: .distance,
        "If nobody moved it, suspect theft.")
    case .harshAcceleration:
      Entry("Harsh acceleration.", [.peakAcceleration, .durationMilliseconds], value: .peakAcceleration)
    case .harshBraking:
      Entry("Harsh braking.", [.peakAcceleration, .durationMilliseconds], value: .peakAcceleration)
    case .harshCornering:
      Entry("Harsh cornering.", [.peakAcceleration, .durationMilliseconds, .side], value: .peakAcceleration)
    case .overspeedStarted:
      Entry("The vehicle exceeds the speed limit of `driving`.", [.speed], value: .speed)
    case .overspeedEnded:
      Entry("The vehicle is below the speed limit again.", [.duration, .speed, .started], value: .duration)
    case .idlingStarted:
      Entry("The ignition is on and the vehicle is stationary.", [.duration], value: .duration)
    case .idlingEnded: Entry("Idling ended.", [.duration, .started], value: .duration)
    case .towed:
      Entry(
        "The vehicle moves while its ignition is off.", [.distance, .cause], value: .distance,
        "If nobody tows it, suspect theft.")
    case .heartbeat:
      Entry("Nothing was recorded for the longest interval allowed.", [.age], value: .age)

    // MARK: Fixes and log
    case .fixesRejected:
      Entry(
        "Fixes failed validation, by reason.", [.count, .rejections, .lastValues], value: .count,
        "Check the antenna if the reason is no_fix or accuracy.")
    case .fixesLeftOut:
      Entry(
        "Recording rules dropped fixes, reported hourly.", [.count, .rejections, .lastValues], value: .count,
        "If more locations are wanted, relax `main.min_time` and `main.min_distance`.")
    case .logSalvaged:
      Entry(
        "The damaged log was set aside, and its readable records were copied into a new one.",
        [.count, .lostRecords, .reason, .file, .renumbered, .cause], value: .count,
        "Replace the medium: it loses data.")
    case .recordsMissing:
      Entry(
        "Records of the log are lost.", [.count, .cause, .records, .record, .pages, .totalPages, .bytes],
        value: .count,
        "Replace the medium, and keep outrider.db-wal beside the log.")
    case .recordsDropped:
      Entry(
        "Records were deleted before they were sent.", [.count, .cause, .record], value: .count,
        "Free or enlarge storage.")
    case .storageFailing:
      Entry(
        "The log cannot be written. Records wait in memory.", [.reason, .count], value: .count,
        "Free space or replace the medium.")
    case .storageRecovered: Entry("The log is written again.", [.count], value: .count)
    case .storageNearlyFull:
      Entry(
        "Unsent records will soon be deleted because storage is nearly full.", [.freeBytes, .cause],
        value: .freeBytes,
        "Restore the connection to the destinations, free space or raise `storage.limit`.")
    case .storageHasRoom: Entry("Storage has room again.", [.freeBytes], value: .freeBytes)
    case .storageSlow:
      Entry(
        "A commit took very long.", [.durationMilliseconds], value: .durationMilliseconds,
        "Replace a worn-out card.")
    case .storageKeepsUp:
      Entry("Commits are fast again.", [.durationMilliseconds], value: .durationMilliseconds)
    case .storageVolatile:
      Entry(
        "The log is on a file system in memory and does not survive a power cut.", [.directory, .fileSystem],
        "Set `storage.directory` to a permanent file system.")
    case .storageWearing:
      Entry(
        "The storage medium is worn: 80 or 90 % of its life is used.", [.device, .percent, .cause],
        value: .percent,
        "Plan to replace the medium.")

    // MARK: Delivery
    case .deliveryFailing:
      Entry(
        "A destination does not accept records. They are kept and sent again.",
        [.destination, .cause, .reason],
        "Follow the remedy in the sentence; `outrider send --test NAME` checks a destination.")
    case .deliveryRecovered: Entry("A destination accepts records again.", [.destination, .failures])
    case .recordSetAside:
      Entry(
        "A destination rejects one record and accepts others. It is not sent there again and stays in the log.",
        [.destination, .record, .cause, .reason], value: .record)
    case .deliveryDoubtful:
      Entry(
        "A response counts as success without confirming it, or a broker has no subscriber for a message.",
        [.destination, .cause, .reason], "Check that the server stores what it receives.")
    case .backlogOver:
      Entry(
        "The queue of a destination is very long.", [.destination, .count], value: .count,
        "Check the connection and the server.")
    case .backlogUnder:
      Entry("The queue of a destination is short again.", [.destination, .count], value: .count)
    case .queueDropped:
      Entry(
        "The operator discarded the queue of a destination. The records stay in the log.",
        [.destination, .count],
        value: .count)
    case .networkFailing:
      Entry(
        "The network cannot be switched on or off. Uploads are tried nevertheless.", [.reason, .failures],
        value: .failures, "Check `network.up`, `network.down` and `network.rfkill`.")
    case .networkRecovered: Entry("The network can be switched again.", [.failures], value: .failures)
    case .notificationFailing:
      Entry(
        "The program or URL of `notifications` fails. The count is that of lost notifications.",
        [.reason, .count],
        value: .count, "Check the program or URL.")
    }
  }
}
