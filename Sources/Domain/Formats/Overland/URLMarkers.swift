import Quantities
import Records

/// Replaces the markers in an Overland URL by the newest fix: `%TS`, `%LAT`, `%LON`, `%ACC`, `%SPD`, `%ALT`, `%BAT`.
///
/// Markers are literal and case-sensitive and need no delimiters. Unknown markers are not changed. The values are not
/// percent-encoded; their only special character is the colon of the time, which is allowed in a query (RFC 3986
/// section 3.4).
public enum URLMarkers {
  private static let names: [StaticString] = ["%TS", "%LAT", "%LON", "%ACC", "%SPD", "%ALT", "%BAT"]

  /// Returns true if the URL contains a marker.
  public static func areIn(_ url: String) -> Bool {
    let bytes = Array(url.utf8)
    return bytes.indices.contains { marker(in: bytes, at: $0) != nil }
  }

  /// Returns the URL with the values of a fix; without a fix they are empty.
  public static func filled(_ url: String, from fix: OverlandFeature?) -> String {
    let bytes = Array(url.utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 40)
    var index = 0
    while index < bytes.count {
      guard let marker = marker(in: bytes, at: index) else {
        text.append(bytes[index])
        index += 1
        continue
      }
      if let fix { append(marker, of: fix, to: &text) }
      index += names[marker].utf8CodeUnitCount
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func marker(in bytes: [UInt8], at index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: "%") else { return nil }
    return names.firstIndex { name in
      name.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }
  }

  private static func append(_ marker: Int, of fix: OverlandFeature, to text: inout [UInt8]) {
    let location = fix.location
    switch marker {
    case 0: fix.time.appendISO8601(to: &text)
    case 1: text.appendDecimal(Int64(location.coordinate.latitudeE7), decimals: 7)
    case 2: text.appendDecimal(Int64(location.coordinate.longitudeE7), decimals: 7)
    case 3: text.appendDecimal(fix.horizontalAccuracy, decimals: 0)
    case 4: text.appendWhole(location.speedMillimetresPerSecond)
    case 5: text.appendDecimal(OverlandFeature.rounded(location.altitudeMillimetres ?? 0), decimals: 0)
    default: text.appendBatteryLevel(location.batteryPercent)
    }
  }
}
