import GNSSProtocol
import Quantities

/// The satellites in view as one line of JSON with the names and units of gpsd's SKY report (gpsd_json(5)).
///
/// Keys without a value are absent. In contrast to gpsd, a satellite is listed once, with its best signal.
public enum SKY {
  /// Appends the report and a line feed.
  public static func append(_ satelliteReport: SatelliteReport, to text: inout [UInt8]) {
    text.write(#"{"class":"SKY""#)
    if let timestamp = satelliteReport.timestamp {
      text.write(#","time":""#)
      timestamp.appendISO8601(to: &text, fraction: .milliseconds)
      text.write("\"")
    }
    text.append(#","vdop":"#, hundredths: satelliteReport.verticalDilution)
    text.append(#","hdop":"#, hundredths: satelliteReport.horizontalDilution)
    text.append(#","pdop":"#, hundredths: satelliteReport.positionDilution)
    text.append(#","nSat":"#, satelliteReport.satellites.count)
    text.append(#","uSat":"#, satelliteReport.used)
    text.write(#","satellites":["#)
    var isFirst = true
    for satellite in satelliteReport.satellites {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      isFirst = false
      append(satellite, to: &text)
    }
    text.write("]}\n")
  }

  /// Appends a report without satellites and a line feed: what an epoch says about them. The counts are 0 if they are
  /// unknown.
  public static func append(countsOf fix: Fix, to text: inout [UInt8]) {
    text.write(#"{"class":"SKY""#)
    if let timestamp = fix.timestamp {
      text.write(#","time":""#)
      timestamp.appendISO8601(to: &text, fraction: .milliseconds)
      text.write("\"")
    }
    text.append(#","vdop":"#, hundredths: fix.verticalDilution)
    text.append(#","hdop":"#, hundredths: fix.horizontalDilution)
    text.append(#","pdop":"#, hundredths: fix.positionDilution)
    text.append(#","nSat":"#, fix.satellitesSeen.map(Int.init) ?? 0)
    text.append(#","uSat":"#, fix.satellitesUsed.map(Int.init) ?? 0)
    text.write("}\n")
  }

  private static func append(_ satellite: Satellite, to text: inout [UInt8]) {
    text.append(#"{"PRN":"#, satellite.id.prn)
    text.append(#","gnssid":"#, Int(satellite.id.system.rawValue))
    text.append(#","svid":"#, Int(satellite.id.number))
    if let azimuth = satellite.azimuth { text.append(#","az":"#, Int(azimuth)) }
    if let elevation = satellite.elevation { text.append(#","el":"#, Int(elevation)) }
    if let signal = satellite.signal { text.append(#","ss":"#, Int(signal)) }
    text.write(satellite.isUsed ? #","used":true}"# : #","used":false}"#)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ key: StaticString, _ value: Int) {
    write(key)
    appendPadded(value, digits: 1)
  }

  fileprivate mutating func append(_ key: StaticString, hundredths value: Double?) {
    guard let value, let scaled = Int64(exactly: (value * 100).rounded()) else { return }
    write(key)
    appendDecimal(scaled, decimals: 2)
  }
}
