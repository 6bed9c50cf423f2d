import Foundation
import Quantities
import Testing
@testable import GNSSProtocol

@Suite struct EarthCentredTests {
  /// Latitude, longitude, height and x, y, z: on the axes from the definition of the ellipsoid, the others
  /// from the textbook formula from degrees to metres.
  @Test(arguments: [
    (0.0, 0.0, 0.0, 6_378_137.0, 0.0, 0.0), (0, 90, 100, 0, 6_378_237, 0),
    (90, 0, 0, 0, 0, 6_356_752.3142), (-90, 0, 10, 0, 0, -6_356_762.3142),
    (0, 180, 0, -6_378_137, 0, 0),
  ])
  func positionsOnTheAxesAreExact(
    latitude: Double, longitude: Double, height: Double, x: Double, y: Double, z: Double
  ) throws {
    let found = try #require(EarthCentred(x: x, y: y, z: z).geodetic)
    #expect(abs(found.position.latitude - latitude) < 1e-9)
    #expect(abs(found.height - height) < 1e-3)
    if abs(latitude) < 90 { #expect(abs(found.position.longitude - longitude) < 1e-9) }
  }

  @Test(arguments: 0..<8)
  func conversionToGeodeticRestoresThePosition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let latitude = Double.random(in: -90...90, using: &random)
      let longitude = Double.random(in: -179.9...179.9, using: &random)
      let height = Double.random(in: -400...20_000, using: &random)
      let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
      let e2 = 6.694379990141317e-3
      let normal = 6_378_137 / (1 - e2 * sin(phi) * sin(phi)).squareRoot()
      let vector = EarthCentred(
        x: (normal + height) * cos(phi) * cos(lambda), y: (normal + height) * cos(phi) * sin(lambda),
        z: (normal * (1 - e2) + height) * sin(phi))
      let found = try #require(vector.geodetic)
      #expect(abs(found.position.latitude - latitude) < 1e-9)
      #expect(abs(found.position.longitude - longitude) < 1e-9)
      #expect(abs(found.height - height) < 1e-3)
    }
  }

  @Test func velocityIsConvertedToNorthEastUp() {
    let atTheEquator = Position(latitude: 0, longitude: 0)
    let local = EarthCentred(x: 3, y: 2, z: 1).local(at: atTheEquator)
    #expect((local.north, local.east, local.up) == (1, 2, 3))
    let quarter = EarthCentred(x: -2, y: 3, z: 1).local(at: Position(latitude: 0, longitude: 90))
    #expect(abs(quarter.north - 1) < 1e-12 && abs(quarter.east - 2) < 1e-12 && abs(quarter.up - 3) < 1e-12)
  }

  @Test func theCentreOfTheEarthIsNoPosition() {
    #expect(EarthCentred(x: 0, y: 0, z: 0).geodetic == nil)
    #expect(EarthCentred(x: .nan, y: 0, z: 0).geodetic == nil)
  }
}
