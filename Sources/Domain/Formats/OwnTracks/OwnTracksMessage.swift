import Quantities
import Records

/// A location in the OwnTracks format: one flat JSON object (owntracks.org/booklet/tech/json, `_type=location`).
///
/// | key | unit | unknown |
/// | --- | --- | --- |
/// | `lat`, `lon` | degrees, 7 decimals | – |
/// | `tst` | s since 1970, of the fix | – |
/// | `acc` | m, integer, at least 1: Home Assistant drops a message with 0 | ``OverlandFeature/unknownHorizontalAccuracy`` |
/// | `batt` | percent | omitted |
/// | `topic` | `owntracks/` and the device id, wildcards as `_` | omitted without a device id |
/// | `tid` | the tracker id, if configured | omitted |
/// | `alt` | m above mean sea level, integer | omitted |
/// | `vel` | **km/h**, integer | omitted |
/// | `cog` | degrees, integer | omitted |
/// | `t` | `r` in the answer to a request of the server | omitted |
public struct OwnTracksMessage: Equatable, Sendable {
  public let location: LocationRecord
  public let time: Timestamp

  /// Creates the message; nil for everything except a dated location with a position.
  public init?(_ record: LogRecord) {
    guard let feature = OverlandFeature(record) else { return nil }
    location = feature.location
    time = feature.time
  }

  /// Returns the topic, such as `owntracks/fleet/van7` for the device id `fleet/van7`; nil without a device id.
  ///
  /// Characters that are not allowed in a topic name become `_` (MQTT 3.1.1 sections 4.7.1 and 4.7.3).
  public static func topic(deviceID: String) -> String? {
    deviceID.isEmpty ? nil : "owntracks/" + String(deviceID.map { "+#\0".contains($0) ? "_" : $0 })
  }

  /// Appends the object. `isRequested` is true for the answer to a request of the server.
  public func append(to text: inout [UInt8], trackerID: String? = nil, isRequested: Bool = false) {
    text.append(#"{"_type":"location","lat":"#)
    text.appendDecimal(Int64(location.coordinate.latitudeE7), decimals: 7)
    text.append(#","lon":"#)
    text.appendDecimal(Int64(location.coordinate.longitudeE7), decimals: 7)
    text.append(#","tst":"#)
    text.appendDecimal(time.wholeSeconds, decimals: 0)
    text.append(#","acc":"#)
    text.appendDecimal(OverlandFeature(location, time: time).horizontalAccuracy, decimals: 0)
    if let percent = location.batteryPercent {
      text.append(#","batt":"#)
      text.appendDecimal(Int64(min(percent, 100)), decimals: 0)
    }
    if let topic = Self.topic(deviceID: location.deviceID) {
      text.append(#","topic":"#)
      text.appendJSONString(topic)
    }
    if let trackerID {
      text.append(#","tid":"#)
      text.appendJSONString(trackerID)
    }
    if let altitude = location.altitudeMillimetres {
      text.append(#","alt":"#)
      text.appendDecimal(OverlandFeature.rounded(altitude), decimals: 0)
    }
    if let speed = location.speedMillimetresPerSecond, speed >= 0 {
      text.append(#","vel":"#)
      text.appendDecimal(SpeedUnit.kilometresPerHour.hundredths(of: speed, rounding: 100) / 100, decimals: 0)
    }
    if let course = location.courseMillidegrees, course >= 0 {
      text.append(#","cog":"#)
      text.appendDecimal(OverlandFeature.rounded(course), decimals: 0)
    }
    if isRequested { text.append(#","t":"r""#) }
    text.append("}")
  }
}

extension Timestamp {
  /// The seconds since 1970, the fraction truncated.
  var wholeSeconds: Int64 {
    let seconds = milliseconds / 1000
    return milliseconds % 1000 < 0 ? seconds - 1 : seconds
  }
}
