/// The kind of an event, from a closed list. The raw values are stored and displayed; ``definition`` defines every kind.
public enum EventKind: String, Sendable, CaseIterable {
  case started = "started"
  case stopped = "stopped"
  case identityChanged = "identity_changed"
  case configurationChanged = "configuration_changed"
  case configurationRefused = "configuration_refused"
  case settingsRolledBack = "settings_rolled_back"
  case remoteApplied = "remote_applied"
  case remoteProven = "remote_proved"
  case remoteRolledBack = "remote_went_back"
  case remoteUnset = "remote_unset"
  case updated = "updated"
  case updateRolledBack = "update_rolled_back"
  case receiverFound = "receiver_found"
  case receiverLost = "receiver_lost"
  case receiverSilent = "receiver_silent"
  case receiverGarbled = "receiver_garbled"
  case receiverIdentified = "receiver_identified"
  case receiverConfigured = "receiver_configured"
  case receiverSpeed = "receiver_speed"
  case receiverRestarted = "receiver_restarted"
  case firstFix = "first_fix"
  case receiverFault = "receiver_trouble"
  case receiverRecovered = "receiver_recovered"
  case receiverRecoveryStep = "receiver_remedy"
  case gaugeLost = "gauge_lost"
  case gaugeReturned = "gauge_returned"
  case gaugeDoubtful = "gauge_doubtful"
  case accelerometerLost = "accelerometer_lost"
  case accelerometerReturned = "accelerometer_returned"
  case accelerometerDoubtful = "accelerometer_doubtful"
  case ignitionOn = "ignition_on"
  case ignitionOff = "ignition_off"
  case ignitionLost = "ignition_lost"
  case receiverAsleep = "receiver_resting"
  case trackingPaused = "tracking_paused"
  case trackingResumed = "tracking_resumed"
  case hostSleeping = "host_sleeping"
  case hostWoke = "host_woke"
  case hostStaysAwake = "host_stays_up"
  case wakeAlarmMissed = "wake_alarm_missed"
  case powerManagerFailed = "power_manager_failed"
  case motionChanged = "motion_changed"
  case motionBegan = "motion_began"
  case motionEnded = "motion_ended"
  case chargerAttached = "charger_attached"
  case chargerRemoved = "charger_removed"
  case batteryFull = "battery_full"
  case batteryLow = "battery_low"
  case supplyUnder = "supply_under"
  case supplyOver = "supply_over"
  case supplyInRange = "supply_in_range"
  case brownOut = "brown_out"
  case powerLevel = "power_level"
  case powerBudget = "power_budget"
  case clockSet = "clock_set"
  case clockStepped = "clock_stepped"
  case clockLost = "clock_lost"
  case clockSourceChanged = "clock_source_changed"
  case weekRepaired = "week_repaired"
  case dateRefused = "date_refused"
  case tripStarted = "trip_started"
  case tripEnded = "trip_ended"
  case gap = "gap"
  case zoneEntered = "zone_entered"
  case zoneLeft = "zone_left"
  case zoneDwelt = "zone_dwelt"
  case parkingMoved = "parking_moved"
  case harshAcceleration = "harsh_acceleration"
  case harshBraking = "harsh_braking"
  case harshCornering = "harsh_cornering"
  case overspeedStarted = "overspeed_started"
  case overspeedEnded = "overspeed_ended"
  case idlingStarted = "idling_started"
  case idlingEnded = "idling_ended"
  case towed = "towed"
  case heartbeat = "heartbeat"
  case fixesRejected = "fixes_rejected"
  case fixesLeftOut = "fixes_left_out"
  case logSalvaged = "log_salvaged"
  case recordsMissing = "records_missing"
  case recordsDropped = "records_dropped"
  case storageFailing = "storage_failing"
  case storageRecovered = "storage_recovered"
  case storageNearlyFull = "storage_nearly_full"
  case storageHasRoom = "storage_has_room"
  case storageSlow = "storage_slow"
  case storageKeepsUp = "storage_keeps_up"
  case storageVolatile = "storage_volatile"
  case storageWearing = "storage_wearing"
  case deliveryFailing = "delivery_failing"
  case deliveryRecovered = "delivery_recovered"
  case recordSetAside = "record_set_aside"
  case backlogOver = "backlog_over"
  case backlogUnder = "backlog_under"
  case deliveryDoubtful = "delivery_doubtful"
  case networkFailing = "network_failing"
  case networkRecovered = "network_recovered"
  case queueDropped = "queue_dropped"
  case queueRewound = "queue_rewound"
  case notificationFailing = "notification_failing"
  case accessRefused = "access_refused"
}

