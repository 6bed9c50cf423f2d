import Quantities
import Testing
@testable import GNSSProtocol

/// Talkers that the standard does not list for receivers, alone and beside another source.
@Suite struct TalkerTests {
  /// A position of a talker at a second after 10:20:30, at a latitude.
  static func rmc(_ talker: String, _ second: Int, _ latitude: Int) -> [UInt8] {
    sentence("\(talker)RMC,1020\(30 + second).00,A,\(latitude)00.0000,N,00815.0000,E,5.20,181.3,030526,,,A")
  }

  static func gga(_ talker: String, _ second: Int, _ latitude: Int) -> [UInt8] {
    sentence("\(talker)GGA,1020\(30 + second).00,\(latitude)00.0000,N,00815.0000,E,1,09,0.9,412.0,M,48.0,M,,")
  }

  static func gll(_ talker: String, _ second: Int, _ latitude: Int) -> [UInt8] {
    sentence("\(talker)GLL,\(latitude)00.0000,N,00815.0000,E,1020\(30 + second).00,A,A")
  }

  static let talkers: [(talker: String, counts: Bool)] = [
    ("YD", true), ("II", true), ("ZZ", true), ("AP", true), ("VR", true), ("EC", true), ("UP", true),
    ("CV", true),
    ("AI", false), ("AB", false), ("BS", false), ("SD", false), ("WI", false), ("VW", false), ("HC", false),
    ("HE", false), ("TI", false), ("RA", false), ("U1", false), ("ii", false), ("A?", false),
  ]

  @Test(arguments: talkers) func positionsCountFromAnyTalkerButOtherEquipment(talker: String, counts: Bool) {
    for kind in [rmc, gga, gll] {
      var bench = Bench()
      for second in 0..<8 { bench.send(kind(talker, second, 46)) }
      bench.finish()
      #expect(bench.fixes.count == (counts ? 8 : 0), "\(talker)")
      #expect(bench.fixes.allSatisfy { $0.latitude == 46 && $0.kind != .none })
    }
  }

  private let rmc = TalkerTests.rmc
  private let gga = TalkerTests.gga
  private let gll = TalkerTests.gll

  @Test func everyKindOfSentenceCounts() throws {
    let bytes = (0..<4).flatMap { second in
      Self.rmc("YD", second, 46) + Self.gga("YD", second, 46)
        + sentences(
          "YDVTG,90.0,T,,M,10.0,N,18.5,K,A YDGSA,A,3,02,08,,,,,,,,,,,1.8,0.9,1.5 YDGSV,1,1,02,02,60,274,41,08,67,213,28"
        )
    }
    let fix = try #require(decode(bytes).dropFirst().last)
    #expect(fix.time == "2026-05-03T10:20:33.000Z" && fix.altitude == 412 && fix.satellitesUsed == 9)
    #expect(fix.satellitesSeen == 2 && fix.positionDilution == 1.8)
    let clock = (0..<4).flatMap { second in
      sentence("YDGNS,1020\(30 + second).00,4600.0000,N,00815.0000,E,AN,09,0.9,412.0,48.0,,")
        + sentence("YDZDA,1020\(30 + second).00,03,05,2026,00,00")
    }
    #expect(decode(clock).allSatisfy { $0.altitude == 412 })
    #expect(decode(clock).last?.time == "2026-05-03T10:20:33.000Z")
  }

  static let pairs: [(first: String, second: String)] = [
    ("GP", "II"), ("II", "GP"), ("YD", "II"), ("GN", "YD"), ("II", "GL"),
  ]

  @Test(arguments: pairs) func ofTwoSourcesTheOneSeenFirstIsUsed(first: String, second: String) {
    for kind in [rmc, gga] {
      var bench = Bench()
      for time in 0..<20 {
        bench.send(kind(first, time, 46) + kind(second, time, 47) + gll(second, time, 47))
      }
      bench.finish()
      #expect(bench.fixes.count == 20 && bench.fixes.allSatisfy { $0.latitude == 46 }, "\(first) \(second)")
      #expect(bench.decoder.rivalTalkers?.used == first && bench.decoder.rivalTalkers?.ignored == second)
    }
  }

  /// The second source repeats what it heard, with a time of its own.
  @Test(arguments: pairs) func aRepeaterWithAnotherTimeAddsNoEpoch(first: String, second: String) {
    var bench = Bench()
    for time in 0..<20 {
      bench.send(rmc(first, time, 46) + gga(first, time, 46) + rmc(second, max(time - 2, 0), 46))
    }
    bench.finish()
    #expect(bench.fixes.count == 20)
  }

