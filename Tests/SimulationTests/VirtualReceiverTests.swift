import Quantities
import Testing
import GNSSProtocol
@testable import Simulation

@Suite struct VirtualReceiverTests {
  static let start = Timestamp(milliseconds: 1_774_087_200_000)  // 2026-03-21T10:00:00Z
  static let seeds: [UInt64] = [1, 2, 3, 4, 5]

  /// The fixes decoded from `seconds` at `hertz`, one epoch per reading.
  private func drive(
    seed: UInt64, seconds: Int, hertz: Int = 1
  ) -> (fixes: [Fix], statistics: DecodeStatistics) {
    var receiver = VirtualReceiver(route: .berlin, seed: seed)
    var decoder = ReceiverDecoder()
    var fixes: [Fix] = []
    for index in 0..<seconds * hertz {
      let elapsed = Duration.milliseconds(index * 1000 / hertz)
      let bytes = receiver.epoch(at: Self.start + elapsed)
      bytes.withUnsafeBytes {
        decoder.decode($0, at: .zero + elapsed) { if let fix = $0.fix { fixes.append(fix) } }
      }
    }
    decoder.finish { if let fix = $0.fix { fixes.append(fix) } }
    return (fixes, decoder.statistics)
  }

  private func distance(_ a: Fix, _ b: Fix) -> Double {
    guard let first = a.coordinate, let second = b.coordinate else { return .infinity }
    return first.distance(to: second)
  }

  @Test(arguments: seeds, [1, 5, 10])
  func eachEpochIsOneThreeDimensionalFixWithItsOwnTime(seed: UInt64, hertz: Int) {
    let (fixes, statistics) = drive(seed: seed, seconds: 200, hertz: hertz)
    #expect(fixes.count == 200 * hertz)
    #expect(fixes.allSatisfy { $0.kind == .threeDimensional && $0.satellitesUsed == 11 })
    let times = (0..<200 * hertz).map { Self.start + .milliseconds($0 * 1000 / hertz) }
    #expect(fixes.map(\.timestamp) == times)
    #expect(statistics.checksumErrors == 0)
    #expect(statistics.uncheckedSentences == 0)
    #expect(statistics.discardedBytes == 0)
    #expect(statistics.nmea == UInt64(5 * 200 * hertz))
  }

  @Test func aVehicleStandsInItsHaltsAndNowhereElse() {
    let halts = CityRoute.Halts([20..<40, 70..<80], period: 100)
    var drive = Drive(route: CityRoute.berlin.halting(halts))
    for second in 1...400 {
      drive.advance(seconds: 1)
      let phase = Double(second % 100)
      // Braking and starting take some seconds.
      if halts.spans.contains(where: { ($0.lowerBound + 8..<$0.upperBound - 1).contains(phase) }) {
        #expect(drive.state.speed == 0, "second \(second)")
      } else if !halts.spans.contains(where: { ($0.lowerBound - 1..<$0.upperBound + 3).contains(phase) }) {
        #expect(drive.state.speed > 0 || second < 3, "second \(second)")
      }
    }
    #expect(!CityRoute.Halts([0..<10]).contain(10) && CityRoute.Halts([0..<10], period: 0).contain(9))
  }

  @Test(arguments: seeds)
  func aLapHasStopsAndTurnsAtCitySpeeds(seed: UInt64) {
    let fixes = drive(seed: seed, seconds: 900).fixes
    let speeds = fixes.compactMap(\.speed)
    #expect(speeds.count == fixes.count)
    #expect(speeds.allSatisfy { (0...15).contains($0) })
    #expect(speeds.contains { $0 > 11 })
    // Number of stops; a lap of 3.6 km takes less than ten minutes and has three.
    let stops = zip(speeds, speeds.dropFirst()).filter { $0 >= 0.5 && $1 < 0.5 }.count
    #expect(stops >= 3)
    let courses = fixes.compactMap(\.course)
    for quadrant in [0.0, 90, 180, 270] {
      #expect(courses.contains { (quadrant..<quadrant + 90).contains($0) }, "quadrant \(quadrant)")
    }
    #expect(zip(speeds, speeds.dropFirst()).allSatisfy { abs($1 - $0) < 4.5 })
  }

