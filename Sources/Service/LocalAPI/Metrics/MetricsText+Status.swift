import Energy
import History
import Quantities
import Records
import Tracking

extension MetricsText {
  /// The longest age of a location whose speed is shown.
  private static let freshness = 60.0

  /// The metrics of a logger. `isForGuests` leaves out what only the operator may read.
  public init(_ status: StatusReport, _ counters: LoggerCounters, isForGuests: Bool) {
    self.init(start: counters.process.start)
    addProcess(status, counters)
    addReceiver(status, counters.receiver)
    addFix(status, counters)
    addMotion(status, counters, isForGuests: isForGuests)
    addLog(status, counters)
    addDelivery(status, counters)
    addPower(status)
    addEnergy(status.energy)
    add(.clockQuality, counters.clockQuality?.rawValue)
    add(.clockOffset, counters.clockOffset?.inSeconds)
    add(.hostSleeps, status.host?.sleeps)
  }

  private mutating func addProcess(_ status: StatusReport, _ counters: LoggerCounters) {
    add(.buildInfo, 1, status.version, counters.process.board)
    add(.startTime, counters.process.start?.secondsSince1970)
    add(.wakeUps, status.process?.wakeups)
    add(.processCPU, status.process?.cpu_s)
    add(.residentMemory, status.process?.resident_bytes)
    add(.processStart, counters.process.processStart?.secondsSince1970)
    add(.openFiles, counters.process.openFiles)
    add(.longestTurn, status.process?.longest_turn_ms.map { $0 / 1000 })
    add(.slowTurns, status.process?.slow_turns)
  }

  private mutating func addReceiver(_ status: StatusReport, _ receiver: LoggerCounters.Receiver) {
    if let report = status.receiver, let family = report.family {
      add(.receiverInfo, 1, family, Self.plain(report.module), Self.plain(report.firmware))
    }
    add(.receiverUp, receiver.isUp.map { $0 ? 1 : 0 })
    add(.receiverState, state: status.tracker?.state.rawValue)
    let times = Dictionary(
      (status.energy?.shares ?? []).map { ($0.name, $0.time_s) }, uniquingKeysWith: { first, _ in first })
    if status.energy != nil {
      for state in ReceiverState.allCases {
        add(
          .receiverStateSeconds, times[EnergyShare.receiver(state).name] ?? 0,
          ReportedReceiverState(state).rawValue)
      }
    }
    add(.receiverFrames, receiver.frames)
    add(.checksumErrors, receiver.checksumErrors)
    add(.receiverStarts, receiver.starts)
    add(.failedAcquisitions, receiver.failedAcquisitions)
    add(.timeToFirstFix, receiver.timeToFirstFix?.inSeconds)
  }

  /// The beginning of a text that the receiver sent, without control characters.
  private static func plain(_ text: String?) -> String {
    String(
      (text ?? "").unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.map(Character.init).prefix(64))
  }

  private mutating func addFix(_ status: StatusReport, _ counters: LoggerCounters) {
    let mode: Int? =
      switch status.reception?.fix {
      case nil: nil
      case "none": 1
      case "2D": 2
      default: 3
      }
    add(.fixMode, mode)
    add(.fixAge, counters.receiver.fixAge?.inSeconds)
    add(.fixAccuracy, status.position?.horizontal_accuracy_m)
    add(.satellitesUsed, status.reception?.satellites_used)
    add(.satellitesSeen, status.reception?.satellites_received ?? status.reception?.satellites_in_view)
    add(.epochs, status.epochs)
    for reason in Rejection.allCases {
      add(.fixesRejected, counters.rejections[reason] ?? 0, reason.rawValue)
    }
  }

  private mutating func addMotion(_ status: StatusReport, _ counters: LoggerCounters, isForGuests: Bool) {
    add(.tracking, status.tracking.map { $0 ? 1 : 0 })
    add(.motionState, state: status.motion?.state)
    if !(isForGuests && Metric.speed.isPrivate), let position = status.position,
      let age = position.age_s, age < Self.freshness
    {
      add(.speed, position.speed_mps)
    }
    add(.odometer, counters.odometer)
    add(.steps, status.motion?.steps)
    add(.tripActive, status.trip == nil ? 0 : 1)
    add(.gaps, counters.gaps)
  }

  private mutating func addLog(_ status: StatusReport, _ counters: LoggerCounters) {
    for kind in MetricLabel.recordKind.values ?? [] { add(.records, status.records?[kind] ?? 0, kind) }
    for kind in EventKind.allCases { add(.events, counters.events[kind] ?? 0, kind.rawValue) }
    add(.logRecords, status.log.count)
    add(.logBytes, status.log.bytes)
    add(.logLimit, status.log.limit_bytes)
    add(.undated, status.log.undated)
    add(.commits, counters.log.commits)
    add(.flush, counters.log.slowestCommit?.inSeconds)
    if let written = counters.log.written {
      for cause in LoggerCounters.WriteCause.allCases { add(.written, written[cause], cause.rawValue) }
    }
    add(.wear, status.storage?.used_percent.map { Double($0) / 100 })
  }

  private mutating func addDelivery(_ status: StatusReport, _ counters: LoggerCounters) {
    for destination in status.destinations {
      let name = destination.name
      let counts = counters.destinations[name] ?? LoggerCounters.Destination()
      if destination.trouble != nil {
        add(.destinationUp, 0, name)
      } else if destination.last_success_age_s != nil {
        add(.destinationUp, 1, name)
      }
      add(.queued, counts.queued, name)
      add(.lastSuccess, counts.lastSuccess?.secondsSince1970, name)
      add(.oldestQueued, counts.oldestQueued?.secondsSince1970, name)
      add(.recordsSent, destination.delivered, name)
      for code in LoggerCounters.Response.allCases {
        add(.requests, counts.attempts[code] ?? 0, name, code.rawValue)
      }
      add(.bytesSent, counts.bytes, name)
      add(.setAside, counts.setAside, name)
    }
    add(.networkSessions, status.network?.sessions)
  }

  private mutating func addPower(_ status: StatusReport) {
    let battery = status.battery
    add(.batteryCharge, battery?.percent.map { $0 / 100 })
    add(.batteryVoltage, battery?.voltage_V)
    add(.batteryCurrent, battery?.current_mA.map { $0 / 1000 })
    add(.batteryTemperature, battery?.temperature_C)
    if let days = status.power?.days_left {
      add(.batteryRemaining, days.fewest * 86_400, "min")
      add(.batteryRemaining, days.likeliest * 86_400, "likely")
      add(.batteryRemaining, days.most * 86_400, "max")
    }
    add(.powerLevel, state: status.power?.level)
  }

  private mutating func addEnergy(_ energy: StatusReport.Energy?) {
    guard let energy else { return }
    /// 1 mAh at 1 V.
    let joules = 3.6 * energy.supply_V
    for share in energy.shares { add(.energy, share.charge_mAh.map { $0 * joules }, share.name) }
    add(.unexplainedEnergy, energy.unexplained_mAh.map { $0 * joules })
  }
}
