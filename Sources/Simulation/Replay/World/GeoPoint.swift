import Glibc

/// Latitude and longitude in degrees, with the precision of a recording.
struct GeoPoint: Equatable, Sendable {
  var latitude: Double
  var longitude: Double

  /// Distance in metres between two positions on the mean sphere; accurate for up to some hundred kilometres.
  static func metres(_ a: GeoPoint, _ b: GeoPoint) -> Double {
    let radians = Double.pi / 180
    let east = a.turn(to: b) * radians * cos((a.latitude + b.latitude) / 2 * radians)
    let north = (b.latitude - a.latitude) * radians
    return earthRadius * (east * east + north * north).squareRoot()
  }

  /// Difference of longitude in degrees in the shorter direction, east positive.
  func turn(to other: GeoPoint) -> Double {
    let turn = other.longitude - longitude
    return turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn
  }

  /// The position at a fraction of the distance to another one.
  func toward(_ other: GeoPoint, share: Double) -> GeoPoint {
    GeoPoint(
      latitude: latitude + share * (other.latitude - latitude),
      longitude: (longitude + share * turn(to: other)).asLongitude)
  }

  func moved(north: Double, east: Double) -> GeoPoint {
    let degrees = 180 / (Double.pi * Self.earthRadius)
    return GeoPoint(
      latitude: latitude + north * degrees,
      longitude: (longitude + east * degrees / max(cos(latitude * Double.pi / 180), 1e-6)).asLongitude)
  }

  static let earthRadius = 6_371_008.8
  static let metresPerDegree = earthRadius * .pi / 180
}

extension Double {
  /// The value in degrees, normalised to −180...180; valid for at most one turn outside.
  var asLongitude: Double { self > 180 ? self - 360 : self < -180 ? self + 360 : self }
}
