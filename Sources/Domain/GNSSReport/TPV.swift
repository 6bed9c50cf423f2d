import GNSSProtocol
import Quantities

/// A fix as one line of JSON with the names and units of gpsd's TPV report (gpsd_json(5)).
///
/// Keys without a value are absent. `eph`, `epv`, `eps` and `epd` are the 68 % values of this project.
public enum TPV {
  /// Appends the report and a line feed.
  public static func append(_ fix: Fix, to text: inout [UInt8]) { append(fix, at: fix.timestamp, to: &text) }

  /// Appends the report with another time than that of the fix.
  public static func append(_ fix: Fix, at timestamp: Timestamp?, to text: inout [UInt8]) {
    text.appendLine(room: longest) { line in
      line.write(#"{"class":"TPV""#)
      if let status = status(of: fix) { line.write(#","status":"#, Double(status), decimals: 0) }
      line.write(#","mode":"#, Double(mode(of: fix)), decimals: 0)
      if let timestamp {
        line.write(#","time":""#)
        line.write(timestamp)
        line.write("\"")
      }
      line.write(#","lat":"#, fix.latitude, decimals: 9)
      line.write(#","lon":"#, fix.longitude, decimals: 9)
      line.write(#","altHAE":"#, fix.ellipsoidHeight, decimals: 4)
      line.write(#","altMSL":"#, fix.altitude, decimals: 4)
      line.write(#","alt":"#, fix.altitude, decimals: 4)
      line.write(#","epv":"#, fix.verticalAccuracy, decimals: 3)
      line.write(#","track":"#, fix.course, decimals: 4)
      line.write(#","speed":"#, fix.speed, decimals: 3)
      line.write(#","climb":"#, fix.climb, decimals: 3)
      line.write(#","eps":"#, fix.speedAccuracy, decimals: 3)
      line.write(#","epd":"#, fix.courseAccuracy, decimals: 4)
      line.write(#","eph":"#, fix.horizontalAccuracy, decimals: 3)
      line.write("}\n")
    }
  }

  /// Maximum length in bytes: 14 keys of at most 10, each with a sign, 19 digits and a point, and less than 60 for the
  /// rest.
  private static let longest = 14 * (10 + 21) + 60

  /// The mode: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  static func mode(of fix: Fix) -> Int {
    switch fix.kind {
    case .none: 1
    case .twoDimensional: 2
    case .threeDimensional: 3
    case .differential, .realTimeKinematicFloat, .realTimeKinematicFixed, .deadReckoning:
      fix.altitude == nil && fix.ellipsoidHeight == nil ? 2 : 3
    }
  }

  /// The status: 2 differential, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6 satellites with dead reckoning.
  static func status(of fix: Fix) -> Int? {
    switch fix.kind {
    case .none, .twoDimensional, .threeDimensional: nil
    case .differential: 2
    case .realTimeKinematicFixed: 3
    case .realTimeKinematicFloat: 4
    case .deadReckoning: (fix.satellitesUsed ?? 0) > 0 ? 6 : 5
    }
  }
}

extension ReportLine {
  /// Appends key and number with a fixed number of decimals, at most 9; nothing without a value or beyond
  /// ±9.2e18 units.
  @inline(__always)
  fileprivate mutating func write(_ key: StaticString, _ value: Double?, decimals: Int) {
    guard let value else { return }
    var unit: UInt64 = 1
    for _ in 0..<decimals { unit *= 10 }
    guard let scaled = Self.rounded(value * Double(unit)) else { return }
    write(key)
    if scaled < 0 { write("-") }
    write(scaled.magnitude / unit)
    guard decimals > 0 else { return }
    write(".")
    write(scaled.magnitude % unit, digits: decimals)
  }

  /// The nearest integer, rounding halves away from 0; nil if it does not fit.
  @inline(__always)
  private static func rounded(_ value: Double) -> Int64? {
    guard value.magnitude < 0x1p63 else { return nil }
    let whole = Int64(value)
    let remainder = value - Double(whole)
    return remainder >= 0.5 ? whole + 1 : remainder <= -0.5 ? whole - 1 : whole
  }
}
