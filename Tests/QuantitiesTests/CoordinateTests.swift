import Quantities
import Testing

@Suite struct CoordinateTests {
  @Test func degreesHaveSevenDecimals() throws {
    let coordinate = try #require(Coordinate(latitude: 40.8982609, longitude: -73.1234567))
    #expect(coordinate.latitudeE7 == 408_982_609)
    #expect(coordinate.longitudeE7 == -731_234_567)
  }

  @Test(arguments: [(90.1, 0.0), (-91, 0), (0, 180.5), (.nan, 0), (0, .infinity)])
  func invalidDegreesAreRejected(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
  }

  @Test func distancesFollowTheGreatCircle() throws {
    let berlin = try #require(Coordinate(latitude: 52.52, longitude: 13.405))
    let paris = try #require(Coordinate(latitude: 48.8566, longitude: 2.3522))
    #expect(abs(berlin.distance(to: paris) - 877_460) < 500)
    #expect(berlin.distance(to: berlin) == 0)
  }

  @Test func distancesCrossTheDateLine() throws {
    let west = try #require(Coordinate(latitude: 0, longitude: 179.9999))
    let east = try #require(Coordinate(latitude: 0, longitude: -179.9999))
    #expect(abs(west.distance(to: east) - 22.24) < 0.1)
  }
}

@Suite struct DecimalTextTests {
  struct Number: Sendable, CustomTestStringConvertible {
    let value: Int64, decimals: Int, text: String
    var testDescription: String { text }
  }

  static let numbers = [
    Number(value: 0, decimals: 7, text: "0"), Number(value: 80, decimals: 2, text: "0.8"),
    Number(value: 100, decimals: 2, text: "1"), Number(value: -5, decimals: 2, text: "-0.05"),
    Number(value: -731_234_567, decimals: 7, text: "-73.1234567"),
    Number(value: 1_800_000_000, decimals: 7, text: "180"), Number(value: 10, decimals: 7, text: "0.000001"),
    Number(value: .min, decimals: 0, text: "-9223372036854775808"),
  ]

  @Test(arguments: numbers)
  func decimalsAreWrittenInTheirShortestForm(_ number: Number) {
    var text: [UInt8] = []
    text.appendDecimal(number.value, decimals: number.decimals)
    #expect(String(decoding: text, as: UTF8.self) == number.text)
  }
}
