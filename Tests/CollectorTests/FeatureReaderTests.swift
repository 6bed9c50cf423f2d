import Foundation
import Quantities
import Testing

@testable import Collector

@Suite struct FeatureReaderTests {
  private func read(_ text: String) -> Feature { FeatureReader().feature(Array(text.utf8)[...]) }

  @Test func anOverlandLocationIsReadCompletely() {
    let feature = read(
      #"""
      {"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},
       "properties":{"timestamp":"2026-03-01T10:15:02Z","altitude":39,"speed":13.47,"course":87,
         "horizontal_accuracy":4,"vertical_accuracy":7,"motion":["driving","stationary"],"device_id":"van-7",
         "wifi":"","battery_state":"full","battery_level":0.8}}
      """#)
    #expect(feature.kind == .location)
    #expect(feature.time == Timestamp(milliseconds: 1_772_360_102_000))
    #expect(feature.longitudeE7 == 133_619_121)
    #expect(feature.latitudeE7 == 525_418_194)
    #expect(feature.altitudeMetres == 39)
    #expect(feature.speedMetresPerSecond == 13.47)
    #expect(feature.courseDegrees == 87)
    #expect(feature.horizontalAccuracyMetres == 4)
    #expect(feature.verticalAccuracyMetres == 7)
    #expect(feature.motion == "driving,stationary")
    #expect(feature.batteryState == "full")
    #expect(feature.batteryLevel == 0.8)
    #expect(feature.deviceID == "van-7")
  }

  /// The worked example of the protocol, with `current` and `trip`.
  @Test func theGoldenRequestIsReadCompletely() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appendingPathComponent("FormatsTests/Golden/overland-request.json")
    let body = Array(try Data(contentsOf: file))
    let features = try BodyScanner.features(in: body).map { FeatureReader().feature(body[$0]) }
    #expect(features.count == 1)
    let feature = try #require(features.first)
    #expect(feature.kind == .location && feature.deviceID == "van-7")
    #expect(feature.time == Timestamp(iso8601: "2026-03-01T10:15:02Z"))
    #expect(feature.longitudeE7 == 133_619_121 && feature.latitudeE7 == 525_418_194)
    #expect(feature.speedMetresPerSecond == 13.47 && feature.motion == "driving")
    #expect(feature.text.contains(#""trip_id": "2026-03-01T10:02:11Z""#))
  }

  @Test func theHashIsXXH3OverTheExactBytes() {
    // The published value of XXH3-128 for empty input; white space changes the hash.
    #expect(
      Feature(bytes: []).hash == [
        0x99, 0xAA, 0x06, 0xD3, 0x01, 0x47, 0x98, 0xD8, 0x60, 0x01, 0xC3, 0x24, 0x46, 0x8D, 0x49, 0x7F,
      ])
    #expect(read("{}").hash != read("{ }").hash)
  }

  struct UnusualFeature: Sendable, CustomTestStringConvertible {
    let text: String, kind: String, hasTime: Bool, position: [Int64]?
    var testDescription: String { text }
  }

  static let unusual = [
    UnusualFeature(text: #"{}"#, kind: "location", hasTime: false, position: nil),
    UnusualFeature(
      text: #"{"geometry":null,"properties":null}"#, kind: "location", hasTime: false, position: nil),
    UnusualFeature(
      text: #"{"geometry":{"type":"Point","coordinates":[1,2,3]},"properties":{"timestamp":1772360102}}"#,
      kind: "location", hasTime: false, position: [20_000_000, 10_000_000]),
    UnusualFeature(
      text: #"{"geometry":{"type":"Point","coordinates":[0,0]},"properties":{"timestamp":"yesterday"}}"#,
      kind: "location", hasTime: false, position: [0, 0]),
    UnusualFeature(
      text:
        #"{"geometry":{"type":"Point","coordinates":[200,-91]},"properties":{"speed":"fast","motion":7}}"#,
      kind: "location", hasTime: false, position: [-910_000_000, 2_000_000_000]),
    UnusualFeature(
      text: #"{"geometry":{"type":"Point","coordinates":["1","2"]},"properties":[]}"#, kind: "location",
      hasTime: false, position: nil),
    UnusualFeature(
      text: #"{"geometry":{"type":"Point","coordinates":[1]}}"#, kind: "location", hasTime: false,
      position: nil),
    UnusualFeature(
      text: #"{"geometry":{"type":"Point","coordinates":[1e300,1]}}"#, kind: "location", hasTime: false,
      position: nil),
    UnusualFeature(
      text: #"{"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#, kind: "location",
      hasTime: false, position: nil),
    UnusualFeature(
      text: #"{"properties":{"type":"trip","timestamp":"2026-03-01T10:15:02.5Z"}}"#, kind: "trip",
      hasTime: true, position: nil),
    UnusualFeature(
      text: #"{"properties":{"action":"visit","timestamp":"2026-03-01T10:15:02+01:00"}}"#, kind: "visit",
      hasTime: true, position: nil),
    UnusualFeature(
      text: #"{"properties":{"action":"will_terminate"}}"#, kind: "action", hasTime: false, position: nil),
  ]

  @Test(arguments: unusual)
  func invalidValuesAreOmittedAndDoNotAffectOthers(_ unusual: UnusualFeature) {
    let feature = read(unusual.text)
    #expect(feature.text == unusual.text)
    #expect(feature.kind.rawValue == unusual.kind)
    #expect((feature.time != nil) == unusual.hasTime)
    #expect(feature.latitudeE7 == unusual.position?[0])
    #expect(feature.longitudeE7 == unusual.position?[1])
  }
}