extension EventKind {
  /// The text and the treatment of the kind.
  public var definition: EventDefinition {
    switch self {
    case .started: .started
    case .stopped: .stopped
    case .identityChanged: .identityChanged
    case .configurationChanged: .configurationChanged
    case .configurationRefused: .configurationRefused
    case .settingsRolledBack: .settingsRolledBack
    case .remoteApplied: .remoteApplied
    case .remoteProven: .remoteProven
    case .remoteRolledBack: .remoteRolledBack
    case .remoteUnset: .remoteUnset
    case .updated: .updated
    case .updateRolledBack: .updateRolledBack
    case .receiverFound: .receiverFound
    case .receiverLost: .receiverLost
    case .receiverSilent: .receiverSilent
    case .receiverGarbled: .receiverGarbled
    case .receiverIdentified: .receiverIdentified
    case .receiverConfigured: .receiverConfigured
    case .receiverSpeed: .receiverSpeed
    case .receiverRestarted: .receiverRestarted
    case .firstFix: .firstFix
    case .receiverFault: .receiverFault
    case .receiverRecovered: .receiverRecovered
    case .receiverRecoveryStep: .receiverRecoveryStep
    case .gaugeLost: .gaugeLost
    case .gaugeReturned: .gaugeReturned
    case .gaugeDoubtful: .gaugeDoubtful
    case .accelerometerLost: .accelerometerLost
    case .accelerometerReturned: .accelerometerReturned
    case .accelerometerDoubtful: .accelerometerDoubtful
    case .ignitionOn: .ignitionOn
    case .ignitionOff: .ignitionOff
    case .ignitionLost: .ignitionLost
    case .receiverAsleep: .receiverAsleep
    case .trackingPaused: .trackingPaused
    case .trackingResumed: .trackingResumed
    case .hostSleeping: .hostSleeping
    case .hostWoke: .hostWoke
    case .hostStaysAwake: .hostStaysAwake
    case .wakeAlarmMissed: .wakeAlarmMissed
    case .powerManagerFailed: .powerManagerFailed
    case .motionChanged: .motionChanged
    case .motionBegan: .motionBegan
    case .motionEnded: .motionEnded
    case .chargerAttached: .chargerAttached
    case .chargerRemoved: .chargerRemoved
    case .batteryFull: .batteryFull
    case .batteryLow: .batteryLow
    case .supplyUnder: .supplyUnder
    case .supplyOver: .supplyOver
    case .supplyInRange: .supplyInRange
    case .brownOut: .brownOut
    case .powerLevel: .powerLevel
    case .powerBudget: .powerBudget
    case .clockSet: .clockSet
    case .clockStepped: .clockStepped
    case .clockLost: .clockLost
    case .clockSourceChanged: .clockSourceChanged
    case .weekRepaired: .weekRepaired
    case .dateRefused: .dateRefused
    case .tripStarted: .tripStarted
    case .tripEnded: .tripEnded
    case .gap: .gap
    case .zoneEntered: .zoneEntered
    case .zoneLeft: .zoneLeft
    case .zoneDwelt: .zoneDwelt
    case .parkingMoved: .parkingMoved
    case .harshAcceleration: .harshAcceleration
    case .harshBraking: .harshBraking
    case .harshCornering: .harshCornering
    case .overspeedStarted: .overspeedStarted
    case .overspeedEnded: .overspeedEnded
    case .idlingStarted: .idlingStarted
    case .idlingEnded: .idlingEnded
    case .towed: .towed
    case .heartbeat: .heartbeat
    case .fixesRejected: .fixesRejected
    case .fixesLeftOut: .fixesLeftOut
    case .logSalvaged: .logSalvaged
    case .recordsMissing: .recordsMissing
    case .recordsDropped: .recordsDropped
    case .storageFailing: .storageFailing
    case .storageRecovered: .storageRecovered
    case .storageNearlyFull: .storageNearlyFull
    case .storageHasRoom: .storageHasRoom
    case .storageSlow: .storageSlow
    case .storageKeepsUp: .storageKeepsUp
    case .storageVolatile: .storageVolatile
    case .storageWearing: .storageWearing
    case .deliveryFailing: .deliveryFailing
    case .deliveryRecovered: .deliveryRecovered
    case .recordSetAside: .recordSetAside
    case .backlogOver: .backlogOver
    case .backlogUnder: .backlogUnder
    case .deliveryDoubtful: .deliveryDoubtful
    case .networkFailing: .networkFailing
    case .networkRecovered: .networkRecovered
    case .queueDropped: .queueDropped
    case .queueRewound: .queueRewound
    case .notificationFailing: .notificationFailing
    case .accessRefused: .accessRefused
    }
  }
}
