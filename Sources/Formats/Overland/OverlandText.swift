import Quantities
import Records

/// What all of the protocol's records have in common.
extension [UInt8] {
  /// A Feature up to its `timestamp`; the caller closes both objects.
  mutating func appendFeature(at coordinate: Coordinate, time: Timestamp) {
    append(#"{"type":"Feature","geometry":{"type":"Point","coordinates":["#)
    appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
    append(",")
    appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
    append(#"]},"properties":{"timestamp":"#)
    appendTime(time)
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

  /// `device_id`, `wifi` and the battery, each with a comma in front. The level has hundredths; `-1` is unknown.
  mutating func appendDevice(_ device: DeviceState) {
    append(#","device_id":"#)
    appendJSONString(device.deviceID)
    append(#","wifi":"#)
    appendJSONString(device.wifi)
    append(#","battery_state":""#)
    append(device.batteryState.word)
    append(#"","battery_level":"#)
    guard let percent = device.batteryPercent else { return append("-1") }
    appendDecimal(Int64(Swift.min(percent, 100)), decimals: 2)
  }

  /// A Feature; `null` for none.
  mutating func appendFeature(_ feature: OverlandFeature?) {
    guard let feature else { return append("null") }
    feature.append(to: &self)
  }
}
