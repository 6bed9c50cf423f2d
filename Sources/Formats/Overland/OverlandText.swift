import Quantities
import Records

/// What all of the protocol's records have in common.
extension [UInt8] {
  /// A Feature up to its `timestamp`; the caller closes both objects.
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

  /// `"YYYY-MM-DDTHH:MM:SSZ"`, the fraction cut.
  mutating func appendTime(_ time: Timestamp) {
    append("\"")
    time.appendISO8601(to: &self)
    append("\"")
  }

  /// The same; `null` for none.
  mutating func appendTime(_ time: Timestamp?) {
    guard let time else { return append("null") }
    appendTime(time)
  }

  /// `device_id`, `wifi`, the battery and, where it is asked for, `unique_id`, each with a comma in front. An unknown
  /// charge is written as full where a server drops what has none.
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

  /// 0...1 in hundredths; `-1` for what is unknown.
  mutating func appendBatteryLevel(_ percent: UInt8?) {
    guard let percent else { return append("-1") }
    appendDecimal(Int64(Swift.min(percent, 100)), decimals: 2)
  }

  /// A Feature; `null` for none.
  mutating func appendFeature(_ feature: OverlandFeature?, for profile: OverlandProfile) {
    guard let feature else { return append("null") }
    feature.append(to: &self, for: profile)
  }
}
