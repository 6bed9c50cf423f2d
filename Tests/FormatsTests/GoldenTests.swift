import Formats
import Foundation
import Quantities
import Records
import Testing

/// The protocol's worked examples as files: keys, values and types, and what is written otherwise.
@Suite struct GoldenTests {
  /// A file of `Golden` without the white space that is there for people; none of its strings holds any.
  static func golden(_ name: String) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let text = try String(contentsOf: folder.appendingPathComponent("Golden/\(name).json"), encoding: .utf8)
    return text.filter { !$0.isWhitespace }
  }

  static func parked() throws -> OverlandFeature {
    var parked = LocationRecord(
      coordinate: try #require(Coordinate(latitudeE7: 525_200_066, longitudeE7: 134_010_003)),
      deviceID: "van-7")
    parked.device = OverlandTripTests.device
    parked.altitudeMillimetres = 36_000
    parked.speedMillimetresPerSecond = 0
    parked.horizontalAccuracyMillimetres = 5_000
    parked.verticalAccuracyMillimetres = 9_000
    parked.speedAccuracyMillimetresPerSecond = 200
    parked.motion = .stationary
    parked.trip = .utc(OverlandTripTests.start)
    return OverlandFeature(
      parked, time: try #require(Timestamp(iso8601: "2026-03-01T10:31:40Z")), isWhole: false)
  }

  @Test func aRequestInATripWithABacklogIsTheGoldenOne() throws {
    let stored = StoredRecord(
      id: RecordID(1), boot: 1, record: OverlandTripTests.record(.location(try OverlandTripTests.wholeVan())))
    var trip: [UInt8] = []
    OverlandRunningTrip(
      mode: .car, start: OverlandTripTests.start, distanceMillimetres: 9_321_600, startPlace: nil,
      currentPlace: nil
    ).append(to: &trip)
    let body = OverlandBatch([stored]).body(current: try Self.parked(), trip: trip)
    let golden = try Self.golden("overland-request")
    #expect(String(decoding: body.joined(), as: UTF8.self) == golden)
  }

  @Test func anOwnTracksMessageIsTheGoldenOne() throws {
    let golden = try Self.golden("owntracks-location")
    let text = OwnTracksMessageTests.text(try OwnTracksMessageTests.van())
    #expect(text == golden)
  }

  struct Value: Sendable, CustomTestStringConvertible {
    let key: String, measured: Double, example: String, ours: String
    /// Why ours is another; empty where it is the same.
    var why = ""
    var testDescription: String { "\(key) \(measured)" }
  }

  /// Every value that the examples cut or round, and what becomes of it here.
  static let values = [
    Value(
      key: "latitude", measured: -33.85678899, example: "-33.8567889", ours: "-33.856789",
      why: "a place is stored to 1e-7 degrees, rounded: half the error, and no server can tell"),
    Value(
      key: "latitude", measured: 52.54181949, example: "52.5418194", ours: "52.5418195",
      why: "as above: 11 mm apart at most"),
    Value(key: "speed", measured: 1.999, example: "1.99", ours: "1.99"),
    Value(
      key: "battery_level", measured: 0.299, example: "0.29", ours: "0.3",
      why: "a charge is stored in whole percent, rounded: no gauge knows tenths of one"),
    Value(key: "altitude", measured: 34.5, example: "35", ours: "35"),
    Value(key: "altitude", measured: -0.5, example: "-1", ours: "-1"),
  ]

  /// Stores a measured value as the logger does, and writes it.
  static func written(_ value: Value) throws -> String {
    var van = try OverlandTripTests.van()
    switch value.key {
    case "latitude": van.coordinate = try #require(Coordinate(latitude: value.measured, longitude: 1))
    case "speed": van.speedMillimetresPerSecond = Int32((value.measured * 1000).rounded())
    case "altitude": van.altitudeMillimetres = Int32((value.measured * 1000).rounded())
    default: van.batteryPercent = UInt8((value.measured * 100).rounded())
    }
    let text = try #require(OverlandTripTests.text(OverlandTripTests.record(.location(van))))
    let start = value.key == "latitude" ? "\"coordinates\":[1," : "\"\(value.key)\":"
    let rest = try #require(text.range(of: start)).upperBound
    return String(text[rest...].prefix { $0 != "," && $0 != "]" && $0 != "}" })
  }

  @Test(arguments: values)
  func eachValueIsWrittenAsTheTableSays(_ value: Value) throws {
    #expect(try Self.written(value) == value.ours)
    #expect((value.ours != value.example) == !value.why.isEmpty)
    let (example, ours) = (try #require(Double(value.example)), try #require(Double(value.ours)))
    #expect(abs(example - ours) < (value.key == "latitude" ? 1.01e-7 : 0.0101))
  }
}
