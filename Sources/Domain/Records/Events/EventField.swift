import Quantities

/// The name of a value of an event. The raw value is the key in JSON; its last part is the unit, if it has one.
public enum EventField: String, CaseIterable, Sendable {
  // The subject.
  case accessPoints = "access_points"
  case destination
  case device
  case directory
  case file
  case fileSystem = "file_system"
  case firmware
  case gpsd
  case gpsdVersion = "gpsd_version"
  case module
  case network
  case part
  case port
  case previousIdentity = "previous_unique_id"
  case previousNetwork = "previous_network"
  case previousVersion = "previous_version"
  case record
  case records
  case version
  case zone

  // The occurrence and its cause: words of a closed list, or the text of an error.
  case cause
  case changes
  case command
  case confidence
  case evidence
  case fault
  case isInferred = "inferred"
  case isManual = "manual"
  case isOnRequest = "on_request"
  case isTrip = "trip"
  case lastValues = "last_values"
  case level
  case missing
  case mode
  case motion
  case obstacle
  case outlook
  case previousLevel = "previous_level"
  case reason
  case rejections
  case remedy
  case side
  case signal
  case steps
  case tried
  case wakeReason = "wake_reason"

  // Quantities.
  case accuracy = "accuracy_m"
  case age = "age_s"
  case baud
  case bytes
  case cells
  case count
  case days
  case desiredBaud = "desired_baud"
  case distance = "distance_m"
  case duration = "duration_s"
  case durationMilliseconds = "duration_ms"
  case failures
  case freeBytes = "free_bytes"
  case interval = "interval_percent"
  case latitude = "lat_deg"
  case limit
  case longitude = "lon_deg"
  case lostRecords = "lost_records"
  case pages
  case totalPages = "total_pages"
  case peakAcceleration = "peak_mmps2"
  case percent
  case planned = "planned_s"
  case previousBaud = "previous_baud"
  case renumbered
  case retry = "retry_s"
  case rollback = "rollback_s"
  case speed = "speed_mmps"
  case started = "started_ms"
  case step = "step_ms"
  case temperature = "temperature_C"
  case time = "time_ms"
  case voltage = "voltage_mV"
  case wake = "wake_s"
  case x = "x_mg"
  case y = "y_mg"
  case z = "z_mg"
}

extension EventField {
  /// The description of the value with its unit, for the reference of events.
  public var meaning: String {
    switch self {
    case .accessPoints: "known access points of the place, a count"
    case .destination: "name of the destination"
    case .device: "device that gpsd reads, or the receiver family"
    case .directory: "path of a directory"
    case .file: "name of a file in `storage.directory`"
    case .fileSystem: "type of the file system"
    case .firmware: "firmware version that the receiver reported"
    case .gpsd: "address and port of gpsd"
    case .gpsdVersion: "version that gpsd reported"
    case .module: "module name that the receiver reported"
    case .network: "name of the joined Wi-Fi network"
    case .part: "chip with its address and bus, or the kernel's name of it"
    case .port: "path of the serial port"
    case .previousIdentity: "`unique_id` before a change"
    case .previousNetwork: "name of the previous Wi-Fi network"
    case .previousVersion: "version of Outrider before an update"
    case .record: "id of a record"
    case .records: "ids of records"
    case .version: "version of Outrider"
    case .zone: "name of the zone"
    case .cause: "the cause, a word of a closed list; for a damaged log its description"
    case .changes: "changed settings with their values"
    case .command: "name of a command of the receiver's protocol"
    case .confidence: "confidence of the motion state: low, medium or high"
    case .evidence: "the observation behind a fault, a word of a closed list"
    case .fault: "the fault, a word of a closed list"
    case .isInferred: "true if the zone was crossed between two fixes"
    case .isOnRequest: "true if sending is off: delivery is tried again at the next request only"
    case .isManual: "true for a trip that was started by hand"
    case .isTrip: "false for a trip that was too short and was discarded"
    case .lastValues: "last rejected value by reason"
    case .level: "power level"
    case .missing: "fix or location"
    case .mode: "halt or suspend"
    case .motion: "motion states"
    case .obstacle: "why the receiver cannot sleep, a word of a closed list"
    case .outlook: "whether the battery lasts: lasts, falls_short or over"
    case .previousLevel: "previous power level"
    case .reason: "text of an error, or a state that the receiver reported"
    case .rejections: "count of fixes by reason"
    case .remedy: "recovery step, a word of a closed list"
    case .side: "left or right"
    case .signal: "signal that ended the previous run"
    case .steps: "steps since the start of the program, a count"
    case .tried: "recovery steps that failed"
    case .wakeReason: "reason of the wake-up, a word of a closed list"
    case .accuracy: "horizontal accuracy of the position in metres; in the log only"
    case .age: "age in seconds"
    case .baud: "baud rate in use"
    case .bytes: "size in bytes"
    case .cells: "cells in series, a count"
    case .count: "a count; the meaning of the kind names the items"
    case .days: "days by which the date was corrected"
    case .desiredBaud: "baud rate that was to be set"
    case .distance: "distance in metres"
    case .duration: "duration in seconds"
    case .durationMilliseconds: "duration in milliseconds"
    case .failures: "failures so far, a count"
    case .freeBytes: "space left in bytes"
    case .interval: "sampling interval in percent of that of the settings"
    case .latitude: "latitude of the device in degrees; in the log only"
    case .limit: "the limit of a measure, in the measure's unit"
    case .longitude: "longitude of the device in degrees; in the log only"
    case .lostRecords: "records that could not be salvaged, at least; a count"
    case .pages: "lost pages of the write-ahead log, a count"
    case .peakAcceleration: "peak acceleration in mm/s²"
    case .percent: "charge of the battery in percent"
    case .planned: "planned sleep in seconds"
    case .previousBaud: "baud rate before the change"
    case .renumbered: "records with impossible numbers that got new ones, a count"
    case .retry: "seconds until the next attempt"
    case .rollback: "seconds until the change is rolled back unless it is proven"
    case .speed: "speed in mm/s"
    case .started: "start in milliseconds since 1970, UTC"
    case .step: "step of the clock in milliseconds; negative if backwards"
    case .temperature: "cell temperature in °C"
    case .time: "time in milliseconds since 1970, UTC"
    case .totalPages: "pages of the write-ahead log, a count"
    case .voltage: "voltage in millivolts"
    case .wake: "seconds until the next scheduled wake-up"
    case .x: "self-test response of the x axis in thousandths of g"
    case .y: "self-test response of the y axis in thousandths of g"
    case .z: "self-test response of the z axis in thousandths of g"
    }
  }
}
