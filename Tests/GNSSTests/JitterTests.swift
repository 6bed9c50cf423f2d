import GNSSProtocol
import Quantities
import Testing

/// A receiver that reads its clock for every message has some milliseconds between the iTOWs of one epoch.
@Suite struct JitterTests {
  private static let start = JoiningTests.Set().iTOW

  private static func set(_ epoch: Int, _ jitter: Int, step: Int = 1000) -> JoiningTests.Set {
    var set = JoiningTests.Set()
    set.iTOW = UInt32(Int(start) + epoch * step + jitter)
    return set
  }

  private static func solution(_ epoch: Int, _ jitter: Int) -> [UInt8] {
    var solution = PVT()
    solution.iTOW = UInt32(Int(start) + epoch * 1000 + jitter)
    solution.second = UInt8(8 + epoch)
    return solution.frame
  }

  /// NAV-SAT with one satellite.
  private static func satellites(_ iTOW: UInt32) -> [UInt8] {
    ubx(
      0x01, 0x35,
      Payload(20).putting(iTOW, at: 0).putting(UInt8(1), at: 4).putting(UInt8(1), at: 5)
        .putting(UInt8(5), at: 9).putting(UInt8(40), at: 10).putting(UInt8(0b1000), at: 16).bytes)
  }

  @Test(arguments: [1000, 100, 40, 25])
  func messagesOfOneEpochAreOneFix(step: Int) throws {
    var bench = Bench()
    for epoch in 0..<40 {
      let piece = { Self.set(epoch, $0, step: step) }
      bench.send(
        piece(0).position + piece(1).status + piece(2).dilutions + piece(1).solution + piece(-1).velocity)
      bench.send(piece(2).end)
      #expect(bench.fixes.count == epoch + 1)
    }
    bench.finish()
    #expect(bench.fixes.count == 40)
    let exact = try #require(decode(JoiningTests.Set().all).first)
    for (epoch, fix) in bench.fixes.enumerated() {
      var expected = exact
      let millisecond = Int32(83_648_000 + epoch * step)
      expected.millisecondOfDay = millisecond
      expected.timestamp = exact.timestamp.map { $0 + .milliseconds(epoch * step) }
      #expect(fix == expected)
    }
  }

  @Test func aSolutionGetsTheDilutionsOfItsEpoch() {
    for isBefore in [true, false] {
      var bench = Bench()
      for epoch in 0..<20 {
        let dilutions = Self.set(epoch, 2).dilutions
        let solution = Self.solution(epoch, 0)
        bench.send(isBefore ? dilutions + solution : solution + dilutions)
        bench.send(Self.set(epoch, 1).end)
        #expect(bench.fixes.count == epoch + 1, "the end of the epoch is its own")
      }
      bench.finish()
      #expect(bench.fixes.count == 20)
      #expect(bench.fixes.allSatisfy { $0.horizontalDilution == 0.82 && $0.latitude == 45.065772 })
      #expect(bench.fixes.map(\.millisecondOfDay) == (0..<20).map { 83_648_000 + Int32($0) * 1000 })
    }
  }

  @Test func messagesWithDifferentTimesGiveOneFixPerEpoch() {
    var bench = Bench()
    for epoch in 0..<20 {
      let piece = { Self.set(epoch, $0) }
      bench.send(
        piece(1).position + piece(2).status + piece(3).dilutions + Self.solution(epoch, 0) + piece(4).solution
          + piece(5).velocity + Self.satellites(piece(6).iTOW) + piece(7).end)
      bench.wait(.seconds(1))
    }
    bench.finish()
    #expect(bench.fixes.count == 20)
    #expect(bench.fixes.allSatisfy { $0.horizontalDilution == 0.82 && $0.speed == 1.234 })
  }

  @Test func theSatellitesHaveTheTimeAndTheDilutionsOfTheirEpoch() throws {
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = true
    var satelliteReports: [SatelliteReport] = []
    let bytes = Self.set(0, 1).dilutions + Self.solution(0, 0) + Self.satellites(Self.start + 2)
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes, at: .zero) {
        if case .satelliteReport(let satelliteReport) = $0 { satelliteReports.append(satelliteReport) }
      }
    }
    let satelliteReport = try #require(satelliteReports.first)
    #expect(satelliteReports.count == 1 && satelliteReport.millisecondOfDay == 83_648_000)
    #expect((satelliteReport.horizontalDilution, satelliteReport.positionDilution) == (0.82, 1.42))
    #expect(satelliteReport.timestamp?.iso8601(fraction: .milliseconds) == "2025-04-11T23:14:08.000Z")
  }

  @Test func theEndOfTheGPSWeekDoesNotSplitAnEpoch() {
    var (last, first) = (JoiningTests.Set(), JoiningTests.Set())
    (last.iTOW, first.iTOW, first.week) = (604_799_999, 1, 2362)
    #expect(decode(last.position + last.velocity + first.status + first.dilutions).count == 1)
  }
}
