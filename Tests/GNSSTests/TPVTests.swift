import Foundation
import GNSSProtocol
import GNSSReport
import Quantities
import Testing

@Suite struct TPVTests {
  static func line(_ fix: Fix) -> String {
    var text: [UInt8] = []
    TPV.append(fix, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func unknownKeysAreAbsent() {
    #expect(Self.line(Fix()) == #"{"class":"TPV","mode":1}"# + "\n")
  }

  @Test func everyValueHasItsKeyAndUnit() throws {
    let fix = try #require(decode(PVT().frame).first)
    #expect(
      Self.line(fix)
        == #"{"class":"TPV","mode":3,"time":"2025-04-11T23:14:08.000Z","lat":45.065772000,"lon":7.659061300,"#
        + #""altHAE":304.6390,"altMSL":257.4040,"alt":257.4040,"epv":2.500,"track":190.0427,"speed":1.234,"#
        + #""climb":0.250,"eps":0.200,"epd":5.0000,"eph":1.500}"# + "\n")
  }

  @Test func negativeFractionsKeepTheirSign() throws {
    var fix = Fix()
    (fix.kind, fix.latitude, fix.longitude, fix.altitude) = (.twoDimensional, -0.0000001, -122.5, nil)
    fix.climb = -0.25
    #expect(Self.line(fix).contains(#""lat":-0.000000100,"lon":-122.500000000,"climb":-0.250"#))
    #expect(try JSONSerialization.jsonObject(with: Data(Self.line(fix).utf8)) is [String: Any])
  }

  @Test(arguments: [
    (FixKind.none, 1, Int?.none), (.twoDimensional, 2, nil), (.threeDimensional, 3, nil),
    (.differential, 2, 2),
    (.realTimeKinematicFixed, 2, 3), (.realTimeKinematicFloat, 2, 4), (.deadReckoning, 2, 5),
  ])
  func kindsAreModeAndStatus(kind: FixKind, mode: Int, status: Int?) {
    var fix = Fix()
    fix.kind = kind
    let expected = status.map { #","status":\#($0)"# } ?? ""
    #expect(Self.line(fix) == #"{"class":"TPV"\#(expected),"mode":\#(mode)}"# + "\n")
  }

  @Test func valuesThatAreNotNumbersAreAbsent() {
    var fix = Fix()
    (fix.speed, fix.course, fix.altitude) = (.nan, .infinity, 1e300)
    #expect(Self.line(fix) == #"{"class":"TPV","mode":1}"# + "\n")
  }
}