  /// The slow variation of the error adds decimetres to the distance by speed.
  @Test(arguments: seeds)
  func theDistanceBetweenTwoFixesAgreesWithTheSpeed(seed: UInt64) {
    let fixes = drive(seed: seed, seconds: 1800).fixes
    var driven = 0.0
    var reported = 0.0
    for (earlier, later) in zip(fixes, fixes.dropFirst()) {
      let distanceDriven = distance(earlier, later)
      let speeds = [earlier.speed ?? 0, later.speed ?? 0]
      #expect(distanceDriven <= (speeds.max() ?? 0) + 5)
      // Around a corner the distance is shorter than the driven path.
      if let first = earlier.course, let second = later.course, abs(first - second) < 1 {
        #expect(distanceDriven >= (speeds.min() ?? 0) - 5)
        driven += distanceDriven
        reported += (speeds[0] + speeds[1]) / 2
      }
    }
    #expect(abs(driven / reported - 1) < 0.03)
  }

  @Test func theVehicleRepeatsTheRoute() {
    let fixes = drive(seed: 1, seconds: 3600).fixes
    let away = fixes.map { distance(fixes[0], $0) }
    #expect(away.allSatisfy { $0 < 2000 })
    let returns = zip(away, away.dropFirst()).filter { $0 >= 20 && $1 < 20 }.count
    #expect(returns >= 5)
  }

  @Test func theSameSeedGivesTheSameBytesAndAnotherDifferentOnes() {
    var receivers = [7, 7, 8].map { VirtualReceiver(route: .berlin, seed: $0) }
    var differences = 0
    for second in 0..<300 {
      let bytes = receivers.indices.map { receivers[$0].epoch(at: Self.start + .seconds(second)) }
      #expect(bytes[0] == bytes[1])
      if bytes[0] != bytes[2] { differences += 1 }
    }
    #expect(differences > 290)
  }

  @Test func anEpochFitsIntoASecondAt9600Baud() {
    var receiver = VirtualReceiver(route: .berlin, seed: 1)
    for second in 0..<600 {
      let bytes = receiver.epoch(at: Self.start + .seconds(second))
      #expect((250...900).contains(bytes.count))
      #expect(bytes.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.count + 1 <= 82 })
    }
  }

  /// Times that stand still, run backwards or jump neither stop the vehicle nor move it far away.
  @Test(arguments: 0..<16 as Range<UInt64>)
  func anyTimesAreAccepted(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var receiver = VirtualReceiver(route: .berlin, seed: seed)
    var decoder = ReceiverDecoder()
    for _ in 0..<200 {
      let milliseconds = Int64.random(in: -60_000_000_000_000...250_000_000_000_000, using: &random)
      let bytes = receiver.epoch(at: Timestamp(milliseconds: milliseconds))
      bytes.withUnsafeBytes { decoder.decode($0, at: .zero) { _ in } }
    }
    #expect(decoder.statistics.checksumErrors == 0)
    #expect(decoder.statistics.nmea == 1000)
  }

  @Test func midnightAndTheEndOfTheYearAreWrittenCorrectly() {
    var receiver = VirtualReceiver(route: .berlin, seed: 1)
    var decoder = ReceiverDecoder()
    var times: [String] = []
    let before = Timestamp(iso8601: "2027-12-31T23:59:57Z") ?? Self.start
    for second in 0..<6 {
      let bytes = receiver.epoch(at: before + .seconds(second))
      bytes.withUnsafeBytes {
        decoder.decode($0, at: .zero + .seconds(second)) { times.append($0.fix?.timestamp?.iso8601() ?? "") }
      }
    }
    #expect(times.prefix(5).last == "2028-01-01T00:00:01Z")
    #expect(times == times.sorted())
  }
}

@Suite struct DriveTests {
  @Test func stepsOfAnyLengthGiveTheSameDrive() {
    var fine = Drive(route: .berlin)
    var coarse = Drive(route: .berlin)
    for _ in 0..<60 {
      for _ in 0..<100 { fine.advance(seconds: 0.1) }
      coarse.advance(seconds: 10)
      #expect(abs(fine.state.latitude - coarse.state.latitude) < 0.0002)
      #expect(abs(fine.state.longitude - coarse.state.longitude) < 0.0003)
    }
  }

  @Test func theVehicleWaitsAtAStop() {
    var drive = Drive(route: .berlin)
    let start = drive.state
    drive.advance(seconds: 5.9)
    #expect(drive.state == start)
    drive.advance(seconds: 3)
    #expect(drive.state.speed > 2)
  }

  @Test func aRouteWithoutStreetsIsStationary() {
    var nowhere = Drive(route: CityRoute(legs: []))
    nowhere.advance(seconds: 60)
    #expect(nowhere.state.speed == 0)
    var point = Drive(route: CityRoute(legs: Array(CityRoute.berlin.legs.prefix(1))))
    point.advance(seconds: 60)
    #expect(point.state.latitude == CityRoute.berlin.legs.first?.corner.latitude)
  }
}

extension Fix {
  fileprivate var coordinate: Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}
