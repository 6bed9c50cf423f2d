import Quantities
import Testing
@testable import GNSSProtocol

/// A payload of zeros with some fields set.
struct Payload {
  var bytes: [UInt8]

  init(_ count: Int) { bytes = [UInt8](repeating: 0, count: count) }

  func putting(_ value: some FixedWidthInteger, at offset: Int) -> Payload {
    var copy = self
    withUnsafeBytes(of: value.littleEndian) {
      copy.bytes.replaceSubrange(offset..<offset + $0.count, with: $0)
    }
    return copy
  }

  func putting(_ value: Float, at offset: Int) -> Payload { putting(value.bitPattern, at: offset) }
  func putting(_ value: Double, at offset: Int) -> Payload { putting(value.bitPattern, at: offset) }

  func read<Message>(_ message: (UnsafeRawBufferPointer) -> Message?) -> Message? {
    bytes.withUnsafeBytes(message)
  }
}

@Suite struct UBXMessageTests {
  @Test func positionIsInDegreesAndMetres() throws {
    let message = try #require(
      Payload(28).putting(UInt32(123), at: 0).putting(Int32(-76_590_613), at: 4)
        .putting(Int32(450_657_720), at: 8).putting(Int32(304_639), at: 12).putting(Int32(-1000), at: 16)
        .putting(UInt32(1500), at: 20).putting(UInt32.max, at: 24).read(NavPOSLLH.init))
    #expect(message.iTOW == 123)
    #expect(message.position == Position(latitude: 45.065772, longitude: -7.6590613))
    #expect((message.height, message.hMSL) == (304.639, -1))
    #expect((message.hAcc, message.vAcc) == (1.5, nil))
    let beyond = Payload(28).putting(Int32(900_000_001), at: 8).read(NavPOSLLH.init)
    #expect(beyond != nil && beyond?.position == nil)
  }

  @Test(arguments: [
    (UInt8(0), UInt8(0b1101), FixKind.none), (1, 0b1101, .none), (2, 0b1101, .twoDimensional),
    (3, 0b1101, .threeDimensional), (4, 0b1101, .deadReckoning), (5, 0b1101, .none),
    (3, 0b1100, .none), (3, 0b1111, .differential),
  ])
  func onlyAValidFixIsUsed(gpsFix: UInt8, flags: UInt8, kind: FixKind) throws {
    let solution = try #require(
      Payload(52).putting(gpsFix, at: 10).putting(flags, at: 11).read(NavSOL.init))
    #expect(solution.fix.kind == kind)
    let status = try #require(Payload(16).putting(gpsFix, at: 4).putting(flags, at: 5).read(NavSTATUS.init))
    #expect(status.fix == solution.fix)
    #expect(status.isTimeSet)
  }

  @Test func solutionHasWeekAccuraciesAndSatellites() throws {
    let payload = Payload(52).putting(UInt32(400_199_750), at: 0).putting(Int16(2361), at: 8)
      .putting(UInt8(0b1101), at: 11).putting(UInt32(250), at: 24).putting(UInt32(30), at: 40)
      .putting(UInt16(142), at: 44).putting(UInt8(11), at: 47)
    let message = try #require(payload.read(NavSOL.init))
    #expect((message.pAcc, message.sAcc, message.pDOP, message.numSV) == (2.5, 0.3, 1.42, 11))
    #expect(message.utc(leapSeconds: nil)?.iso8601(fraction: .milliseconds) == "2025-04-10T15:09:41.750Z")
    #expect(message.utc(leapSeconds: 17)?.iso8601() == "2025-04-10T15:09:42Z")
    #expect(payload.putting(UInt8(0b1001), at: 11).read(NavSOL.init)?.utc(leapSeconds: nil) == nil)
    #expect(payload.putting(UInt8(0b0101), at: 11).read(NavSOL.init)?.utc(leapSeconds: nil) == nil)
    #expect(payload.putting(UInt32.max, at: 0).read(NavSOL.init)?.utc(leapSeconds: nil) == nil)
    #expect(payload.putting(Int16(-1), at: 8).read(NavSOL.init)?.week == nil)
  }

  @Test func velocityIsInMetresPerSecond() throws {
    let payload = Payload(36).putting(Int32(25), at: 12).putting(UInt32(1234), at: 20)
      .putting(Int32(-9_000_000), at: 24).putting(UInt32(20), at: 28).putting(UInt32(500_000), at: 32)
    let message = try #require(payload.read(NavVELNED.init))
    #expect((message.climb, message.gSpeed, message.heading) == (-0.25, 12.34, 270))
    #expect((message.sAcc, message.cAcc) == (0.2, 5))
    #expect(payload.putting(UInt32(18_000_000), at: 32).read(NavVELNED.init)?.cAcc == nil)
  }

  @Test func zeroDilutionsAreUnknown() throws {
    var payload = Payload(18)
    for (index, value) in [UInt16(136), 142, 62, 9999, 82, 90, 0].enumerated() {
      payload = payload.putting(value, at: 4 + 2 * index)
    }
    let message = try #require(payload.read(NavDOP.init))
    #expect(message.pDOP == 1.42 && message.hDOP == 0.82 && message.vDOP == nil)
  }

  static func timeUTC(_ year: UInt16, _ remainder: [UInt8], nano: Int32, valid: UInt8 = 0b111) -> Payload {
    var payload = Payload(20).putting(nano, at: 8).putting(year, at: 12).putting(valid, at: 19)
    payload.bytes.replaceSubrange(14...18, with: remainder)
    return payload
  }

  @Test(
    arguments: [
      (timeUTC(2025, [4, 11, 23, 14, 8], nano: 0), "2025-04-11T23:14:08.000Z"),
      (timeUTC(2025, [4, 11, 0, 0, 0], nano: -40_000_000), "2025-04-10T23:59:59.960Z"),
      (timeUTC(2016, [12, 31, 23, 59, 60], nano: 500_000_000), "2017-01-01T00:00:00.500Z"),
      (timeUTC(2025, [2, 30, 0, 0, 0], nano: 0), nil), (timeUTC(2025, [2, 3, 24, 0, 0], nano: 0), nil),
      (timeUTC(2025, [2, 3, 0, 0, 0], nano: .min), nil),
    ] as [(Payload, String?)])
  func theTimeIsDecodedWithItsSignedNanoseconds(payload: Payload, time: String?) throws {
    let message = try #require(payload.read(NavTIMEUTC.init))
    #expect(message.utc?.iso8601(fraction: .milliseconds) == time)
    #expect(message.isWeekValid && message.isUTCValid)
  }

  @Test func leapSecondsMustBeValidAndPlausible() {
    let payload = Payload(24).putting(Int8(18), at: 9).putting(UInt8(2), at: 8)
    #expect(payload.read(NavTIMELS.init)?.currLs == nil)
    #expect(payload.putting(UInt8(1), at: 23).read(NavTIMELS.init)?.currLs == 18)
    #expect(payload.putting(UInt8(1), at: 23).putting(Int8(-3), at: 9).read(NavTIMELS.init)?.currLs == nil)
  }

  @Test(arguments: [
    (0, Int64(0), "1980-01-06T00:00:00.000Z"), (77, 259_200_000, "1981-07-01T00:00:00.000Z"),
    (77, 259_199_999, "1981-06-30T23:59:59.999Z"), (77, 259_201_000, "1981-07-01T00:00:00.000Z"),
    (1930, 16_000, "2016-12-31T23:59:59.000Z"), (1930, 17_500, "2017-01-01T00:00:00.500Z"),
    (1930, 18_000, "2017-01-01T00:00:00.000Z"), (1930, 18_001, "2017-01-01T00:00:00.001Z"),
    (2361, 0, "2025-04-05T23:59:42.000Z"), (-1, 604_799_999, "1980-01-05T23:59:59.999Z"),
  ])
  func gpsTimeIsConvertedWithTheLeapSecondsOfItsDate(week: Int, millisecond: Int64, time: String) {
    #expect(
      LeapSeconds.utc(week: week, millisecondOfWeek: millisecond).iso8601(fraction: .milliseconds) == time)
  }

  @Test func theTimeOfDayWrapsAtMidnight() {
    #expect(LeapSeconds.current == 18)
    #expect(LeapSeconds.millisecondOfDay(ofWeek: 17_960, leapSeconds: 18) == 86_399_960)
    #expect(LeapSeconds.millisecondOfDay(ofWeek: 18_000, leapSeconds: 18) == 0)
    #expect(LeapSeconds.millisecondOfDay(ofWeek: 604_799_960, leapSeconds: 18) == 86_381_960)
  }

  @Test func satellitesOfNavSatAreDecoded() throws {
    var payload = Payload(8 + 36).putting(UInt32(7), at: 0).putting(UInt8(3), at: 5)
    payload.bytes.replaceSubrange(8..<20, with: [2, 3, 40, 45, 104, 1, 0, 0, 0x08, 0, 0, 0])
    payload.bytes.replaceSubrange(20..<32, with: [6, 255, 40, 45, 104, 1, 0, 0, 0, 0, 0, 0])
    payload.bytes.replaceSubrange(32..<44, with: [1, 131, 0, UInt8(bitPattern: -91), 0, 0, 0, 0, 7, 0, 0, 0])
    let satellites = payload.read { bytes in NavSAT(payload: bytes).map { sat in (0..<3).map(sat.satellite) }
    }
    let galileo = try #require(SatelliteID(.galileo, 3))
    let sbas = try #require(SatelliteID(.sbas, 131))
    #expect(
      satellites == [
        Satellite(id: galileo, elevation: 45, azimuth: 0, signal: 40, isUsed: true), nil,
        Satellite(id: sbas, elevation: nil, azimuth: nil, signal: nil),
      ])
    #expect(payload.putting(UInt8(4), at: 5).read(NavSAT.init) == nil)
  }

  @Test(
    arguments: [
      (UInt8(12), 12), (33, 406), (64, 437), (159, 401), (163, 405), (70, 70), (131, 44), (155, 155),
      (193, 193),
      (211, 301), (246, 336), (0, nil), (255, nil), (173, nil),
    ] as [(UInt8, Int?)])
  func satellitesOfNavSVInfoAreDecoded(svid: UInt8, prn: Int?) {
    var payload = Payload(20).putting(UInt8(1), at: 4)
    payload.bytes.replaceSubrange(8..<20, with: [0, svid, 1, 7, 33, 12, 44, 1, 0, 0, 0, 0])
    let satellite = payload.read { NavSVINFO(payload: $0)?.satellite(0) }
    #expect(satellite?.id.prn == prn)
    guard let satellite else { return }
    #expect((satellite.elevation, satellite.azimuth, satellite.signal) == (12, 300, 33))
    #expect(satellite.isUsed)
  }

  @Test func aWrongLengthIsRejected() {
    let readings: [(Int, (UnsafeRawBufferPointer) -> Bool)] = [
      (28, { NavPOSLLH(payload: $0) != nil }), (52, { NavSOL(payload: $0) != nil }),
      (36, { NavVELNED(payload: $0) != nil }), (16, { NavSTATUS(payload: $0) != nil }),
      (18, { NavDOP(payload: $0) != nil }), (20, { NavTIMEUTC(payload: $0) != nil }),
      (24, { NavTIMELS(payload: $0) != nil }), (4, { NavEOE(payload: $0) != nil }),
      (72, { HNRPVT(payload: $0) != nil }), (8, { NavSAT(payload: $0) != nil }),
      (8, { NavSVINFO(payload: $0) != nil }), (80, { CASICNavPV(payload: $0) != nil }),
      (24, { CASICNavTIMEUTC(payload: $0) != nil }),
    ]
    for (right, reads) in readings {
      for length in 0...100 {
        #expect([UInt8](repeating: 0, count: length).withUnsafeBytes(reads) == (length == right))
      }
    }
  }

  @Test(arguments: 0..<32)
  func noBytesTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for length in [4, 8, 16, 18, 20, 24, 28, 32, 36, 52, 72, 80, 8 + 12 * 255] {
      var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      if length > 8 { (bytes[4], bytes[5]) = (UInt8((length - 8) / 12), UInt8((length - 8) / 12)) }
      bytes.withUnsafeBytes { bytes in
        _ = NavPOSLLH(payload: bytes)
        _ = NavSOL(payload: bytes)?.utc(leapSeconds: 18)
        _ = NavVELNED(payload: bytes)
        _ = NavTIMEUTC(payload: bytes)
        _ = NavTIMELS(payload: bytes)
        _ = CASICNavPV(payload: bytes)?.kind
        _ = CASICNavTIMEUTC(payload: bytes)
        if let message = NavSAT(payload: bytes) {
          for index in 0..<message.numSvs { _ = message.satellite(index) }
        }
        if let message = NavSVINFO(payload: bytes) {
          for index in 0..<message.numCh { _ = message.satellite(index) }
        }
      }
    }
  }
}
