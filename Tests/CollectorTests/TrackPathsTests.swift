import Quantities
import Testing

@testable import Collector

@Suite struct TrackPathsTests {
  private static let noon = Timestamp(milliseconds: 1_772_360_102_000)

  /// One point per second, with `east` and `north` in units of 1e-7 degrees.
  private func track(_ positions: [(east: Int64, north: Int64)]) -> [TrackPoint] {
    positions.enumerated().map { second, position in
      TrackPoint(
        time: Self.noon + .seconds(second), latitudeE7: 525_000_000 + position.north,
        longitudeE7: 133_000_000 + position.east)
    }
  }

  /// A track to the north, 10 m per second.
  private func line(_ steps: Range<Int64>, from north: Int64 = 0) -> [(east: Int64, north: Int64)] {
    steps.map { (east: 0, north: north + $0 * 900) }
  }

  @Test func aStraightLineKeepsItsEnds() {
    let points = track(line(0..<30))
    #expect(TrackPaths.paths(points) == [[points[0], points[29]]])
  }

  @Test func aCornerIsKept() {
    let east = (1..<10 as Range<Int64>).map { (east: $0 * 1000, north: Int64(8100)) }
    let points = track(line(0..<10) + east)
    #expect(TrackPaths.paths(points) == [[points[0], points[9], points[18]]])
  }

  @Test func gapsInTimeOrDistanceSplitPaths() {
    let first = track(line(0..<10))
    var late = track(line(10..<20))
    for index in late.indices { late[index].time = first[9].time + .seconds(60 + index) }
    #expect(TrackPaths.paths(first + late).count == 1)
    for index in late.indices { late[index].time = first[9].time + .milliseconds(60_001 + 1000 * index) }
    #expect(TrackPaths.paths(first + late).count == 2)
    let leap = track(line(0..<10) + line(0..<10, from: 8100 + 9100))
    #expect(TrackPaths.paths(leap).count == 2)
  }

  @Test func shortPathsAndInvalidCoordinatesAreOmitted() {
    #expect(TrackPaths.paths(track(line(0..<9))) == [])
    #expect(TrackPaths.paths([]) == [])
    var points = track(line(0..<11))
    points[5].latitudeE7 = 2_000_000_000_000
    #expect(TrackPaths.paths(points) == [[points[0], points[10]]])
  }

  @Test func aPathOverTheDateLineIsOnePath() {
    let points = (0..<20).map { second in
      let east = 1_799_990_000 + Int64(second) * 1000
      return TrackPoint(
        time: Self.noon + .seconds(second), latitudeE7: 0,
        longitudeE7: east > 1_800_000_000 ? east - 3_600_000_000 : east)
    }
    #expect(TrackPaths.paths(points) == [[points[0], points[19]]])
  }

  /// For any track, ends and order are kept, and no point is further from the path than the tolerance.
  @Test(arguments: 0..<16 as Range<UInt64>)
  func noOmittedPointIsFarFromThePath(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var position: (east: Int64, north: Int64) = (0, 0)
    let points = track(
      (0..<2500).map { _ in
        position.east += Int64.random(in: -400...600, using: &random)
        position.north += Int64.random(in: -400...500, using: &random)
        return position
      })
    let paths = TrackPaths.paths(points)
    let path = try #require(paths.first)
    #expect(paths.count == 1)
    #expect(path.first == points.first && path.last == points.last)
    #expect(path.count < points.count)
    var furthest = 0.0
    for (start, end) in zip(path, path.dropFirst()) {
      #expect(start.time < end.time)
      for point in points where point.time > start.time && point.time < end.time {
        furthest = max(furthest, try flatDistance(point, start, end))
      }
    }
    #expect(furthest < 5.05)
  }

  private func flatDistance(_ point: TrackPoint, _ start: TrackPoint, _ end: TrackPoint) throws -> Double {
    // The law of cosines on three great-circle distances: another method than the code under test.
    let (a, b, c) = try (
      #require(point.coordinate).distance(to: #require(start.coordinate)),
      #require(point.coordinate).distance(to: #require(end.coordinate)),
      #require(start.coordinate).distance(to: #require(end.coordinate))
    )
    guard c > 0.001, a * a + c * c > b * b, b * b + c * c > a * a else { return min(a, b) }
    let half = (a + b + c) / 2
    return 2 * max(half * (half - a) * (half - b) * (half - c), 0).squareRoot() / c
  }
}
