import Glibc

/// Latitude and longitude in WGS 84 with a resolution of 1e-7 degrees (11 mm).
public struct Coordinate: Hashable, Sendable {
  /// Latitude in 1e-7 degrees, −900 000 000...900 000 000.
  public let latitudeE7: Int32
  /// Longitude in 1e-7 degrees, −1 800 000 000...1 800 000 000.
  public let longitudeE7: Int32

  /// Creates coordinates; nil outside ±90° and ±180°.
  public init?(latitudeE7: Int32, longitudeE7: Int32) {
    guard (-900_000_000...900_000_000).contains(latitudeE7),
      (-1_800_000_000...1_800_000_000).contains(longitudeE7)
    else { return nil }
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
  }

  /// Creates coordinates from degrees, rounded to 1e-7; nil outside ±90° and ±180° and for invalid numbers.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.init(
      latitudeE7: Int32((latitude * 1e7).rounded()), longitudeE7: Int32((longitude * 1e7).rounded()))
  }

  /// The latitude in degrees, north positive.
  public var latitude: Double { Double(latitudeE7) / 1e7 }
  /// The longitude in degrees, east positive.
  public var longitude: Double { Double(longitudeE7) / 1e7 }

  /// True for latitude 0 and longitude 0, which receivers and servers use for an unknown position.
  public var isNullIsland: Bool { latitudeE7 == 0 && longitudeE7 == 0 }

  /// Returns an upper limit of the great-circle distance in metres: the path along the meridian and then the equator.
  ///
  /// It needs no trigonometry. Across the date line it is far too large.
  public func farthest(from other: Coordinate) -> Double {
    let north = (Int64(latitudeE7) - Int64(other.latitudeE7)).magnitude
    let east = (Int64(longitudeE7) - Int64(other.longitudeE7)).magnitude
    return Double(north + east) * Self.metresPerE7
  }

  /// The length of 1e-7 degrees of latitude on the mean sphere, in metres.
  private static let metresPerE7 = 6_371_008.8 * Double.pi / 180 * 1e-7

  /// Returns the great-circle distance in metres on the mean sphere (6 371 008.8 m), within 0.6 % of the ellipsoid.
  public func distance(to other: Coordinate) -> Double {
    let radians = Double.pi / 180
    let latitudes = (latitude * radians, other.latitude * radians)
    let halfLatitude = sin((latitudes.1 - latitudes.0) / 2)
    let halfLongitude = sin((other.longitude - longitude) * radians / 2)
    let haversine =
      halfLatitude * halfLatitude + cos(latitudes.0) * cos(latitudes.1) * halfLongitude * halfLongitude
    return 2 * 6_371_008.8 * asin(min(1, haversine.squareRoot()))
  }
}
