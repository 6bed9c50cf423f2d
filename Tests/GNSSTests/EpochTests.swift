import Quantities
import Testing

@Suite struct EpochTests {
  /// RMC of one talker is valid without a position. GGA of another has a position and marks it as invalid: by
  /// no fix, and by simulation.
  @Test(arguments: ["0", "8"])
  func aPositionIsInvalidIfItsOwnSentenceMarksItInvalid(quality: String) throws {
    let text =
      "GNRMC,101112.00,A,9100.0,N,01000.0,E,0.0,,010326,,,A GPGGA,101112.00,5000.0,N,01000.0,E,\(quality),08,2.0,120.0,M,45.0,M,,"
    let fixes = decode(sentences(text))
    #expect(fixes.allSatisfy { $0.kind == .none && $0.latitude == nil && $0.altitude == nil })
  }

  /// One epoch in the order of a u-blox receiver.
  static func epoch(_ time: String, date: String = "010326", knots: String = "1.0", minutes: String = "00.0")
    -> [UInt8]
  {
    sentences(
      """
      GNRMC,\(time),A,50\(minutes),N,01000.0,E,\(knots),90.0,\(date),,,A,V GNVTG,90.0,T,,M,\(knots),N,1.9,K,A \
      GNGGA,\(time),50\(minutes),N,01000.0,E,1,12,0.76,4.4,M,-30.0,M,, \
      GNGSA,A,3,17,02,,,,,,,,,,,1.48,0.76,1.27,1 GNGSA,A,3,80,83,,,,,,,,,,,1.48,0.76,1.27,2
      """)
  }
  static let tail = "GPGSV,1,1,01,02,25,181,42,1"
  static func last(_ time: String) -> [UInt8] { sentences("\(tail) GNGLL,5000.0,N,01000.0,E,\(time),A,A") }

  @Test func theFirstEpochsAreClosedBySilenceOrTheNextEpoch() {
    var bench = Bench()
    bench.send(Self.epoch("101112.00"))
    #expect(bench.fixes.isEmpty && !bench.decoder.isBetweenEpochs)
    bench.wait(.milliseconds(299))
    #expect(bench.fixes.isEmpty)
    bench.wait(.milliseconds(1))
    #expect(bench.fixes.count == 1 && bench.decoder.isBetweenEpochs && bench.decoder.nextTimeout == nil)
    bench.send(Self.epoch("101113.00") + sentence("GNRMC,101114.00,V,,,,,,,010326,,,N,V"))
    #expect(bench.fixes.map(\.time) == ["2026-03-01T10:11:12.000Z", "2026-03-01T10:11:13.000Z"])
  }