  /// A recording has no times of arrival: the times in the sentences show the silence.
  @Test(arguments: pairs, [false, true])
  func theOtherIsUsedAfterFiveSecondsOfSilence(pair: (first: String, second: String), isLive: Bool) {
    var bench = Bench()
    func isSent(_ time: Int) -> Bool { time < 8 || time > 20 }
    for time in 0..<28 {
      bench.send((isSent(time) ? rmc(pair.first, time, 46) : []) + rmc(pair.second, time, 47))
      if isLive { bench.wait(.seconds(1)) }
    }
    bench.finish()
    let latitudes = bench.fixes.map { $0.latitude ?? 0 }
    let own = latitudes.prefix { $0 == 46 }.count
    #expect(own == 8 && latitudes.dropFirst(own).allSatisfy { $0 == 47 }, "\(latitudes)")
    // From 10:20:42 or :43 on, to the end: the first source is ignored when it returns.
    #expect((15...16).contains(latitudes.count - own), "\(latitudes.count)")
    #expect(
      bench.decoder.rivalTalkers?.used == pair.second && bench.decoder.rivalTalkers?.ignored == pair.first)
  }

  static func gns(_ talker: String, _ second: Int, _ latitude: Int) -> [UInt8] {
    sentence("\(talker)GNS,1020\(30 + second).00,\(latitude)00.0000,N,00815.0000,E,AN,09,0.9,412.0,48.0,,")
  }

  /// A kind of sentence without a valid position: the text after the talker, with T for the seconds, and its valid form.
  struct Form: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var valid: @Sendable (String, Int, Int) -> [UInt8]

    func sent(_ talker: String, _ second: Int) -> [UInt8] {
      sentence(talker + text.replacing("T", with: "1020\(30 + second).00"))
    }
  }

  static let voids = [
    Form(testDescription: "RMC, status V", text: "RMC,T,V,,,,,,,030526,,,N", valid: rmc),
    Form(
      testDescription: "RMC, mode N", text: "RMC,T,A,4600.0000,N,00815.0000,E,5.20,181.3,030526,,,N",
      valid: rmc),
    Form(testDescription: "GGA, quality 0", text: "GGA,T,,,,,0,00,99.9,,M,,M,,", valid: gga),
    Form(
      testDescription: "GGA, the last position", text: "GGA,T,4600.0000,N,00815.0000,E,0,0,,,M,,M,,",
      valid: gga),
    Form(testDescription: "GNS, mode N", text: "GNS,T,,,,,NN,00,99.9,,,,", valid: gns),
    Form(testDescription: "GLL, status V", text: "GLL,,,,,T,V,N", valid: gll),
  ]

  /// A source that never has a position, and one that loses it and has it again.
  @Test(arguments: pairs, voids)
  func aSourceWithoutValidPositionsGivesWay(pair: (first: String, second: String), void: Form) {
    for valid in [0..<0, 0..<8] {
      for isLive in [false, true] {
        var bench = Bench()
        for time in 0..<28 {
          let isValid = valid.contains(time) || time > 20
          bench.send(isValid ? void.valid(pair.first, time, 46) : void.sent(pair.first, time))
          bench.send(void.valid(pair.second, time, 47))
          if isLive { bench.wait(.seconds(1)) }
        }
        bench.finish()
        let latitudes = bench.fixes.filter { $0.kind != .none }.compactMap(\.latitude)
        let own = latitudes.prefix { $0 == 46 }.count
        let detail = "\(pair), \(void), \(valid), \(isLive): \(latitudes)"
        #expect(own == valid.count && latitudes.dropFirst(own).allSatisfy { $0 == 47 }, "\(detail)")
        // From 5 s after the last valid position, to the end: the first source is ignored when it returns.
        #expect((22 - valid.count...24 - valid.count).contains(latitudes.count - own), "\(detail)")
        #expect(
          bench.decoder.rivalTalkers?.used == pair.second && bench.decoder.rivalTalkers?.ignored == pair.first
        )
      }
    }
  }

  /// Without a valid position of the other, or after less than 5 s, the source stays.
  @Test(arguments: pairs)
  func aShortLossOrALossOfBothChangesNothing(pair: (first: String, second: String)) {
    for isOtherValid in [false, true] {
      for lost in isOtherValid ? [8..<12] : [8..<12, 8..<24] {
        var bench = Bench()
        for time in 0..<28 {
          let void = Self.voids[0]
          let isLost = lost.contains(time)
          bench.send(isLost ? void.sent(pair.first, time) : rmc(pair.first, time, 46))
          bench.send(isLost && !isOtherValid ? void.sent(pair.second, time) : rmc(pair.second, time, 47))
          bench.wait(.seconds(1))
        }
        bench.finish()
        let latitudes = bench.fixes.filter { $0.kind != .none }.compactMap(\.latitude)
        #expect(latitudes.allSatisfy { $0 == 46 } && latitudes.count == 28 - lost.count, "\(pair) \(lost)")
      }
    }
  }

  /// One gateway may use several talkers for different sentences.
  @Test func differentSentencesOfTwoTalkersAreOneSource() throws {
    var bench = Bench()
    for time in 0..<6 { bench.send(rmc("YD", time, 46) + gga("GP", time, 46)) }
    bench.finish()
    #expect(bench.fixes.count == 6 && bench.decoder.rivalTalkers == nil)
    let last = try #require(bench.fixes.last)
    #expect(last.altitude == 412 && last.time == "2026-05-03T10:20:35.000Z" && last.speed != nil)
  }

  @Test func theClockOfAnotherSourceDoesNotChangeTheDate() {
    var bench = Bench()
    for time in 0..<6 {
      bench.send(rmc("GP", time, 46) + sentence("IIZDA,1020\(30 + time).00,17,02,2011,00,00"))
    }
    bench.finish()
    #expect(bench.fixes.count == 6 && bench.fixes.allSatisfy { $0.time?.hasPrefix("2026-05-03") == true })
  }

  @Test func theListedTalkersAreOneReceiver() {
    var bench = Bench()
    for time in 0..<6 { bench.send(rmc("GP", time, 46) + rmc("GN", time, 47) + gga("GL", time, 48)) }
    bench.finish()
    #expect(bench.fixes.map(\.latitude) == [47, 47, 47, 47, 47, 47] && bench.decoder.rivalTalkers == nil)
  }
}
