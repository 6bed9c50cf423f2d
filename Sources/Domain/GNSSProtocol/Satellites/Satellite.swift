/// A satellite in view.
public struct Satellite: Equatable, Sendable {
  public let id: SatelliteID
  /// Elevation in degrees above the horizon, −90...90; nil if unknown.
  public internal(set) var elevation: Int8?
  /// Azimuth in degrees from true north, 0...359; nil if unknown.
  public internal(set) var azimuth: Int16?
  /// Carrier-to-noise density of its best signal in dBHz; nil if it is not tracked.
  public internal(set) var signal: UInt8?
  /// True if the satellite is used in the solution.
  public internal(set) var isUsed: Bool

  init(id: SatelliteID, elevation: Int8?, azimuth: Int16?, signal: UInt8?, isUsed: Bool = false) {
    self.id = id
    self.elevation = elevation
    self.azimuth = azimuth
    self.signal = signal
    self.isUsed = isUsed
  }

  /// Normalises an azimuth of 360 to 0; nil outside the range.
  static func azimuth(_ degrees: Int?) -> Int16? {
    guard let degrees, (0...360).contains(degrees) else { return nil }
    return degrees == 360 ? 0 : Int16(degrees)
  }
}
