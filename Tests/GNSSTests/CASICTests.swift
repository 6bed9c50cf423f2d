import Quantities
import Testing
@testable import GNSSProtocol

@Suite struct CASICTests {
  static let position = Payload(80).putting(UInt32(285_299_973), at: 0).putting(UInt8(7), at: 4)
    .putting(UInt8(7), at: 5).putting(UInt8(17), at: 7).putting(Float(1.25), at: 12)
    .putting(-122.32636281504581, at: 16).putting(47.66195905333258, at: 24).putting(Float(55.5), at: 32)
    .putting(Float(-21.5), at: 36).putting(Float(2.25), at: 40).putting(Float(6.25), at: 44)
    .putting(Float(0.5), at: 56).putting(Float(3.5), at: 64).putting(Float(-90), at: 68)
    .putting(Float(0.04), at: 72).putting(Float(1_000_000), at: 76)

  @Test func accuraciesAreSquareRootsOfVariances() throws {
    let message = try #require(Self.position.read(CASICNavPV.init))
    #expect(message.position == Position(latitude: 47.66195905333258, longitude: -122.32636281504581))
    #expect((message.hAcc, message.vAcc) == (1.5, 2.5))
    #expect(abs((message.sAcc ?? 0) - 0.2) < 1e-6)
    #expect(message.cAcc == nil, "1000 degrees")
    #expect((message.height, message.separation) == (55.5, -21.5))
    #expect((message.speed, message.climb, message.heading) == (3.5, 0.5, 270))
    #expect((message.numSV, message.pDOP, message.kind) == (17, 1.25, .threeDimensional))
    #expect(message.isVelocityValid)
  }

  @Test func zeroMeansNotComputed() {
    let message = Self.position.putting(Float(0), at: 40).putting(Float(-1), at: 44).read(CASICNavPV.init)
    #expect(message?.hAcc == nil && message?.vAcc == nil)
  }

  @Test func aMissingCourseErrorIsDerivedFromTheSpeed() throws {
    let payload = Self.position.putting(Float(0), at: 76)
    let error = try #require(payload.read(CASICNavPV.init)?.cAcc)
    #expect(abs(error - 3.2705) < 1e-3)
    #expect(payload.putting(Float(0.49), at: 64).read(CASICNavPV.init)?.cAcc == nil)
    #expect(payload.putting(Float(0), at: 72).read(CASICNavPV.init)?.cAcc == nil)
  }

  @Test(arguments: [
    (UInt8(0), FixKind.none), (1, .none), (2, .none), (3, .none), (4, .none), (5, .threeDimensional),
    (6, .twoDimensional), (7, .threeDimensional), (8, .deadReckoning), (9, .none), (255, .none),
  ])
  func onlyACurrentPositionIsAFix(posValid: UInt8, kind: FixKind) {
    #expect(Self.position.putting(posValid, at: 4).read(CASICNavPV.init)?.kind == kind)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func valuesThatAreNotNumbersAreAbsent(value: Float) throws {
    var payload = Self.position
    for offset in [12, 32, 36, 40, 44, 56, 64, 68, 72, 76] { payload = payload.putting(value, at: offset) }
    payload = payload.putting(Double(value), at: 24)
    let message = try #require(payload.read(CASICNavPV.init))
    #expect(message.kind == .none)
    #expect([message.height, message.separation, message.climb, message.speed].allSatisfy { $0 == nil })
    #expect(
      [message.hAcc, message.vAcc, message.sAcc, message.cAcc, message.heading].allSatisfy { $0 == nil })
  }

  @Test(arguments: [91, -90.001, 1e300])
  func positionsOutsideTheRangeAreAbsent(latitude: Double) {
    #expect(Self.position.putting(latitude, at: 24).read(CASICNavPV.init)?.position == nil)
  }

  static func time(_ year: UInt16, _ remainder: [UInt8], millisecond: UInt16 = 0) -> Payload {
    var payload = Payload(24).putting(millisecond, at: 12).putting(year, at: 14)
    payload.bytes.replaceSubrange(16...23, with: remainder)
    return payload
  }

  @Test(
    arguments: [
      (time(2026, [8, 6, 7, 15, 51, 7, 0, 3], millisecond: 250), "2026-08-06T07:15:51.250Z", true, true),
      (time(2026, [8, 6, 7, 15, 51, 0, 0, 0]), "2026-08-06T07:15:51.000Z", false, false),
      (time(2026, [8, 6, 7, 15, 51, 1, 0, 1], millisecond: 1000), nil, true, true),
      (time(2026, [13, 6, 7, 15, 51, 1, 0, 1]), nil, true, true),
    ] as [(Payload, String?, Bool, Bool)])
  func theTimeIsDecoded(payload: Payload, time: String?, isTimeValid: Bool, isDateValid: Bool) throws {
    let message = try #require(payload.read(CASICNavTIMEUTC.init))
    #expect(message.utc?.iso8601(fraction: .milliseconds) == time)
    #expect((message.isTimeValid, message.isDateValid) == (isTimeValid, isDateValid))
  }
}
