import GNSSProtocol
import Quantities
import Testing

/// Messages that form a solution only together.
@Suite struct JoiningTests {
  static func i(_ value: Int) -> Int32 { Int32(value) }

  /// The messages of one iTOW as u-blox 6 sends them.
  struct Set {
    /// 2025-04-11T23:14:08Z with 18 leap seconds.
    var iTOW: UInt32 = 515_666_000
    var week: Int16 = 2361
    var gpsFix: UInt8 = 3
    var flags: UInt8 = 0b1101
    var latitude = 450_657_720

    var position: [UInt8] {
      ubx(
        0x01, 0x02,
        Payload(28).putting(iTOW, at: 0).putting(Int32(76_590_613), at: 4).putting(i(latitude), at: 8)
          .putting(Int32(304_639), at: 12).putting(Int32(257_404), at: 16).putting(UInt32(1500), at: 20)
          .putting(UInt32(2500), at: 24).bytes)
    }
    var status: [UInt8] {
      ubx(0x01, 0x03, Payload(16).putting(iTOW, at: 0).putting(gpsFix, at: 4).putting(flags, at: 5).bytes)
    }
    var dilutions: [UInt8] {
      ubx(
        0x01, 0x04,
        Payload(18).putting(iTOW, at: 0).putting(UInt16(142), at: 6).putting(UInt16(117), at: 10)
          .putting(UInt16(82), at: 12).bytes)
    }
    var solution: [UInt8] {
      ubx(
        0x01, 0x06,
        Payload(52).putting(iTOW, at: 0).putting(week, at: 8).putting(gpsFix, at: 10).putting(flags, at: 11)
          .putting(UInt8(9), at: 47).bytes)
    }
    /// NAV-SOL with a position: latitude 45, longitude 0, height 100 m by the formula of the ellipsoid, and a
    /// velocity of 3 m/s to the north.
    var solutionWithPosition: [UInt8] {
      ubx(
        0x01, 0x06,
        Payload(52).putting(iTOW, at: 0).putting(week, at: 8).putting(gpsFix, at: 10).putting(flags, at: 11)
          .putting(Int32(451_766_159), at: 12).putting(Int32(448_741_912), at: 20)
          .putting(UInt32(350), at: 24).putting(Int32(-212), at: 28).putting(Int32(212), at: 36)
          .putting(UInt32(30), at: 40).putting(UInt8(9), at: 47).bytes)
    }
    var velocity: [UInt8] {
      ubx(
        0x01, 0x12,
        Payload(36).putting(iTOW, at: 0).putting(Int32(-25), at: 12).putting(UInt32(123), at: 20)
          .putting(Int32(19_004_270), at: 24).putting(UInt32(20), at: 28).putting(UInt32(500_000), at: 32)
          .bytes)
    }
    var end: [UInt8] { ubx(0x01, 0x61, Payload(4).putting(iTOW, at: 0).bytes) }
    var all: [UInt8] { position + status + dilutions + solution + velocity }

    private func i(_ value: Int) -> Int32 { Int32(value) }
  }

  @Test func messagesOfOneITOWAreOneFix() throws {
    let fix = try #require(decode(Set().all).first)
    #expect(fix.time == "2025-04-11T23:14:08.000Z" && fix.kind == .threeDimensional)
    #expect((fix.latitude, fix.longitude) == (45.065772, 7.6590613))
    #expect((fix.altitude, fix.ellipsoidHeight, fix.climb) == (257.404, 304.639, 0.25))
    #expect((fix.speed, fix.course, fix.satellitesUsed) == (1.23, 190.0427, 9))
    #expect((fix.horizontalAccuracy, fix.verticalAccuracy) == (1.5, 2.5))
    #expect((fix.speedAccuracy, fix.courseAccuracy, fix.accuracySource) == (0.2, 5, .receiver))
    #expect((fix.positionDilution, fix.horizontalDilution, fix.verticalDilution) == (1.42, 0.82, 1.17))
  }

