import GNSSProtocol
import Quantities
import Testing

/// The fix from a single sentence, or from a few of one epoch.
@Suite struct SentenceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let kind: FixKind
    init(_ name: String, _ text: String, _ kind: FixKind) {
      self.name = name
      self.text = text
      self.kind = kind
    }
    var testDescription: String { name }
  }

  static let kinds = [
    Case("RMC A", "GPRMC,101112.00,A,5000.00000,N,01000.00000,E,1.0,90.0,010326,,,A", .twoDimensional),
    Case("RMC without mode", "GPRMC,101112,A,5000.0,N,01000.0,E,1.0,90.0,010326,,", .twoDimensional),
    Case(
      "navigational status V is ignored", "GNRMC,101112.00,A,5000.0,N,01000.0,E,,,010326,,,A,V",
      .twoDimensional),
    Case("RMC V with filled fields", "GPRMC,101112.00,V,5000.0,N,01000.0,E,1.0,90.0,010326,,,A", .none),
    Case("RMC A with mode N", "GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,N", .none),
    Case("RMC A simulated", "GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,S", .none),
    Case("RMC A with mode E", "GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,E", .deadReckoning),
    Case("RMC V with mode E", "GPRMC,101112.00,V,5000.0,N,01000.0,E,1.0,90.0,010326,,,E", .none),
    Case("RMC differential", "GNRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,D", .differential),
    Case("RMC fixed", "GNRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,R", .realTimeKinematicFixed),
    Case("RMC without hemisphere", "GPRMC,101112.00,A,5000.0,,01000.0,E,1.0,90.0,010326,,,A", .none),
    Case("RMC beyond the pole", "GPRMC,101112.00,A,9000.1,N,01000.0,E,1.0,90.0,010326,,,A", .none),
    Case(
      "minutes rounded up to 60", "GPRMC,101112.00,A,4960.00000,N,01000.0,E,1.0,90.0,010326,,,A",
      .twoDimensional),
    Case("GGA 1", "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,,", .threeDimensional),
    Case("GGA 0", "GPGGA,101112.00,5000.0,N,01000.0,E,0,00,99.99,120.0,M,45.0,M,,", .none),
    Case("GGA 0 at 0,0", "GPGGA,101112.00,0000.0000,N,00000.0000,E,0,00,,,M,,M,,", .none),
    Case("GGA 2", "GPGGA,101112.00,5000.0,N,01000.0,E,2,08,1.1,120.0,M,45.0,M,,", .differential),
    Case("GGA 4", "GPGGA,101112.00,5000.0,N,01000.0,E,4,08,1.1,120.0,M,45.0,M,,", .realTimeKinematicFixed),
    Case("GGA 5", "GPGGA,101112.00,5000.0,N,01000.0,E,5,08,1.1,120.0,M,45.0,M,,", .realTimeKinematicFloat),
    Case("GGA 6 alone", "GPGGA,101112.00,5000.0,N,01000.0,E,6,08,1.1,120.0,M,45.0,M,,", .none),
    Case("GGA 7", "GPGGA,101112.00,5000.0,N,01000.0,E,7,08,1.1,120.0,M,45.0,M,,", .none),
    Case("GGA 8", "GPGGA,101112.00,5000.0,N,01000.0,E,8,08,1.1,120.0,M,45.0,M,,", .none),
    Case("GGA without quality", "GPGGA,101112.00,5000.0,N,01000.0,E,,08,1.1,120.0,M,45.0,M,,", .none),
    Case("GGA without altitude", "GPGGA,101112.00,5000.0,N,01000.0,E,1,03,1.1,,,,,,", .twoDimensional),
    Case(
      "GGA 1 beside RMC V",
      "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,, GPRMC,101112.00,V,,,,,,,010326,,,N", .none
    ),
    Case(
      "GGA 6 beside RMC A",
      "GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,E GPGGA,101112.00,5000.0,N,01000.0,E,6,08,1.1,120.0,M,45.0,M,,",
      .deadReckoning),
    Case(
      "GGA 1, GSA 1",
      "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,, GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
      .none),
    Case(
      "GGA 1, GSA 1 of one system",
      "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,, GNGSA,A,1,,,,,,,,,,,,,,, GNGSA,A,3,01,,,,,,,,,,,,2.0,1.1,1.6",
      .threeDimensional),
    Case(
      "GGA 1, GSA 2",
      "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,, GPGSA,A,2,01,,,,,,,,,,,,2.0,1.1,1.6",
      .twoDimensional),
    Case("GNS", "GNGNS,101112.00,5000.0,N,01000.0,E,NAN,08,1.1,120.0,45.0,,,V", .threeDimensional),
    Case(
      "GNS best of its systems", "GNGNS,101112.00,5000.0,N,01000.0,E,ADRN,08,1.1,120.0,45.0,,",
      .realTimeKinematicFixed),
    Case("GNS without solution", "GNGNS,101112.00,5000.0,N,01000.0,E,NNN,08,1.1,120.0,45.0,,", .none),
    Case("GNS estimated", "GNGNS,101112.00,5000.0,N,01000.0,E,EN,08,1.1,120.0,45.0,,", .none),
    Case("GLL", "GPGLL,5000.0,N,01000.0,E,101112.00,A,A", .twoDimensional),
    Case("GLL V", "GPGLL,5000.0,N,01000.0,E,101112.00,V,N", .none),
    Case(
      "GN overrules GP",
      "GPGGA,101112.00,,,,,0,00,,,,,,, GNRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A",
      .twoDimensional),
    Case("time only", "GPZDA,101112.00,01,03,2026,00,00", .none),
  ]

  @Test(arguments: kinds)
  func onlyPositionsMarkedAsValidAreFixes(_ example: Case) throws {
    let fixes = decode(sentences(example.text))
    let fix = try #require(fixes.first)
    #expect(fixes.count == 1)
    #expect(fix.kind == example.kind)
    #expect(fix.millisecondOfDay == 36_672_000)
    #expect((fix.latitude == nil) == (example.kind == .none))
    if example.kind != .none {
      #expect(fix.latitude == 50)
      #expect(fix.longitude == 10)
    } else {
      #expect(fix.altitude == nil && fix.speed == nil && fix.horizontalAccuracy == nil)
    }
  }

  @Test(arguments: [
    "GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,,,,M,,M,,", "GPGLL,,,,,,V,N", "GPVTG,,T,,M,,N,,K,N",
    "GPGSA,A,1,,,,,,,,,,,,,,,", "GPRMC,256199.00,V,,,,,,,,,,N", "GPRMC", "GPGGA,", "GPGLL,5000.0,N,01000.0,E",
    "SDRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A", "PUBX,04,101112.00", "GPXYZ,101112.00",
  ])
  func withoutTimeAndPositionThereIsNoEpoch(_ text: String) {
    #expect(decode(sentence(text)).isEmpty)
  }

  @Test func aFullEpochFillsTheFix() throws {
    let fix = try #require(
      decode(
        sentences(
          """
          GNRMC,101112.250,A,5012.345678,N,00959.999999,W,10.0,360.0,010326,,,D,V GNVTG,10.0,T,,M,9.9,N,18.5,K,D \
          GNGGA,101112.250,5012.345678,N,00959.999999,W,2,12,0.57,81.3,M,-29.5,M,,0000 \
          GNGSA,A,3,29,20,,,,,,,,,,,1.03,0.57,0.86,1 GNGST,101112.250,869,2.5,2.3,144,3.0,4.0,6.0
          """)
      ).first)
    #expect(fix.time == "2026-03-01T10:11:12.250Z")
    #expect(fix.kind == .differential)
    #expect(abs((fix.latitude ?? 0) - 50.2057613) < 1e-9)
    #expect(abs((fix.longitude ?? 0) + 9.99999998333) < 1e-9)
    #expect(fix.altitude == 81.3)
    #expect(abs((fix.ellipsoidHeight ?? 0) - 51.8) < 1e-9)
    #expect(abs((fix.speed ?? 0) - 5.14444) < 1e-5)
    #expect(fix.course == 0)
    #expect(fix.climb == nil)
    #expect(fix.horizontalAccuracy == 5 && fix.verticalAccuracy == 6 && fix.accuracySource == .errorEllipse)
    #expect(fix.horizontalDilution == 0.57 && fix.verticalDilution == 0.86 && fix.positionDilution == 1.03)
    #expect(fix.satellitesUsed == 12)
    #expect(fix.speedAccuracy == nil && fix.courseAccuracy == nil)
  }

  @Test func emptyCourseAndSpeedAreAbsentNotZero() {
    let fix = decode(sentence("GNRMC,101112.00,A,5000.0,N,01000.0,E,,,010326,,,A")).first
    #expect(fix?.kind == .twoDimensional && fix?.speed == nil && fix?.course == nil)
    let slow = decode(sentence("GNRMC,101112.00,A,5000.0,N,01000.0,E,0.041,,010326,,,A")).first
    #expect(slow?.speed != nil && slow?.course == nil)
  }

  struct Speed: Sendable {
    let text: String, speed: Double?, course: Double?
  }

  @Test(arguments: [
    Speed(text: "GPVTG,90.5,T,,M,10.0,N,18.5,K,A", speed: 5.144_444, course: 90.5),
    Speed(text: "GPVTG,90.5,T,,M,,N,36.0,K,A", speed: 10, course: 90.5),
    Speed(text: "GPVTG,054.7,034.4,010.0,018.5", speed: 5.144_444, course: 54.7),
    Speed(text: "GPVTG,90.5,T,,M,10.0,N,18.5,K,N", speed: nil, course: nil),
    Speed(text: "GPVTG,,T,,M,0.0,N,0.0,K,A", speed: 0, course: nil),
    Speed(text: "GPVTG,,,,,,,,,N", speed: nil, course: nil),
    Speed(text: "GPVTG,400.0,T,,M,10.0,N,18.5,K,A", speed: 5.144_444, course: nil),
  ])
  func speedComesFromVTGWithoutRMC(_ speed: Speed) throws {
    let position = "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,,"
    let fix = try #require(decode(sentences("\(position) \(speed.text)")).first)
    #expect(fix.course == speed.course)
    #expect((fix.speed == nil) == (speed.speed == nil))
    #expect(abs((fix.speed ?? 0) - (speed.speed ?? 0)) < 1e-6)
  }

  struct Figure: Sendable {
    let name: String, text: String, horizontal: Double?, vertical: Double?, source: AccuracySource
  }

  static let plain = "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,2.0,120.0,M,45.0,M,,"

  static let figures = [
    Figure(name: "HDOP", text: plain, horizontal: 10, vertical: 16, source: .dilution),
    Figure(
      name: "with VDOP", text: "\(plain) GPGSA,A,3,,,,,,,,,,,,,3.6,2.0,3.0", horizontal: 10, vertical: 15,
      source: .dilution),
    Figure(
      name: "differential", text: "GPGGA,101112.00,5000.0,N,01000.0,E,2,08,2.0,120.0,M,45.0,M,,",
      horizontal: 5,
      vertical: 8, source: .dilution),
    Figure(
      name: "unknown HDOP", text: "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,99.99,120.0,M,45.0,M,,",
      horizontal: nil, vertical: nil, source: .none),
    Figure(
      name: "zero HDOP", text: "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,0.0,120.0,M,45.0,M,,",
      horizontal: nil,
      vertical: nil, source: .none),
    Figure(
      name: "GST", text: "\(plain) GPGST,101112.00,1,,,,0.3,0.4,0.7", horizontal: 0.5, vertical: 0.7,
      source: .errorEllipse),
    Figure(
      name: "GST of a receiver without an estimate",
      text: "\(plain) GPGST,101112.00,1,,,,3750883,3750883,3750883", horizontal: 10, vertical: 16,
      source: .dilution),
    Figure(
      name: "empty GST", text: "\(plain) GPGST,101112.00,,,,,,,", horizontal: 10, vertical: 16,
      source: .dilution),
  ]

  @Test(arguments: figures)
  func accuracyIsOneFigureForAllSources(_ figure: Figure) throws {
    let fix = try #require(decode(sentences(figure.text)).first)
    #expect(fix.accuracySource == figure.source)
    #expect((fix.horizontalAccuracy == nil) == (figure.horizontal == nil))
    #expect(abs((fix.horizontalAccuracy ?? 0) - (figure.horizontal ?? 0)) < 1e-9)
    #expect(abs((fix.verticalAccuracy ?? 0) - (figure.vertical ?? 0)) < 1e-9)
  }
}
