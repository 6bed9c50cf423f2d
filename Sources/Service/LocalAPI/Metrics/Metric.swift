import Energy
import History
import Quantities
import Records
import Scheduling
import Tracking

/// The metrics of `GET /metrics`. The raw values are the names in the text format of Prometheus; they are a promise.
public enum Metric: String, CaseIterable, Sendable {
  case buildInfo = "outrider_build_info"
  case startTime = "outrider_start_time_seconds"
  case wakeUps = "outrider_wakeups_total"
  case processCPU = "process_cpu_seconds_total"
  case residentMemory = "process_resident_memory_bytes"
  case processStart = "process_start_time_seconds"
  case openFiles = "process_open_fds"
  case longestTurn = "outrider_loop_longest_turn_seconds"
  case slowTurns = "outrider_loop_slow_turns_total"

  case receiverInfo = "outrider_receiver_info"
  case receiverUp = "outrider_receiver_up"
  case receiverState = "outrider_receiver_state"
  case receiverStateSeconds = "outrider_receiver_state_seconds_total"
  case receiverFrames = "outrider_receiver_frames_total"
  case checksumErrors = "outrider_receiver_checksum_errors_total"
  case receiverStarts = "outrider_receiver_starts_total"
  case failedAcquisitions = "outrider_receiver_acquisitions_failed_total"
  case timeToFirstFix = "outrider_receiver_time_to_first_fix_seconds"

  case fixMode = "outrider_fix_mode"
  case fixAge = "outrider_fix_age_seconds"
  case fixAccuracy = "outrider_fix_horizontal_accuracy_meters"
  case satellitesUsed = "outrider_satellites_used"
  case satellitesSeen = "outrider_satellites_seen"
  case epochs = "outrider_epochs_total"
  case fixesRejected = "outrider_fixes_rejected_total"

  case tracking = "outrider_tracking_enabled"
  case motionState = "outrider_motion_state"
  case speed = "outrider_speed_meters_per_second"
  case odometer = "outrider_odometer_meters_total"
  case steps = "outrider_steps_total"
  case tripActive = "outrider_trip_active"
  case gaps = "outrider_gaps_total"

  case records = "outrider_records_total"
  case events = "outrider_events_total"
  case logRecords = "outrider_log_records"
  case logBytes = "outrider_log_bytes"
  case logLimit = "outrider_log_limit_bytes"
  case undated = "outrider_log_undated_records"
  case commits = "outrider_log_commits_total"
  case flush = "outrider_log_flush_seconds"
  case written = "outrider_storage_written_bytes_total"
  case wear = "outrider_storage_used_ratio"

  case destinationUp = "outrider_destination_up"
  case queued = "outrider_destination_queued_records"
  case lastSuccess = "outrider_destination_last_success_timestamp_seconds"
  case oldestQueued = "outrider_destination_oldest_queued_timestamp_seconds"
  case recordsSent = "outrider_destination_records_sent_total"
  case requests = "outrider_destination_requests_total"
  case bytesSent = "outrider_destination_bytes_sent_total"
  case setAside = "outrider_destination_records_set_aside_total"
  case networkSessions = "outrider_network_sessions_total"

  case batteryCharge = "outrider_battery_charge_ratio"
  case batteryVoltage = "outrider_battery_voltage_volts"
  case batteryCurrent = "outrider_battery_current_amperes"
  case batteryTemperature = "outrider_battery_temperature_celsius"
  case batteryRemaining = "outrider_battery_remaining_seconds"
  case powerLevel = "outrider_power_level"
  case energy = "outrider_energy_joules_total"
  case unexplainedEnergy = "outrider_energy_unexplained_joules"

  case clockQuality = "outrider_clock_quality"
  case clockOffset = "outrider_clock_offset_seconds"
  case hostSleeps = "outrider_host_sleeps_total"

  /// The form of a value.
  public enum Form: String, Sendable {
    /// A sum that only grows while the process runs.
    case counter
    case gauge
    /// The constant 1; the labels have the information.
    case info
  }

  public var form: Form {
    if rawValue.hasSuffix("_total") { return .counter }
    return rawValue.hasSuffix("_info") ? .info : .gauge
  }

  /// The name of the family in OpenMetrics, which has no `_total` and no `_info`.
  var family: String {
    switch form {
    case .counter: String(rawValue.dropLast("_total".count))
    case .info: String(rawValue.dropLast("_info".count))
    case .gauge: rawValue
    }
  }

  /// The unit, which is the end of the family's name; nil for numbers, states and information.
  var unit: String? {
    guard form != .info else { return nil }
    return [
      "meters_per_second", "seconds", "meters", "bytes", "ratio", "volts", "amperes", "celsius", "joules",
    ]
    .first { family.hasSuffix("_\($0)") }
  }

  /// True if the value continues over restarts, because the logger saves it.
  var isSaved: Bool {
    switch self {
    case .receiverStateSeconds, .odometer, .steps, .energy: true
    default: false
    }
  }

  /// True if guests may not read it.
  var isPrivate: Bool { self == .speed }

  /// The labels of the samples, in their order.
  public var labels: [MetricLabel] {
    switch self {
    case .buildInfo: [.version, .board]
    case .receiverInfo: [.family, .module, .firmware]
    case .receiverState: [.receiverState]
    case .receiverStateSeconds: [.receiverShare]
    case .fixesRejected: [.reason]
    case .motionState: [.motionState]
    case .records: [.recordKind]
    case .events: [.eventKind]
    case .written: [.cause]
    case .destinationUp, .queued, .lastSuccess, .oldestQueued, .recordsSent, .bytesSent, .setAside:
      [.destination]
    case .requests: [.destination, .code]
    case .batteryRemaining: [.bound]
    case .powerLevel: [.level]
    case .energy: [.consumer]
    default: []
    }
  }
}

/// A label of a metric.
public enum MetricLabel: Sendable, CaseIterable {
  case version, board, family, module, firmware, receiverState, receiverShare, reason, motionState, recordKind
  case eventKind, cause, destination, code, bound, level, consumer

  public var name: String {
    switch self {
    case .receiverState, .receiverShare, .motionState: "state"
    case .recordKind, .eventKind: "kind"
    case .version, .board, .family, .module, .firmware, .reason, .cause, .destination, .code, .bound, .level,
      .consumer:
      "\(self)"
    }
  }

  /// The values; nil for a name of a destination, and for texts of which a logger has one at a time.
  public var values: [String]? {
    switch self {
    case .version, .board, .family, .module, .firmware, .destination: nil
    case .receiverState: ReportedReceiverState.allCases.map(\.rawValue)
    case .receiverShare: ReceiverState.allCases.map { ReportedReceiverState($0).rawValue }
    case .reason: Rejection.allCases.map(\.rawValue)
    case .motionState: ["stationary", "moving", "walking", "running", "cycling", "driving"]
    case .recordKind: ["location", "visit", "trip", "action", "event"]
    case .eventKind: EventKind.allCases.map(\.rawValue)
    case .cause: LoggerCounters.WriteCause.allCases.map(\.rawValue)
    case .code: LoggerCounters.Response.allCases.map(\.rawValue)
    case .bound: ["min", "likely", "max"]
    case .level: PowerLevel.allCases.map(\.rawValue)
    case .consumer: EnergyShare.all.map(\.name)
    }
  }
}
