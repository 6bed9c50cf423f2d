extension EventKind {
  /// The subject of the event, with which its line in the journal begins.
  var subject: String {
    switch self {
    case .started, .stopped: "logger"
    case .configurationChanged, .configurationRefused: "settings"
    case .updated, .updateRolledBack: "update"
    case .remoteApplied, .remoteProven, .remoteRolledBack: "remote settings"
    case .receiverFound, .receiverLost, .receiverSilent, .receiverGarbled, .receiverIdentified,
      .receiverConfigured, .receiverSpeed, .receiverRestarted, .receiverFault, .receiverRecovered,
      .receiverRecoveryStep, .firstFix:
      "receiver"
    case .receiverAsleep: "receiver asleep"
    case .gaugeLost, .gaugeReturned, .gaugeDoubtful: "gauge"
    case .accelerometerLost, .accelerometerReturned, .accelerometerDoubtful: "accelerometer"
    case .ignitionOn, .ignitionOff, .ignitionLost: "ignition"
    case .chargerAttached, .chargerRemoved: "charger"
    case .batteryFull, .batteryLow: "battery"
    case .supplyUnder, .supplyOver, .supplyInRange, .brownOut: "supply"
    case .powerLevel: "power level"
    case .powerBudget: "battery target"
    case .hostSleeping, .hostWoke, .hostStaysAwake: "host"
    case .motionChanged, .motionBegan, .motionEnded: "motion"
    case .trackingPaused, .trackingResumed: "recording"
    case .clockSet, .clockStepped, .clockLost, .clockSourceChanged, .weekRepaired: "clock"
    case .tripStarted, .tripEnded: "trip"
    case .gap: "gap"
    case .zoneEntered: "zone entered"
    case .zoneLeft: "zone left"
    case .zoneDwelt: "zone dwell"
    case .parkingMoved: "parking"
    case .harshAcceleration: "harsh acceleration"
    case .harshBraking: "harsh braking"
    case .harshCornering: "harsh cornering"
    case .overspeedStarted: "overspeed"
    case .overspeedEnded: "overspeed ended"
    case .idlingStarted: "idling"
    case .idlingEnded: "idling ended"
    case .towed: "towed"
    case .heartbeat: "heartbeat"
    case .fixesRejected: "rejected fixes"
    case .fixesLeftOut: "dropped fixes"
    case .logSalvaged, .recordsMissing, .recordsDropped, .storageFailing, .storageRecovered,
      .storageNearlyFull,
      .storageHasRoom, .storageSlow, .storageKeepsUp, .storageVolatile, .storageWearing:
      "store"
    case .deliveryFailing, .deliveryRecovered, .recordSetAside, .deliveryDoubtful, .backlogOver,
      .backlogUnder,
      .queueDropped:
      "upload"
    case .networkFailing, .networkRecovered: "network"
    case .notificationFailing: "notifications"
    }
  }
}
