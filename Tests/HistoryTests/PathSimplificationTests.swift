import Foundation
import History
import Quantities
import Testing

/// Paths at places where degrees are no plane: the poles and the date line.
@Suite struct PathSimplificationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let promise: String
    /// Latitude and longitude in degrees.
    let path: [(Double, Double)]
    /// The points that are kept, by their number.
    let kept: [Int]
    var testDescription: String { promise }
  }

  /// Every 0.001 degrees from 179.99 east to 179.99 west on the equator.
  private static let overTheDateLine: [(Double, Double)] = (-10...10).map { (step: Int) -> (Double, Double) in
    let border: Double = step < 0 ? 180 : -180
    return (0, border + Double(step) / 1000)
  }

  static let cases: [Case] = [
    Case(
      promise: "a straight line over the date line has two ends",
      path: overTheDateLine,
      kept: [0, 20]),
    Case(
      promise: "a detour at the date line is kept",
      path: [(0, 179.99), (0, 179.995), (0.001, -180), (0, -179.995), (0, -179.99)], kept: [0, 1, 2, 3, 4]),
    Case(
      promise: "both signs of the date line are one place",
      path: [(0, 180), (0.0001, -180), (0.0002, 180), (0.0003, -180)], kept: [0, 3]),
    Case(
      promise: "a meridian over the north pole is straight",
      path: [(89.99, 30), (89.995, 30), (90, 30), (89.995, -150), (89.99, -150)], kept: [0, 4]),
    Case(
      promise: "a turn at the south pole is kept",
      path: [(-89.99, 0), (-90, 0), (-89.99, 90)], kept: [0, 1, 2]),
    Case(
      promise: "the way there and on from a pole is no straight line",
      path: [(90, 0), (89.99, 0), (90, 0), (89.98, 180)], kept: [0, 1, 3]),
    Case(
      promise: "the longitude of a pole does not matter", path: [(90, 0), (90, 120), (90, -120), (90, 180)],
      kept: [0, 3]),
  ]

  @Test(arguments: cases) func aPathKeepsWhatIsNotStraight(_ test: Case) throws {
    let path = test.path.compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
    try #require(path.count == test.path.count)
    let kept = PathSimplification(tolerance: 5).kept(path)
    #expect(kept.indices.filter { kept[$0] } == test.kept)
  }

  /// No point that is left out is farther from the line between its neighbours than the tolerance.
  @Test(arguments: 0..<30 as Range<UInt64>) func theToleranceHoldsEverywhere(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let latitudes: [Double] = [0, 60, 79.99, 80.01, 89.9999, 90, -90, -89.999]
    let latitude: Double = latitudes.randomElement(using: &random) ?? 0
    let longitude: Double = Bool.random(using: &random) ? 179.9999 : 0
    var place = try #require(Coordinate(latitude: latitude, longitude: longitude))
    var course = 0.0
    let path = (0..<300).map { _ in
      course += Double.random(in: -0.4...0.4, using: &random)
      place = place.moved(east: 15 * sin(course), north: 15 * cos(course))
      return place
    }
    let kept = PathSimplification(tolerance: 10).kept(path)
    let ends = path.indices.filter { kept[$0] }
    #expect(ends.count < 250, "seed \(seed)")
    for (start, end) in zip(ends, ends.dropFirst()) {
      for index in start..<end {
        let line = path[start].offset(to: path[end])
        let point = path[start].offset(to: path[index])
        let square: Double = line.east * line.east + line.north * line.north
        let product: Double = point.east * line.east + point.north * line.north
        let along: Double = square > 0 ? min(max(product / square, 0), 1) : 0
        let east: Double = point.east - along * line.east
        let north: Double = point.north - along * line.north
        let distance = (east * east + north * north).squareRoot()
        #expect(distance < 10.5, "seed \(seed): point \(index) at \(path[index])")
      }
    }
  }
}
