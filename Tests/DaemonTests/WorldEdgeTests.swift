import Foundation
import HTTPServer
import Quantities
import Records
import Store
import TestSupport
import Testing
@testable import Daemon

/// The histories of logs with positions at the poles and on both sides of the date line.
@Suite struct WorldEdgeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let place: String
    /// Latitude and longitude in 1e-7 degrees; a gap of five minutes is in the middle.
    let points: [(Int32, Int32)]
    /// The distance in metres over the gap.
    let metres: ClosedRange<Int>
    var testDescription: String { place }
  }

  static let cases = [
    Case(
      place: "the north pole", points: [(899_990_000, 0), (900_000_000, 0), (899_990_000, 1_800_000_000)],
      metres: 111...112),
    Case(
      place: "over the north pole", points: [(899_990_000, 0), (899_990_000, 1_800_000_000)],
      metres: 222...223),
    Case(
      place: "the south pole by any longitude", points: [(-900_000_000, 12), (-900_000_000, -1_700_000_000)],
      metres: 0...0),
    Case(
      place: "over the date line", points: [(0, 1_799_990_000), (0, -1_799_990_000)], metres: 222...223),
    Case(
      place: "both signs of the date line", points: [(0, 1_800_000_000), (0, -1_800_000_000)], metres: 0...0),
    Case(
      place: "from pole to pole", points: [(900_000_000, 0), (-900_000_000, 1_800_000_000)],
      metres: 20_015_000...20_016_000),
  ]

  @Test(arguments: cases) func distancesAndPositionsAreRight(_ test: Case) throws {
    let bench = try HTTPBench()
    let start = Timestamp(milliseconds: 1_772_362_800_000)
    let records = try test.points.enumerated().map { index, point in
      let coordinate = try #require(Coordinate(latitudeE7: point.0, longitudeE7: point.1))
      let second = index < test.points.count / 2 ? index : index + 300
      return LogRecord(
        moment: .zero + .seconds(second), time: start + .seconds(second), timeQuality: .receiver,
        body: .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
    }
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(records, urgent: false))
    _ = writer.handle(.close)
    let running = try LocalAPITests.logger(on: bench)
    defer { running.logger.stop() }
    #expect(try bench.run { running.logger.supervision.isReady })
    func object(_ target: String) throws -> [String: Any] {
      let answer = try LocalAPITests.ask(running, "GET", target)
      #expect(answer.status == 200, "\(target)")
      return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }
    let period = "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"
    for resolution in ["", "&resolution_m=1", "&resolution_m=100000"] {
      let track = try object("/track?\(period)\(resolution)")
      let found = PrivateHistoryTests.columns(["points": track["points"] ?? []])
      let points = test.points.compactMap { Coordinate(latitudeE7: $0.0, longitudeE7: $0.1) }
      #expect(resolution.isEmpty ? found == points : found.first == points.first && found.last == points.last)
      let gap = try #require((track["gaps"] as? [[String: Any]])?.first)
      #expect(test.metres.contains(gap["metres"] as? Int ?? -1), "\(gap)")
      #expect(gap["lat_to"] as? Int64 == Int64(test.points[test.points.count / 2].0))
    }
    let why = try #require((try object("/why?\(period)")["gaps"] as? [[String: Any]])?.first)
    #expect(test.metres.contains(Int((why["metres"] as? Double ?? -1).rounded())), "\(why)")
    let days = try object("/days")["days"] as? [[String: Any]]
    #expect((days?.first?["records"] as? Int ?? 0) >= test.points.count)
    for path in ["/export.gpx", "/export.kml", "/export.geojson", "/export.csv", "/export.nmea"] {
      let text = try LocalAPITests.ask(running, "GET", "\(path)?\(period)").text
      let found = try PrivateHistoryTests.coordinates(text, of: path)
      #expect(found.count >= test.points.count, "\(path): \(text)")
    }
  }
}
