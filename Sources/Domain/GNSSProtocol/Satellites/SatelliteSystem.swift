/// A satellite navigation system, numbered as in UBX (`gnssId`) and by gpsd.
public enum SatelliteSystem: UInt8, Sendable, CaseIterable {
  case gps = 0
  /// WAAS, EGNOS, MSAS, GAGAN…
  case sbas = 1
  case galileo = 2
  case beidou = 3
  case qzss = 5
  case glonass = 6
  case navic = 7
}
