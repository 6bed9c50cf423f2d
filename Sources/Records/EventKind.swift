/// The closed list of events; the raw values are stored and shown to users.
public enum EventKind: String, Sendable, CaseIterable {
  /// The logger started. The detail says how the run before ended: in good order, by an update, by its supervisor's
  /// watchdog, by a crash, without notice, or by a power cut.
  case started = "started"
  /// The logger left in good order.
  case stopped = "stopped"
  case configurationChanged = "configuration_changed"
  /// A new configuration was bad; the old one goes on.
  case configurationRefused = "configuration_refused"
  /// A server has set something; it is on trial.
  case remoteApplied = "remote_applied"
  /// What a server has set has proved itself.
  case remoteProved = "remote_proved"
  /// What a server has set went back by itself, or was forgotten because it may not set it any more.
  case remoteWentBack = "remote_went_back"
  /// Frames with valid checksums arrive. Value: the line's speed in baud.
  case receiverFound = "receiver_found"
  /// The port went away or cannot be opened.
  case receiverLost = "receiver_lost"
  /// Nothing arrives any more. Value: seconds of silence.
  case receiverSilent = "receiver_silent"
  /// Bytes without a valid frame: wrong speed or noise.
  case receiverGarbled = "receiver_garbled"
  /// The receiver said who it is, or answers no question.
  case receiverIdentified = "receiver_identified"
  /// The receiver was told what is wished for. Value: commands that it did not take.
  case receiverConfigured = "receiver_configured"
  /// The line's speed was changed, or could not be. Value: the speed in baud that is used now.
  case receiverSpeed = "receiver_speed"
  /// The receiver started anew without being told to.
  case receiverRestarted = "receiver_restarted"
  /// The first fix since the program or the receiver started, or since tracking was switched on. Value: seconds from then.
  case firstFix = "first_fix"
  /// Something is wrong with what the receiver says, its antenna or its surroundings; jamming and spoofing that it
  /// suspects are among that.
  case receiverTrouble = "receiver_trouble"
  /// A trouble is over. Value: how many seconds it lasted.
  case receiverRecovered = "receiver_recovered"
  /// Something was tried against a trouble, or all there is was tried.
  case receiverRemedy = "receiver_remedy"
  /// The gauge does not answer, or another part does.
  case gaugeLost = "gauge_lost"
  case gaugeReturned = "gauge_returned"
  /// What the gauge says cannot be, or it has to learn anew.
  case gaugeDoubtful = "gauge_doubtful"
  /// The accelerometer does not answer, or another part does.
  case accelerometerLost = "accelerometer_lost"
  case accelerometerReturned = "accelerometer_returned"
  /// What the accelerometer gives is less than it should be: samples lost, self-test failed, interrupt line dead. Value:
  /// samples that are missing, where it is of those.
  case accelerometerDoubtful = "accelerometer_doubtful"
  case ignitionOn = "ignition_on"
  case ignitionOff = "ignition_off"
  /// The ignition line cannot be read; the box goes by its other senses.
  case ignitionLost = "ignition_lost"
  /// The receiver sleeps by plan, and no positions are to be expected. Value: seconds to its next look, where that has
  /// a time.
  case receiverResting = "receiver_resting"
  /// Recording pauses automatically, for nothing moves.
  case trackingPaused = "tracking_paused"
  /// It goes on. Value: how many seconds the pause lasted.
  case trackingResumed = "tracking_resumed"
  /// The host is put down by plan, and nothing is recorded until it is woken. Value: seconds to the alarm.
  case hostSleeping = "host_sleeping"
  /// The host is up again. Value: how many seconds it was down, where a clock tells.
  case hostWoke = "host_woke"
  /// The host was to go down and stays up, or can never go down as things are. Value: how often that was in vain.
  case hostStaysUp = "host_stays_up"
  /// Another kind of motion. Value: steps since the start of the program.
  case motionChanged = "motion_changed"
  /// The fixes show that the device moves, where no accelerometer tells.
  case motionBegan = "motion_began"
  /// The same for rest. Value: how many seconds it moved.
  case motionEnded = "motion_ended"
  case chargerAttached = "charger_attached"
  case chargerRemoved = "charger_removed"
  /// A battery that was charged is full. Value: percent, where it is known.
  case batteryFull = "battery_full"
  /// Value: percent, where it is known.
  case batteryLow = "battery_low"
  /// The supply is below or above what `power.under_V` and `power.over_V` allow, or between them again. Value: millivolts.
  case supplyUnder = "supply_under"
  case supplyOver = "supply_over"
  case supplyInRange = "supply_in_range"
  /// The board saw its own supply fall too low.
  case brownOut = "brown_out"
  /// The box is more or less sparing with its battery from now on. Value: percent, where the charge is why.
  case powerLevel = "power_level"
  /// Positions are taken more or less seldom from now on, so that the battery lasts until its date, or it will not last.
  /// Value: percent of the pauses that the settings ask for.
  case powerBudget = "power_budget"
  /// The receiver's time became known. Value: milliseconds since 1970.
  case clockSet = "clock_set"
  /// The receiver's time jumped. Value: the step in milliseconds.
  case clockStepped = "clock_stepped"
  /// The receiver has given no date for so long that the clock, which goes by the machine alone, may be seconds off.
  /// Value: seconds since its last date.
  case clockLost = "clock_lost"
  /// The clock goes by the receiver again. Value: milliseconds by which it had to be set forward.
  case clockSourceChanged = "clock_source_changed"
  /// The receiver's date was 1,024 weeks or a multiple behind. Value: days added.
  case weekRepaired = "week_repaired"
  /// A trip began. Value: how many seconds ago.
  case tripStarted = "trip_started"
  /// A trip ended, or turned out to be none. Value: metres.
  case tripEnded = "trip_ended"
  /// No fix for a long time, or no location over a restart, and the device is elsewhere after it. Value: seconds.
  case gap = "gap"
  case zoneEntered = "zone_entered"
  case zoneLeft = "zone_left"
  /// In a zone for as long as it asks for. Value: seconds.
  case zoneDwelt = "zone_dwelt"
  /// The parked device was moved. Value: metres, where a fix tells them.
  case parkingMoved = "parking_moved"
  /// The vehicle sped up, braked or took a curve harder than was set. Value: the peak in mm/s².
  case harshAcceleration = "harsh_acceleration"
  case harshBraking = "harsh_braking"
  case harshCornering = "harsh_cornering"
  /// Faster than the limit for long enough. Value: the speed in mm/s.
  case overspeedStarted = "overspeed_started"
  /// Value: how many seconds it lasted.
  case overspeedEnded = "overspeed_ended"
  /// The ignition is on, and the vehicle goes nowhere. Value: for how many seconds already.
  case idlingStarted = "idling_started"
  /// Value: how many seconds it lasted.
  case idlingEnded = "idling_ended"
  /// The vehicle moves, and its ignition is off. Value: metres from the place of parking, where a fix tells them.
  case towed = "towed"
  /// Nothing was kept for the longest time allowed. Value: seconds since the last location.
  case heartbeat = "heartbeat"
  /// Fixes that were not kept, and why. Value: how many.
  case fixesRejected = "fixes_rejected"
  /// Fixes that the rules of acquisition leave out for minutes on end, once an hour. Value: how many since the last report.
  case fixesLeftOut = "fixes_left_out"
  /// The damaged log was set aside and what could be read was carried over. Value: records salvaged.
  case logSalvaged = "log_salvaged"
  /// Numbers of the log that nobody can read any more. Value: how many.
  case recordsMissing = "records_missing"
  /// Records that were deleted before they were sent, because a limit forced it. Value: how many.
  case recordsDropped = "records_dropped"
  /// The log cannot be written. Value: records that wait in memory.
  case storageFailing = "storage_failing"
  case storageRecovered = "storage_recovered"
  /// What waits to be sent will soon be dropped, for the log comes near its limit or the file system is nearly full. Value:
  /// bytes that are left.
  case storageNearlyFull = "storage_nearly_full"
  /// That is over. Value: bytes that are left.
  case storageHasRoom = "storage_has_room"
  /// A group of records took very long to be written. Value: milliseconds.
  case storageSlow = "storage_slow"
  /// Groups are written quickly again. Value: milliseconds of the last one.
  case storageKeepsUp = "storage_keeps_up"
  /// The log lies in memory, as `storage.allow_volatile` allows, and does not outlive a power cut.
  case storageVolatile = "storage_volatile"
  /// A destination does not take records.
  case deliveryFailing = "delivery_failing"
  case deliveryRecovered = "delivery_recovered"
  /// A destination refuses a record by itself and takes others: it is not sent there any more, and stays in the log.
  /// Value: the number of the record.
  case recordSetAside = "record_set_aside"
  /// Very many records wait for a destination. Value: how many.
  case backlogOver = "backlog_over"
  /// Far fewer wait again. Value: how many.
  case backlogUnder = "backlog_under"
  /// A destination's answers are taken for success although they do not say so, or a broker has no subscriber for what it
  /// is sent.
  case deliveryDoubtful = "delivery_doubtful"
  /// The network cannot be switched on or off. Value: how often that failed.
  case networkFailing = "network_failing"
  case networkRecovered = "network_recovered"
  /// The operator had what waited for a destination dropped: it is not sent there, and stays in the log. Value: how many
  /// records.
  case queueDropped = "queue_dropped"
  /// The program or URL of `notifications` does not do its work. Value: how many events were not handed over.
  case notificationFailing = "notification_failing"
}
