import Quantities
import Records

// The parts that are common to all records of the protocol.
extension [UInt8] {
  /// Appends a Feature up to its `timestamp`; the caller closes both objects.
  mutating func appendFeature(
    at coordinate: Coordinate, time: Timestamp, for profile: OverlandProfile
  ) {
    append(#"{"type":"Feature","geometry":{"type":"Point","coordinates":"#)
    switch profile.coordinates {
    case .pair:
      append("[")
      appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
      append(",")
      appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
      append("]")
    case .named:
      append(#"{"latitude":"#)
      appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
      append(#","longitude":"#)
      appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
      append("}")
    }
    append(#"},"properties":{"timestamp":"#)
    guard profile.keepsDigits, time.milliseconds % 1000 != 0 else { return appendTime(time) }
    append("\"")
    time.appendISO8601(to: &self, fraction: .milliseconds)
    append("\"")
  }

  /// Appends `"YYYY-MM-DDTHH:MM:SSZ"`, the fraction truncated.
  mutating func appendTime(_ time: Timestamp) {
    append("\"")
    time.appendISO8601(to: &self)
    append("\"")
  }

  /// Appends a time; `null` for nil.
  mutating func appendTime(_ time: Timestamp?) {
    guard let time else { return append("null") }
    appendTime(time)
  }

  /// Appends `device_id`, `wifi`, the battery and, if configured, `unique_id`, each after a comma. An unknown charge is
  /// written as full if the server requires one.
  mutating func appendDevice(_ device: DeviceState, for profile: OverlandProfile) {
    append(#","device_id":"#)
    appendJSONString(profile.deviceID ?? device.deviceID)
    append(#","wifi":"#)
    appendJSONString(device.wifi)
    append(#","battery_state":""#)
    let isAssumed = profile.assumesFullBattery && device.batteryPercent == nil
    append(isAssumed && device.batteryState == .unknown ? "full" : device.batteryState.word)
    append(#"","battery_level":"#)
    appendBatteryLevel(isAssumed ? 100 : device.batteryPercent)
    guard let uniqueID = profile.uniqueID else { return }
    append(#","unique_id":"#)
    appendJSONString(uniqueID)
  }

  /// Appends the charge as 0...1 in hundredths; `-1` if unknown.
  mutating func appendBatteryLevel(_ percent: UInt8?) {
    guard let percent else { return append("-1") }
    appendDecimal(Int64(Swift.min(percent, 100)), decimals: 2)
  }

  /// Appends a Feature; `null` for nil.
  mutating func appendFeature(_ feature: OverlandFeature?, for profile: OverlandProfile) {
    guard let feature else { return append("null") }
    feature.append(to: &self, for: profile)
  }
}
