import Quantities
import Records

/// Writes a location as query items, with the names of Traccar's OsmAnd port.
///
/// The items are `id`, `lat`, `lon`, `timestamp` (s since 1970), `speed`, `bearing`, `altitude` (m), `accuracy` (m) and
/// `batt` (percent). For Traccar there are also `valid` (false for dead reckoning), `sat` and `hdop` of the receiver,
/// `charge` (true with external power) and `motion`. Unknown values are omitted.
public enum QueryText {
  /// Returns the percent-encoded items, separated by `&`; nil for a record without a position or a time.
  public static func text(_ record: LogRecord, speedUnit: SpeedUnit, forTraccar: Bool = false) -> [UInt8]? {
    guard let feature = OverlandFeature(record) else { return nil }
    let location = feature.location
    var text: [UInt8] = []
    if !location.deviceID.isEmpty {
      text.append("id=")
      text.append(contentsOf: percentEncoded(location.deviceID).utf8)
      text.append("&")
    }
    text.append("lat=")
    text.appendDecimal(Int64(location.coordinate.latitudeE7), decimals: 7)
    text.append("&lon=")
    text.appendDecimal(Int64(location.coordinate.longitudeE7), decimals: 7)
    text.append("&timestamp=")
    text.appendDecimal(feature.time.wholeSeconds, decimals: 0)
    if let speed = location.speedMillimetresPerSecond, speed >= 0 {
      text.append("&speed=")
      text.appendDecimal(speedUnit.hundredths(of: speed), decimals: 2)
    }
    if let course = location.courseMillidegrees, course >= 0 {
      text.append("&bearing=")
      text.appendDecimal(OverlandFeature.rounded(course), decimals: 0)
    }
    if let altitude = location.altitudeMillimetres {
      text.append("&altitude=")
      text.appendDecimal(OverlandFeature.rounded(altitude), decimals: 0)
    }
    text.append("&accuracy=")
    text.appendDecimal(feature.horizontalAccuracy, decimals: 0)
    if let percent = location.batteryPercent {
      text.append("&batt=")
      text.appendDecimal(Int64(min(percent, 100)), decimals: 0)
    }
    if forTraccar { appendExtras(of: location, to: &text) }
    return text
  }

  private static func appendExtras(of location: LocationRecord, to text: inout [UInt8]) {
    switch location.fixKind {
    case .none: break
    case .deadReckoning: text.append("&valid=false")
    case .twoDimensional, .threeDimensional, .differential, .realTimeKinematicFloat, .realTimeKinematicFixed:
      text.append("&valid=true")
    }
    if let satellites = location.satellitesUsed {
      text.append("&sat=")
      text.appendDecimal(Int64(satellites), decimals: 0)
    }
    if let dilution = location.horizontalDilutionTenths {
      text.append("&hdop=")
      text.appendDecimal(Int64(dilution), decimals: 1)
    }
    switch location.batteryState {
    case .unknown: break
    case .charging, .full: text.append("&charge=true")
    case .unplugged: text.append("&charge=false")
    }
    if !location.motion.isEmpty {
      text.append(location.motion.contains(.stationary) ? "&motion=false" : "&motion=true")
    }
  }

  /// Returns the text with everything except the unreserved characters of RFC 3986 section 2.3 as `%XX`.
  public static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the URL with items appended to its query, before a fragment.
  public static func url(_ url: String, adding items: String) -> String {
    let fragment = url.firstIndex(of: "#") ?? url.endIndex
    let front = url[..<fragment]
    let joint =
      if let last = front.last, last == "?" || last == "&" { "" } else { front.contains("?") ? "&" : "?" }
    return front + joint + items + url[fragment...]
  }
}
