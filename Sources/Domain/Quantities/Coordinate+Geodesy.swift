import Glibc

extension Coordinate {
  /// Returns the offset to other coordinates in metres east and north on the mean sphere.
  ///
  /// The projection preserves distances and directions from here (azimuthal equidistant). It is valid at the poles and
  /// across the date line.
  public func offset(to other: Coordinate) -> (east: Double, north: Double) {
    let distance = distance(to: other)
    guard distance > 0 else { return (0, 0) }
    let bearing = bearing(to: other) * Double.pi / 180
    return (distance * sin(bearing), distance * cos(bearing))
  }

  /// Returns the initial bearing to other coordinates in degrees from true north, 0..<360.
  public func bearing(to other: Coordinate) -> Double {
    let radians = Double.pi / 180
    let from = latitude * radians
    let to = other.latitude * radians
    let turn = (other.longitude - longitude) * radians
    let degrees = atan2(sin(turn) * cos(to), cos(from) * sin(to) - sin(from) * cos(to) * cos(turn)) / radians
    return degrees < 0 ? (degrees + 360).truncatingRemainder(dividingBy: 360) : degrees
  }

  /// Returns the coordinates at an offset in metres east and north; the inverse of ``offset(to:)``.
  public func moved(east: Double, north: Double) -> Coordinate {
    let radians = Double.pi / 180
    let angle = min((east * east + north * north).squareRoot() / 6_371_008.8, Double.pi)
    guard angle > 0, angle.isFinite else { return self }
    let bearing = atan2(east, north)
    let from = latitude * radians
    let sine = sin(from) * cos(angle) + cos(from) * sin(angle) * cos(bearing)
    let to = asin(min(max(sine, -1), 1))
    // At a pole every direction is a meridian, and the divisor of the formula is zero.
    let turn =
      switch latitudeE7 {
      case 900_000_000: Double.pi - bearing
      case -900_000_000: bearing
      default: atan2(sin(bearing) * sin(angle) * cos(from), cos(angle) - sin(from) * sin(to))
      }
    let degrees = (longitude + turn / radians).remainder(dividingBy: 360)
    return Coordinate(latitude: to / radians, longitude: degrees) ?? self
  }
}
