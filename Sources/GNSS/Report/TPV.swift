import Quantities

/// A fix as one line of JSON with the names and units of gpsd's TPV report (gpsd_json(5)).
///
/// Keys without a value are absent. `eph`, `epv`, `eps` and `epd` are this project's 68 % figures.
public enum TPV {
  /// Appends the report and a line feed.
  public static func append(_ fix: Fix, to text: inout [UInt8]) {
    text.write(#"{"class":"TPV""#)
    if let status = status(of: fix) { text.append(#","status":"#, Double(status), decimals: 0) }
    text.append(#","mode":"#, Double(mode(of: fix)), decimals: 0)
    if let timestamp = fix.timestamp {
      text.write(#","time":""#)
      timestamp.appendISO8601(to: &text, fraction: .milliseconds)
      text.write("\"")
    }
    text.append(#","lat":"#, fix.latitude, decimals: 9)
    text.append(#","lon":"#, fix.longitude, decimals: 9)
    text.append(#","altHAE":"#, fix.ellipsoidHeight, decimals: 4)
    text.append(#","altMSL":"#, fix.altitude, decimals: 4)
    text.append(#","alt":"#, fix.altitude, decimals: 4)
    text.append(#","epv":"#, fix.verticalAccuracy, decimals: 3)
    text.append(#","track":"#, fix.course, decimals: 4)
    text.append(#","speed":"#, fix.speed, decimals: 3)
    text.append(#","climb":"#, fix.climb, decimals: 3)
    text.append(#","eps":"#, fix.speedAccuracy, decimals: 3)
    text.append(#","epd":"#, fix.courseAccuracy, decimals: 4)
    text.append(#","eph":"#, fix.horizontalAccuracy, decimals: 3)
    text.write("}\n")
  }

  /// 1 no fix, 2 two-dimensional, 3 three-dimensional.
  static func mode(of fix: Fix) -> Int {
    switch fix.kind {
    case .none: 1
    case .twoDimensional: 2
    case .threeDimensional: 3
    case .differential, .realTimeKinematicFloat, .realTimeKinematicFixed, .deadReckoning:
      fix.altitude == nil && fix.ellipsoidHeight == nil ? 2 : 3
    }
  }

  /// 2 differential, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6 satellites with dead reckoning.
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

extension [UInt8] {
  /// Key and number with a fixed count of decimals; nothing without a value or beyond ±9.2e18 units.
  fileprivate mutating func append(_ key: StaticString, _ value: Double?, decimals: Int) {
    guard let value else { return }
    var unit = 1
    for _ in 0..<decimals { unit *= 10 }
    guard let scaled = Int(exactly: (value * Double(unit)).rounded()) else { return }
    write(key)
    if scaled < 0 { append(UInt8(ascii: "-")) }
    let magnitude = Int(clamping: scaled.magnitude)
    appendPadded(magnitude / unit, digits: 1)
    guard decimals > 0 else { return }
    append(UInt8(ascii: "."))
    appendPadded(magnitude % unit, digits: decimals)
  }
}
