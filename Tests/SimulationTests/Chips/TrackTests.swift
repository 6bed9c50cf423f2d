import Quantities
import Testing
import Simulation

@Suite struct TrackTests {
  @Test func valuesAreInterpolatedAndConstantBeyondTheEnds() throws {
    let track = try AccelerationTrack(csv: "t_s,ax_g,ay_g,az_g\r\n10, 0,0,1\r\n\r\n20,1,-1,1,note\r\n".utf8)
    #expect(track.acceleration(at: second(0)) == SIMD3(0, 0, 1))
    #expect(track.acceleration(at: second(12.5)) == SIMD3(0.25, -0.25, 1))
    #expect(track.acceleration(at: second(99)) == SIMD3(1, -1, 1))
  }

  @Test func theStartMovesTheTrack() throws {
    var track = try AccelerationTrack(csv: "0,0,0,1\n10,1,0,1".utf8)
    track.start = second(100)
    #expect(track.acceleration(at: second(105)).x == 0.5)
  }

  @Test(
    arguments: [
      ("", .empty), ("t_s,ax_g,ay_g,az_g\n", .empty), ("0,1,2", .missingColumn(line: 1, column: "az_g")),
      ("0,1,,2", .missingColumn(line: 1, column: "ay_g")),
      ("t\n0,1,x,2", .notANumber(line: 2, column: "ay_g", got: "x")),
      ("0,1,nan,2", .notANumber(line: 1, column: "ay_g", got: "nan")),
      ("0,1,1e99,2", .notANumber(line: 1, column: "ay_g", got: "1e99")),
      ("5,0,0,1\n4,0,0,1", .timeRunsBack(line: 2)),
    ] as [(String, TrackError)])
  func anInvalidTrackIsRejectedWithItsLine(_ text: String, _ error: TrackError) {
    #expect(throws: error) { try AccelerationTrack(csv: text.utf8) }
  }

  @Test(arguments: [UInt64(41), 42, 43, 44])
  func noBytesTrapIt(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let usual = Array("0123456789.,,,-e\n\n".utf8)
    let valid = Array("0,4.0,80\n1800,3.9,70\n3600,3.9,70".utf8)
    var tracks = 0
    for number in 0..<600 {
      var text = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        Int.random(in: 0..<20, using: &random) == 0
          ? UInt8.random(in: 0...255, using: &random) : usual[Int.random(in: 0..<usual.count, using: &random)]
      }
      if number % 2 == 1 {
        text = valid
        text[Int.random(in: text.indices, using: &random)] = usual.randomElement(using: &random) ?? 0
      }
      guard let track = try? CellTrack(csv: text) else { continue }
      tracks += 1
      for nanoseconds in [Int64.min, 0, 1_500_000_000, .max] {
        #expect(!track.state(at: Moment(nanoseconds: nanoseconds)).voltage.isNaN)
      }
    }
    #expect(tracks > 0)
  }

  @Test(arguments: [
    (AccelerationTrack.Activity.stationary, 0.0...0.01), (.walking, 0.1...0.4), (.driving, 0.08...0.3),
  ])
  func eachActivityHasItsStandardDeviation(
    _ activity: AccelerationTrack.Activity, _ spread: ClosedRange<Double>
  ) {
    let track = AccelerationTrack(activity, seed: 9)
    var (sum, squares) = (SIMD3<Double>.zero, 0.0)
    for index in 0..<5000 {
      let g = track.acceleration(at: second(Double(index) * 0.04))
      sum += g
      squares += ((g - SIMD3(0, 0, 1)) * (g - SIMD3(0, 0, 1))).sum()
    }
    #expect(spread.contains((squares / 5000).squareRoot()))
    #expect(abs(sum.z / 5000 - 1) < 0.01)
  }

  @Test func theSameSeedGivesTheSameNoiseAndAnotherADifferentOne() {
    let values = [1, 1, 2].map { AccelerationTrack(.stationary, seed: $0).acceleration(at: second(3)) }
    #expect(values[0] == values[1] && values[0] != values[2])
  }
}
