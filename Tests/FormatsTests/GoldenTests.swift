import Foundation
import Quantities
import Records
import Testing

import Formats

/// The protocol's examples as files: keys, values and types, and the deviations from them.
@Suite struct GoldenTests {
  static func file(_ name: String) throws -> Data {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try Data(contentsOf: folder.appendingPathComponent("Golden/\(name).json"))
  }

  /// A request of `Golden` without the white space for readability; none of its strings contains any.
  static func golden(_ name: String) throws -> String {
    String(decoding: try file(name), as: UTF8.self).filter { !$0.isWhitespace }
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

  @Test func aRequestInATripWithABacklogMatchesTheGoldenFile() throws {
    let stored = StoredRecord(
      id: RecordID(1), boot: 1, record: OverlandTripTests.record(.location(try OverlandTripTests.wholeVan())))
    var trip: [UInt8] = []
    OverlandRunningTrip(
      mode: .car, start: OverlandTripTests.start, distanceMillimetres: 9_321_600, startLocation: nil,
      currentLocation: nil
    ).append(to: &trip)
    let body = OverlandBatch([stored]).body(current: try Self.parked(), trip: trip)
    let golden = try Self.golden("overland-request")
    #expect(String(decoding: body.joined(), as: UTF8.self) == golden)
  }

  /// The same records, without and with `historic_stats`.
  @Test(arguments: [false, true])
  func aRequestWithHistoricStatsMatchesTheGoldenFile(isHistoric: Bool) throws {
    var records = try (0..<3).map { index in
      var van = try OverlandTripTests.wholeVan()
      if index == 2 { van.statistics = nil }
      let time = OverlandTripTests.end + .seconds(Int64(index))
      return StoredRecord(
        id: RecordID(Int64(index + 1)), boot: 1, record: OverlandTripTests.record(.location(van), time: time))
    }
    let coordinate = try OverlandTripTests.van().coordinate
    let action = ActionRecord(
      .applicationLaunchedWithLocation, at: coordinate, device: OverlandTripTests.device)
    records.append(StoredRecord(id: RecordID(4), boot: 1, record: OverlandTripTests.record(.action(action))))
    var profile = OverlandProfile.overland
    if isHistoric {
      profile.countsPayload = true
      profile.historic = OverlandProfile.Historic()
      profile.historic?.deferredMetres = 100
    }
    let body = OverlandBatch(records, for: profile).body()
    let golden = try Self.golden(isHistoric ? "overland-historic-stats" : "overland-stats")
    #expect(String(decoding: body.joined(), as: UTF8.self) == golden)
  }

  @Test func anOwnTracksMessageMatchesTheGoldenFile() throws {
    let golden = try Self.golden("owntracks-location")
    let text = OwnTracksMessageTests.text(try OwnTracksMessageTests.van())
    #expect(text == golden)
  }

  /// A value that the examples truncate or round: their text and the program's text.
  struct Value: Decodable {
    var key: String
    var measured: Double
    var example: String
    var written: String
    /// The reason for a deviation from the example; absent if there is none.
    var why: String?
  }

  /// Stores a measured value like the logger, and writes it.
  static func written(_ value: Value) throws -> String {
    var van = try OverlandTripTests.van()
    switch value.key {
    case "latitude": van.coordinate = try #require(Coordinate(latitude: value.measured, longitude: 1))
    case "speed": van.speedMillimetresPerSecond = Int32((value.measured * 1000).rounded())
    case "altitude": van.altitudeMillimetres = Int32((value.measured * 1000).rounded())
    case "battery_level": van.batteryPercent = UInt8(value.measured * 100)
    default: Issue.record("no value of a location: \(value.key)")
    }
    let text = try #require(OverlandTripTests.text(OverlandTripTests.record(.location(van))))
    let start = value.key == "latitude" ? "\"coordinates\":[1," : "\"\(value.key)\":"
    let rest = try #require(text.range(of: start)).upperBound
    return String(text[rest...].prefix { $0 != "," && $0 != "]" && $0 != "}" })
  }

  @Test func truncationAndRoundingMatchTheGoldenTable() throws {
    let values = try JSONDecoder().decode([Value].self, from: Self.file("cut-and-rounded"))
    #expect(Set(values.map(\.key)) == ["latitude", "speed", "battery_level", "altitude"])
    for value in values {
      #expect(try Self.written(value) == value.written, "\(value.key) \(value.measured)")
      #expect((value.written != value.example) == (value.why != nil), "\(value.key) \(value.measured)")
      let (example, written) = (try #require(Double(value.example)), try #require(Double(value.written)))
      // Only coordinates may deviate, and only in their last digit.
      #expect(abs(example - written) < (value.key == "latitude" ? 1.01e-7 : 1e-12))
    }
  }
}
