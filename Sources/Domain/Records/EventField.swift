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
  case limit
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