  @Test func afterTwoEpochsTheLastContributingSentenceClosesTheEpoch() {
    var bench = Bench()
    for time in ["101112.00", "101113.00"] { bench.send(Self.epoch(time) + Self.last(time)) }
    bench.wait(.milliseconds(300))
    #expect(bench.fixes.count == 2)
    let third = Self.epoch("101114.00")
    let firstGSA = third.count - sentence("GNGSA,A,3,80,83,,,,,,,,,,,1.48,0.76,1.27,2").count
    bench.send(Array(third[..<(firstGSA - 3)]))
    #expect(bench.fixes.count == 2)
    bench.send(Array(third[(firstGSA - 3)..<firstGSA]))
    #expect(bench.fixes.count == 3)
    #expect(bench.fixes.last?.verticalDilution == 1.27 && bench.fixes.last?.altitude == 4.4)
    bench.send(Array(third[firstGSA...]) + Self.last("101114.00"))
    #expect(bench.decoder.isBetweenEpochs && bench.decoder.nextTimeout == nil)
    bench.finish()
    #expect(
      bench.fixes.count == 3 && bench.decoder.statistics.epochs == 3 && bench.decoder.statistics.fixes == 3)
  }

  @Test func aLateSentenceOfAnEmittedTimeGivesNoSecondFix() {
    var bench = Bench()
    bench.send(Self.epoch("101112.00") + Self.epoch("101113.00") + Self.epoch("101114.00"))
    bench.send(Self.last("101113.00") + Self.last("101114.00"))
    bench.send(Self.epoch("101115.00"))
    bench.finish()
    #expect(bench.fixes.map { ($0.millisecondOfDay ?? 0) / 1000 % 60 } == [12, 13, 14, 15])
  }

  @Test func lateMessagesAreNeverAddedToTheNextEpoch() {
    var bench = Bench()
    let gga = { (time: String) in sentence("GPGGA,\(time),5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,,") }
    bench.send(gga("101112.00"))
    bench.wait(.milliseconds(300))
    bench.send(sentences("GPVTG,90.0,T,,M,10.0,N,18.5,K,A GPGSA,A,3,01,,,,,,,,,,,,2.0,1.1,1.6"))
    bench.send(gga("101113.00"))
    bench.finish()
    #expect(bench.fixes.count == 2)
    #expect(bench.fixes.allSatisfy { $0.speed == nil && $0.verticalDilution == nil })
  }

  @Test func aSpeedSentBeforeItsTimeBelongsToItsOwnEpoch() {
    var bench = Bench()
    for second in 10..<20 {
      bench.send(
        sentences(
          """
          GPVTG,90.0,T,,M,\(second).0,N,20.0,K,A \
          GPGGA,1011\(second),5000.0,N,01000.0,E,1,08,1.1,120.0,M,14.0,M,,
          """))
      bench.wait(.seconds(1))
    }
    let knots: [Double] = bench.fixes.map { fix in
      let metresPerSecond: Double = fix.speed ?? 0
      return (metresPerSecond * 3600 / 1852).rounded()
    }
    let driven: [Double] = (10..<20).map(Double.init)
    #expect(knots == driven)
  }

  @Test func aClockStepBackStartsNewEpochs() {
    var bench = Bench()
    for time in ["101112.00", "101113.00", "101114.00", "091500.00", "091501.00"] {
      bench.send(Self.epoch(time))
    }
    bench.finish()
    #expect(bench.fixes.count == 5)
  }

  @Test func sentencesOfDifferentTimesAreNeverMerged() {
    let fixes = decode(
      sentences(
        """
        GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A \
        GPGGA,101113.00,5100.0,N,01100.0,E,1,08,1.1,120.0,M,45.0,M,,
        """))
    #expect(fixes.map(\.latitude) == [50, 51])
    #expect(fixes.map(\.altitude) == [nil, 120] && fixes.map(\.speed) == [1852.0 / 3600, nil])
    #expect(fixes.last?.time == "2026-03-01T10:11:13.000Z")
  }

  @Test func aDamagedLastSentenceDelaysTheFixButLosesNothing() {
    var bench = Bench()
    for time in ["101112.00", "101113.00", "101114.00"] { bench.send(Self.epoch(time)) }
    var torn = Self.epoch("101115.00")
    torn.removeLast(sentence("GNGSA,A,3,17,02,,,,,,,,,,,1.48,0.76,1.27,1").count * 2)
    bench.send(torn)
    #expect(bench.fixes.count == 3)
    bench.wait(.milliseconds(300))
    #expect(bench.fixes.count == 4 && bench.fixes.last?.altitude == 4.4)
  }

  @Test func anOrderThatClosesTooEarlyIsDiscarded() {
    var bench = Bench()
    let short = { (time: String) in sentence("GPRMC,\(time),A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A") }
    for second in 10..<20 { bench.send(short("1011\(second).00")) }
    for second in 20..<40 { bench.send(Self.epoch("1011\(second).00")) }
    bench.finish()
    #expect(bench.fixes.count == 30)
    #expect(bench.fixes.suffix(10).allSatisfy { $0.altitude == 4.4 && $0.verticalDilution == 1.27 })
  }

  @Test func anAltitudeSentEveryFifthEpochIsEventuallyIncluded() {
    var bench = Bench()
    for second in 10..<60 {
      let time = "1011\(second).00"
      bench.send(sentence("GPRMC,\(time),A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A"))
      if second % 5 == 0 {
        bench.send(sentence("GPGGA,\(time),5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,,"))
      }
      bench.wait(.seconds(1))
    }
    #expect(bench.fixes.count == 50)
    #expect(bench.fixes.suffix(25).filter { $0.altitude != nil }.count == 5)
  }

  @Test(arguments: [40, 100, 200, 1000])
  func everyEpochOfAFastReceiverIsEmitted(milliseconds: Int) {
    var bench = Bench()
    for count in 0..<100 {
      let time = 36_672_000 + count * milliseconds
      var text: [UInt8] = []
      text.appendPadded(time / 3_600_000, digits: 2)
      text.appendPadded(time / 60_000 % 60, digits: 2)
      text.appendPadded(time / 1000 % 60, digits: 2)
      text.append(UInt8(ascii: "."))
      text.appendPadded(time % 1000 / 10, digits: 2)
      bench.send(Self.epoch(String(decoding: text, as: UTF8.self)))
      if count == 99 { #expect(bench.fixes.count == 100, "the last sentence closes the last epoch") }
      bench.wait(.milliseconds(milliseconds))
    }
    #expect(bench.fixes.count == 100)
    bench.send(sentence("GNRMC,115959.00,A,5000.0,N,01000.0,E,,,010326,,,A,V"))
    let silence = (bench.decoder.nextTimeout ?? .zero) - bench.now
    #expect(silence == .milliseconds(milliseconds == 1000 ? 300 : 100))
  }

  @Test func satellitesBeforeTheTimedSentencesDoNotOpenAnEpoch() {
    var bench = Bench()
    // A receiver that begins each epoch with GSV, GSA, VTG; speeds and HDOP show to which epoch they belong.
    for second in 10..<30 {
      bench.send(
        sentences(
          """
          \(Self.tail) GPGSA,A,3,05,07,,,,,,,,,,,1.2,0.\(second),0.\(second) GPVTG,90.0,T,,M,\(second).0,N,20.0,K,A \
          GPGGA,1011\(second),5000.0,N,01000.0,E,1,08,0.\(second),120.0,M,14.0,M,,
          """))
    }
    bench.finish()
    #expect(bench.fixes.count == 20)
    for (fix, second) in zip(bench.fixes, 10..<30).suffix(10) {
      #expect(fix.horizontalDilution == fix.verticalDilution)
      #expect(abs((fix.speed ?? 0) - Double(second) * 1852 / 3600) < 1e-9)
    }
  }

  @Test func sentencesOfTwoTalkersForOneEpochAreOneFix() {
    let fixes = decode(
      sentences(
        """
        GPGGA,101112.00,5000.1,N,01000.0,E,1,03,1.5,10.0,M,32.0,M,, \
        GNGNS,101112.00,5000.0,N,01000.0,E,AAN,09,1.4,11.0,32.0,,,V \
        GPRMC,101112.00,A,5000.1,N,01000.0,E,3.6,237.8,010326,,,A,V GLGGA,101112.00,5000.2,N,01000.0,E,1,05,2.0,9.0,M,32.0,M,,
        """))
    #expect(fixes.count == 1)
    #expect(fixes.first?.latitude == 50 && fixes.first?.altitude == 11 && fixes.first?.satellitesUsed == 9)
    #expect(fixes.first?.time == "2026-03-01T10:11:12.000Z")
  }

  @Test(arguments: [true, false])
  func bothProtocolsGiveOneFixAndBinaryTakesPrecedence(binaryFirst: Bool) {
    var bench = Bench()
    for second in 10..<15 {
      var pvt = PVT()
      (pvt.second, pvt.nano) = (UInt8(second), -321_000)
      let text = Self.epoch("2314\(second).00", date: "110425")
      bench.send(binaryFirst ? pvt.frame + text : text + pvt.frame)
      bench.wait(.seconds(1))
    }
    #expect(bench.fixes.count == 5)
    #expect(bench.fixes.allSatisfy { $0.accuracySource == .receiver && $0.latitude == 45.065772 })
    #expect(bench.fixes.allSatisfy { $0.horizontalDilution == 0.76 })
    #expect(bench.fixes.last?.time == "2025-04-11T23:14:14.000Z")
  }

  @Test func aSolutionOutsideTheMasksOverridesTheSentences() {
    var pvt = PVT()
    pvt.flags = 0
    #expect(decode(Self.epoch("231408.00", date: "110425") + pvt.frame).map(\.kind) == [.none])
  }

  @Test func aRepeatedDeadReckoningPositionIsNoFix() {
    let gone = { (time: String, minutes: String) in
      sentence("GPRMC,\(time),A,50\(minutes),N,01000.0,E,1.0,90.0,010326,,,E")
    }
    let fixes = decode(
      Self.epoch("101112.00") + gone("101113.00", "00.1") + gone("101114.00", "00.1")
        + gone("101115.00", "00.2"))
    #expect(fixes.map(\.kind) == [.threeDimensional, .deadReckoning, .none, .deadReckoning])
  }

  @Test func reopeningDiscardsIncompleteFramesAndOrderButKeepsTheDate() {
    var bench = Bench()
    for time in ["101112.00", "101113.00", "101114.00"] { bench.send(Self.epoch(time)) }
    let counted = bench.decoder.statistics.nmea
    bench.send(Array("$GNRMC,1011".utf8))
    #expect(!bench.decoder.isBetweenEpochs)
    bench.decoder.reset()
    #expect(bench.decoder.isBetweenEpochs && bench.decoder.nextTimeout == nil)
    #expect(bench.decoder.statistics.nmea == counted)
    bench.send(sentence("GPGGA,101120.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,,"))
    bench.finish()
    #expect(bench.fixes.last?.time == "2026-03-01T10:11:20.000Z")
  }

  @Test func anIncompleteFrameIsDiscardedAfterSilence() {
    var bench = Bench()
    bench.send([0xB5, 0x62, 0x01, 0x07, 0xFF, 0x0F] + Self.epoch("101112.00"))
    #expect(bench.decoder.statistics.nmea == 0)
    bench.wait(.seconds(1))
    #expect(bench.decoder.statistics.nmea == 5 && bench.fixes.count == 1 && bench.decoder.isBetweenEpochs)
  }
}
