import Glibc
import Quantities

/// A vector in the earth-centred, earth-fixed frame of WGS 84: metres, or m/s.
struct EarthCentred: Equatable {
  var x: Double
  var y: Double
  var z: Double

  /// Creates coordinates from units of 1/100.
  init(centi x: Int32, _ y: Int32, _ z: Int32) {
    self.init(x: Double(x) / 100, y: Double(y) / 100, z: Double(z) / 100)
  }

  init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  /// Semi-axes of the ellipsoid in metres (NIMA TR8350.2, table 3.1).
  private static let equatorialRadius = 6_378_137.0
  private static let polarRadius = 6_356_752.314245
  /// Smallest plausible distance from the centre of the earth in metres.
  private static let smallestRadius = 6_300_000.0

  /// The position, and its height in metres above the ellipsoid; nil inside the earth, which includes the zeros that
  /// receivers send without a fix.
  ///
  /// Bowring's formula: the error is below a millimetre up to orbital altitudes.
  var geodetic: (position: Position, height: Double)? {
    guard (x * x + y * y + z * z).squareRoot() >= Self.smallestRadius else { return nil }
    let (a, b) = (Self.equatorialRadius, Self.polarRadius)
    let firstEccentricity = 1 - b * b / (a * a)
    let secondEccentricity = a * a / (b * b) - 1
    let distance = (x * x + y * y).squareRoot()
    let reduced = atan2(z * a, distance * b)
    let (sine, cosine) = (sin(reduced), cos(reduced))
    let latitude = atan2(
      z + secondEccentricity * b * sine * sine * sine,
      distance - firstEccentricity * a * cosine * cosine * cosine)
    let height =
      distance * cos(latitude) + z * sin(latitude)
      - a * (1 - firstEccentricity * sin(latitude) * sin(latitude)).squareRoot()
    return (
      Position(latitude: latitude * 180 / .pi, longitude: atan2(y, x) * 180 / .pi), height
    )
  }

  /// The components north, east and up at a position.
  func local(at origin: Position) -> (north: Double, east: Double, up: Double) {
    let (latitude, longitude) = (origin.latitude * .pi / 180, origin.longitude * .pi / 180)
    let outward = cos(longitude) * x + sin(longitude) * y
    return (
      north: cos(latitude) * z - sin(latitude) * outward, east: cos(longitude) * y - sin(longitude) * x,
      up: cos(latitude) * outward + sin(latitude) * z
    )
  }
}
