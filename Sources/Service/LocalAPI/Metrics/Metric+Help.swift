extension Metric {
  /// The part of the page on which the metric is listed.
  public enum Group: String, CaseIterable, Sendable {
    case process = "Process"
    case receiver = "Receiver"
    case fix = "Fix"
    case motion = "Motion"
    case log = "Log"
    case delivery = "Delivery"
    case power = "Power"
    case clock = "Clock and host"
  }

  public var group: Group {
    switch self {
    case .buildInfo, .startTime, .wakeUps, .processCPU, .residentMemory, .processStart, .openFiles,
      .longestTurn, .slowTurns:
      .process
    case .receiverInfo, .receiverUp, .receiverState, .receiverStateSeconds, .receiverFrames, .checksumErrors,
      .receiverStarts, .failedAcquisitions, .timeToFirstFix:
      .receiver
    case .fixMode, .fixAge, .fixAccuracy, .satellitesUsed, .satellitesSeen, .epochs, .fixesRejected: .fix
    case .tracking, .motionState, .speed, .odometer, .steps, .tripActive, .gaps: .motion
    case .records, .events, .logRecords, .logBytes, .logLimit, .undated, .commits, .flush, .written, .wear:
      .log
    case .destinationUp, .queued, .lastSuccess, .oldestQueued, .recordsSent, .requests, .bytesSent, .setAside,
      .networkSessions:
      .delivery
    case .batteryCharge, .batteryVoltage, .batteryCurrent, .batteryTemperature, .batteryRemaining,
      .powerLevel,
      .energy, .unexplainedEnergy:
      .power
    case .clockQuality, .clockOffset, .hostSleeps: .clock
    }
  }

  /// The meaning in one or two sentences.
  public var help: String {
    switch self {
    case .buildInfo: "Version of the program and name of its board."
    case .startTime: "Start of the logger, in seconds since 1970."
    case .wakeUps: "Wake-ups of the main thread since its start."
    case .processCPU: "Processor time of all threads."
    case .residentMemory: "Resident memory."
    case .processStart: "Start of the process, in seconds since 1970."
    case .openFiles: "Open file descriptors."
    case .longestTurn: "Longest turn of the loop since the start; everything else waits for its end."
    case .slowTurns: "Turns of the loop of 100 ms and more."
    case .receiverInfo: "Identity of the receiver."
    case .receiverUp: "1 if the receiver has no fault, 0 with one. Absent while tracking is off."
    case .receiverState: "1 for the present state of the receiver, 0 for the others."
    case .receiverStateSeconds: "Time in each state by the energy ledger, also of earlier runs."
    case .receiverFrames: "Valid frames of the receiver, or reports of gpsd."
    case .checksumErrors: "Frames with a wrong checksum."
    case .receiverStarts: "Starts of the receiver by the schedule."
    case .failedAcquisitions: "Acquisitions by the schedule that ended without a fix."
    case .timeToFirstFix: "Last time to the first fix after a start of the program or the receiver."
    case .fixMode: "Fix of the last epoch: 1 none, 2 two-dimensional, 3 any better one."
    case .fixAge: "Time since the last epoch with a fix. Absent before the first of this run."
    case .fixAccuracy: "Accuracy of the last recorded location."
    case .satellitesUsed: "Satellites in the solution of the last epoch."
    case .satellitesSeen: "Satellites with a signal, or else those in view."
    case .epochs: "Epochs of the receiver."
    case .fixesRejected: "Fixes that did not become a record, by reason."
    case .tracking: "1 if tracking is on, 0 if it is off."
    case .motionState: "1 for the present motion state, 0 for the others."
    case .speed: "Speed of the last recorded location. Absent if it is older than 60 s, and for guests."
    case .odometer: "Distance travelled, also of earlier runs."
    case .steps: "Steps of the counter, also of earlier runs."
    case .tripActive: "1 during a trip, otherwise 0."
    case .gaps: "Periods of more than two minutes without a location."
    case .records: "Records of this run by kind."
    case .events: "Events of this run by kind."
    case .logRecords: "Records in the log, as of its last inspection."
    case .logBytes: "Size of the log, as of its last inspection."
    case .logLimit: "Limit of the log's size, storage.limit."
    case .undated: "Records without a date, as of the last inspection of the log."
    case .commits: "Commits of records."
    case .flush: "Longest commit since the last scrape."
    case .written: "Bytes that the process has written to storage, counted every hour."
    case .wear:
      "Used share of the medium's life. Absent if neither the medium nor storage.endurance gives it."
    case .destinationUp:
      "1 if the last attempt succeeded, 0 if it failed. Absent before the first of this run."
    case .queued: "Length of the queue, as of the last inspection of the log."
    case .lastSuccess: "Time of the last accepted records, in seconds since 1970."
    case .oldestQueued:
      "Time of the oldest record in the queue, in seconds since 1970. Absent if the queue is empty."
    case .recordsSent: "Records that the server accepted."
    case .requests: "Attempts to send, by response: a class of HTTP status, or none."
    case .bytesSent: "Size of the records of all attempts, before compression."
    case .setAside: "Records that were set aside because the server rejects them."
    case .networkSessions: "Sessions of the switched radio."
    case .batteryCharge: "State of charge, 0 to 1."
    case .batteryVoltage: "Voltage over all cells."
    case .batteryCurrent: "Current, positive while charging."
    case .batteryTemperature: "Temperature of the battery or its gauge."
    case .batteryRemaining: "Forecast of the remaining time: least, likely and most."
    case .powerLevel: "1 for the present power level, 0 for the others."
    case .energy: "Energy by consumer of the ledger, also of earlier runs."
    case .unexplainedEnergy: "Energy by the gauge less that of the consumers. It can be negative."
    case .clockQuality: "Source of the time: 0 none, 1 saved, 2 clock chip, 3 network, 4 receiver."
    case .clockOffset: "Time of the receiver less that of the system clock."
    case .hostSleeps: "Sleeps of the host."
    }
  }
}