  @Test func navSOLAloneIsAFix() throws {
    let fix = try #require(decode(Set().solutionWithPosition).first)
    #expect(fix.time == "2025-04-11T23:14:08.000Z" && fix.kind == .threeDimensional)
    let (latitude, longitude) = (try #require(fix.latitude), try #require(fix.longitude))
    #expect(abs(latitude - 45) < 1e-7 && abs(longitude) < 1e-7)
    let (height, speed, climb) = (
      try #require(fix.ellipsoidHeight), try #require(fix.speed), try #require(fix.climb)
    )
    #expect(abs(height - 100) < 0.02 && abs(speed - 3) < 0.01 && abs(climb) < 0.01)
    #expect(fix.altitude == nil && fix.course == 0 && fix.satellitesUsed == 9)
    #expect((fix.horizontalAccuracy, fix.speedAccuracy, fix.accuracySource) == (3.5, 0.3, .receiver))
  }

  @Test func geodeticPositionTakesPrecedenceOverECEF() throws {
    let set = Set()
    for pieces in [set.position + set.solutionWithPosition, set.solutionWithPosition + set.position] {
      let fix = try #require(decode(pieces).first)
      #expect((fix.latitude, fix.horizontalAccuracy, fix.altitude) == (45.065772, 1.5, 257.404))
    }
  }

  @Test(arguments: 0..<24)
  func theOrderOfTheMessagesDoesNotMatter(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let set = Set()
    let pieces = [set.position, set.status, set.dilutions, set.solution, set.velocity]
    #expect(decode(pieces.shuffled(using: &random).flatMap { $0 }) == decode(set.all))
  }

  @Test func aRateOf25HzGives25Fixes() {
    var bench = Bench()
    for step in 0..<250 {
      var set = Set()
      set.iTOW += UInt32(step * 40)
      bench.send(set.all)
      bench.wait(.milliseconds(40))
    }
    bench.finish()
    #expect(
      bench.fixes.count == 250 && bench.fixes.allSatisfy { $0.kind == .threeDimensional && $0.speed != nil })
    let expected: [Int32?] = (0..<250).map { (index: Int32) -> Int32 in 83_648_000 + index * 40 }
    #expect(bench.fixes.map(\.millisecondOfDay) == expected)
  }

  @Test(arguments: [
    (UInt8(3), UInt8(0b1100), FixKind.none), (2, 0b1101, .twoDimensional), (4, 0b1101, .deadReckoning),
    (5, 0b1101, .none), (1, 0b1101, .none),
  ])
  func onlyAValidFixIsAFix(gpsFix: UInt8, flags: UInt8, kind: FixKind) throws {
    var set = Set()
    (set.gpsFix, set.flags) = (gpsFix, flags)
    let fix = try #require(decode(set.all).first)
    #expect(fix.kind == kind)
    #expect((fix.latitude == nil) == (kind == .none))
    #expect((fix.altitude == nil) == (kind == .none || kind == .twoDimensional))
  }

