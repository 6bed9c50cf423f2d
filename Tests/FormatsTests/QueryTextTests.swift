import Formats
import Quantities
import Records
import Testing

@Suite struct QueryTextTests {
  @Test(arguments: [(SpeedUnit.knots, "26.18"), (.metresPerSecond, "13.47"), (.kilometresPerHour, "48.49")])
  func speedIsInTheUnitOfTheServer(unit: SpeedUnit, speed: String) throws {
    let text = try #require(QueryText.text(try OwnTracksMessageTests.van(), speedUnit: unit))
    #expect(
      String(decoding: text, as: UTF8.self)
        == "id=fleet%2Fvan7&lat=52.5418194&lon=13.3619121&timestamp=1772360102&speed=\(speed)&bearing=87&altitude=39&accuracy=4&batt=100"
    )
  }

  @Test(arguments: [
    ("http://h", "http://h?a=1"), ("http://h/", "http://h/?a=1"), ("http://h/?b=2", "http://h/?b=2&a=1"),
    ("http://h/?", "http://h/?a=1"), ("http://h/?b&", "http://h/?b&a=1"), ("http://h/#f", "http://h/?a=1#f"),
  ])
  func itemsAreAppendedToTheQuery(url: String, expected: String) {
    #expect(QueryText.url(url, adding: "a=1") == expected)
  }

  @Test func reservedCharactersAreEncoded() {
    #expect(QueryText.percentEncoded("aZ9-._~ é&=+%") == "aZ9-._~%20%C3%A9%26%3D%2B%25")
  }
}