  @Test func withoutAStatusThereIsNoEpoch() {
    let set = Set()
    #expect(decode(set.position + set.velocity + set.dilutions).isEmpty)
    #expect(decode(set.status + set.solution).isEmpty)
    #expect(
      decode(sentence("GNGGA,231408.00,5000.0,N,01000.0,E,1,08,2.0,120.0,M,45.0,M,,") + set.status).count == 1
    )
  }

  @Test func theEndOfEpochMessageClosesTheEpochImmediately() {
    var bench = Bench()
    bench.send(Set().all)
    #expect(bench.fixes.isEmpty)
    bench.send(Set().end)
    #expect(bench.fixes.count == 1 && bench.decoder.isBetweenEpochs)
    bench.send(Set().velocity)
    bench.finish()
    #expect(bench.fixes.count == 1)
  }

  @Test func theEndOfAnotherEpochClosesNothing() {
    var other = Set()
    other.iTOW -= 1000
    var bench = Bench()
    bench.send(Set().all + other.end)
    #expect(bench.fixes.isEmpty)
  }

  @Test func iTOWRollsOverIntoTheNextWeek() {
    var (last, first) = (Set(), Set())
    (last.iTOW, first.iTOW) = (604_799_960, 0)
    first.week = 2362
    let set = last.all + first.position + first.status + first.velocity
    #expect(decode(set).map(\.time) == ["2025-04-12T23:59:41.960Z", "2025-04-12T23:59:42.000Z"])
  }

  @Test func theReceiversOwnLeapSecondsAreUsed() {
    let set = Set()
    let time = UBXMessageTests.timeUTC(2025, [4, 11, 23, 14, 10], nano: 0).putting(set.iTOW, at: 0)
    #expect(decode(ubx(0x01, 0x21, time.bytes) + set.all).map(\.time) == ["2025-04-11T23:14:10.000Z"])
    let seconds = Payload(24).putting(set.iTOW, at: 0).putting(Int8(16), at: 9).putting(UInt8(1), at: 23)
    #expect(decode(ubx(0x01, 0x26, seconds.bytes) + set.all).map(\.time) == ["2025-04-11T23:14:10.000Z"])
  }

  @Test func sentencesOfTheSameEpochGiveNoSecondFix() throws {
    let text = sentences(
      "GNRMC,231408.00,A,5000.0,N,01000.0,E,1.0,90.0,110425,,,A "
        + "GNGGA,231408.00,5000.0,N,01000.0,E,1,08,2.0,120.0,M,45.0,M,,")
    for bytes in [text + Set().all, Set().all + text] {
      let fixes = decode(bytes)
      #expect(fixes.map(\.latitude) == [45.065772])
    }
  }

  @Test func besideNavPVTOtherMessagesOnlyAddDilutions() throws {
    var pvt = PVT()
    pvt.iTOW = Set().iTOW
    var set = Set()
    set.latitude = 0
    for bytes in [
      set.position + set.status + set.dilutions + pvt.frame + set.velocity,
      pvt.frame + set.all, set.dilutions + pvt.frame,
    ] {
      let fixes = decode(bytes + set.end)
      #expect(fixes.map(\.latitude) == [45.065772])
      #expect(fixes.map(\.horizontalDilution) == [0.82])
    }
  }

  @Test func theHighRateSolutionIsNeverAFix() {
    var payload = [UInt8](repeating: 0xFF, count: 72)
    payload[16] = 3
    #expect(decode(ubx(0x28, 0x00, payload)).isEmpty)
  }

  @Test(arguments: 0..<16)
  func noFramesTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let lengths: [UInt8: Int] = [
      2: 28, 3: 16, 4: 18, 6: 52, 7: 92, 0x12: 36, 0x21: 20, 0x26: 24, 0x61: 4, 0x35: 44,
    ]
    for (id, length) in lengths.sorted(by: { $0.key < $1.key }) {
      let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = decode(ubx(0x01, id, payload) + Set().all + ubx(0x01, id, payload))
    }
  }

  static func casicSet(_ runTime: UInt32, second: UInt8, posValid: UInt8 = 7) -> (
    position: [UInt8], time: [UInt8]
  ) {
    (
      casic(0x01, 0x03, CASICTests.position.putting(runTime, at: 0).putting(posValid, at: 4).bytes),
      casic(
        0x01, 0x10, CASICTests.time(2026, [8, 6, 7, 15, second, 7, 0, 3]).putting(runTime, at: 0).bytes)
    )
  }

  static func casicText(_ second: Int) -> [UInt8] {
    sentences(
      "GNRMC,0715\(second).000,A,4739.71754,N,12219.58177,W,3.00,286.35,060826,,,A "
        + "GNGGA,0715\(second).000,4739.71754,N,12219.58177,W,1,17,0.8,77.5,M,-21.6,M,,")
  }

  @Test func casicAndItsSentencesAreOneFix() throws {
    var bytes: [UInt8] = []
    for second in 10..<20 {
      let set = Self.casicSet(UInt32(second) * 999, second: UInt8(second))
      bytes += Self.casicText(second) + set.position + set.time
    }
    let fixes = decode(bytes)
    #expect(fixes.count == 10)
    let fix = try #require(fixes.last)
    #expect(fix.time == "2026-08-06T07:15:19.000Z")
    #expect((fix.horizontalAccuracy, fix.verticalAccuracy, fix.accuracySource) == (1.5, 2.5, .receiver))
    #expect((fix.altitude, fix.ellipsoidHeight, fix.speed, fix.satellitesUsed) == (77, 55.5, 3.5, 17))
  }

  @Test func casicWithoutTimeAddsItsAccuraciesToTheSentences() throws {
    var bytes: [UInt8] = []
    for second in 10..<20 {
      bytes += Self.casicText(second) + Self.casicSet(UInt32(second) * 999, second: 0).position
    }
    let fixes = decode(bytes)
    #expect(fixes.count == 10)
    let fix = try #require(fixes.last)
    #expect(fix.time == "2026-08-06T07:15:19.000Z")
    #expect((fix.horizontalAccuracy, fix.accuracySource) == (1.5, .receiver))
    #expect(fix.altitude == 77.5)
  }

  @Test func casicWithoutAFixGivesNoFix() {
    let set = Self.casicSet(1, second: 10, posValid: 3)
    #expect(decode(set.position + set.time).map(\.kind) == [.none])
    #expect(decode(set.time + set.position).count == 1)
    #expect(decode(set.time).isEmpty)
  }

  @Test(arguments: [
    (
      "PUBX,00,101112.00,5000.0,N,01000.0,E,120,G3,2.5,3.5,3.6,90,-0.5,,1,1,1,9,0,0", 2.5, 3.5,
      AccuracySource.receiver
    ),
    ("PQTMEPE,2,1,1,3.25,1.5,4", 1.5, 3.25, .receiver),
    ("GPGBS,101112.00,3.0,4.0,6.0,,,,", 5, 6, .errorEllipse),
    ("GPGBS,101112.00,3.0,4.0,6.0,,,, GPGST,101112.00,1,,,,0.3,0.4,0.7", 0.5, 0.7, .errorEllipse),
    ("GPGST,101112.00,1,,,,0.3,0.4,0.7 GPGBS,101112.00,3.0,4.0,6.0,,,,", 0.5, 0.7, .errorEllipse),
    ("GPGST,101112.00,1,,,,0.3,0.4,0.7 PQTMEPE,2,1,1,3.25,1.5,4", 1.5, 3.25, .receiver),
    ("PSTI,030,101112.00,A,,,,,,,,0.5,,,,", 10, 16, .dilution),
  ])
  func theBestAccuracyIsUsed(text: String, horizontal: Double, vertical: Double, source: AccuracySource)
    throws
  {
    let gga = "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,2.0,120.0,M,45.0,M,, "
    let fix = try #require(decode(sentences(gga + text)).first)
    #expect(
      (fix.horizontalAccuracy, fix.verticalAccuracy, fix.accuracySource) == (horizontal, vertical, source))
    #expect(fix.altitude == 120)
    if text.hasPrefix("PUBX") || text.hasPrefix("PSTI") { #expect(fix.climb == 0.5) }
  }

  @Test func satellitesInViewAreCounted() throws {
    let fixes = decode(
      sentences(
        "GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A GPGSV,3,1,11 GLGSV,1,1,07 GPGSV,1,1,05 "
          + "GPRMC,101113.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A"))
    #expect(fixes.map(\.satellitesSeen) == [18, 18])
  }
}
