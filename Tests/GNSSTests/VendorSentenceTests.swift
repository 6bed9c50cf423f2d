import Quantities
import Testing
@testable import GNSSProtocol

@Suite struct VendorSentenceTests {
  static func read<Message>(_ body: String, _ message: (VendorSentence?, inout SentenceFields) -> Message)
    -> Message
  {
    body.withFields { fields in message(VendorSentence(&fields), &fields) }
  }

  @Test(
    arguments: [
      ("PUBX,00,1", .pubx00), ("PUBX,04,1", nil), ("PUBX", nil), ("PQGSV,1", .pqgsv), ("PQGSA,A", .pqgsa),
      ("PQTMEPE,2", .pqtmepe), ("PSTI,030,", .psti030), ("PSTI,032", nil), ("PMTK001,1", nil), ("P", nil),
      ("", nil), ("PQGSVX", nil),
    ] as [(String, VendorSentence?)])
  func sentencesAreRecognisedByTheirNames(body: String, kind: VendorSentence?) {
    #expect(Self.read(body) { kind, _ in kind } == kind)
  }

  @Test func thePositionOfUBloxHasItsErrors() throws {
    let message = Self.read(
      "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,3.6,77.52,0.007,,0.92,1.19,0.77,9,0,0"
    ) { _, fields in PUBX00(&fields) }
    #expect(message.time?.millisecond == 29_630_000)
    #expect(message.fixStatus.validity == .valid && message.fixStatus.kind == .threeDimensional)
    #expect(abs((message.position?.latitude ?? 0) - 47.2852201667) < 1e-9)
    #expect((message.altitude, message.horizontalAccuracy, message.verticalAccuracy) == (546.589, 2.1, 2.0))
    #expect((message.velocity?.speed, message.velocity?.course, message.climb) == (1, 77.52, -0.007))
    #expect((message.horizontalDilution, message.verticalDilution, message.satellites) == (0.92, 1.19, 9))
  }

  @Test(
    arguments: [
      ("G3", FixKind.threeDimensional, 546.589, 2.0), ("D3", .differential, 546.589, 2.0),
      ("G2", .twoDimensional, nil, nil), ("D2", .differential, nil, nil),
    ] as [(String, FixKind, Double?, Double?)])
  func theEllipsoidalHeightNeedsNoOtherSentence(
    status: String, kind: FixKind, height: Double?, accuracy: Double?
  ) throws {
    let body = "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,"
    let fix = try #require(
      decode(sentence(body + status + ",2.1,2.0,3.6,77.52,0.007,,0.92,1.19,0.77,9,0,0")).first)
    #expect(fix.kind == kind && fix.altitude == nil)
    #expect(fix.ellipsoidHeight == height && fix.verticalAccuracy == accuracy)
  }

  @Test(
    arguments: [
      ("NF", Validity.invalid, nil), ("DR", .invalid, nil), ("TT", .invalid, nil),
      ("G2", .valid, .twoDimensional),
      ("D2", .valid, .differential), ("D3", .valid, .differential), ("RK", .valid, .deadReckoning),
      ("", .invalid, nil),
    ] as [(String, Validity, FixKind?)])
  func theStatusOfUBloxDecides(status: String, validity: Validity, kind: FixKind?) {
    let fixStatus = Self.read("PUBX,00,081350.00,,,,,,\(status),5303302,3750001") { _, fields in
      PUBX00(&fields)
    }.fixStatus
    #expect(fixStatus.validity == validity && fixStatus.kind == kind)
  }

  @Test func errorsWithoutAFixAreAbsent() {
    let message = Self.read(
      "PUBX,00,081350.00,0000.00000,N,00000.00000,E,0.000,NF,5303302,3750001,0.000,0.00"
    ) { _, fields in PUBX00(&fields) }
    #expect(message.horizontalAccuracy == nil && message.verticalAccuracy == nil)
  }

  @Test(
    arguments: [
      ("PQTMEPE,2,1.6247,1.6247,4.0980,2.2977,4.6982", 2.2977, 4.098), ("PQTMEPE,2,,,,,", nil, nil),
      ("PQTMEPE,1,1,1,4,2,4", nil, nil), ("PQTMEPE", nil, nil), ("PQTMEPE,2,1,1,99999,2.5", 2.5, nil),
    ] as [(String, Double?, Double?)])
  func theErrorsOfQuectelAreInMetres(body: String, horizontal: Double?, vertical: Double?) {
    let message = Self.read(body) { _, fields in PQTMEPE(&fields) }
    #expect((message.horizontalAccuracy, message.verticalAccuracy) == (horizontal, vertical))
  }

  @Test(
    arguments: [
      (
        "PSTI,030,213121.000,A,4404.1295864,N,12118.8685453,W,1102.537,-0.01,0.01,0.03,070416,D,0.0,0.0",
        0.03, nil,
        nil
      ),
      (
        "PSTI,030,033010.000,A,2447.0895508,N,12100.5234656,E,94.615,0.00,-0.01,-0.04,111219,R,0.9,98.8",
        -0.04,
        0.9, 98.8
      ),
      ("PSTI,030,033010.000,V,,,,,,,,0.5,111219,N,,", nil, nil, nil),
    ] as [(String, Double?, Double?, Double?)])
  func skyTraqReportsClimbAndRTK(body: String, climb: Double?, age: Double?, ratio: Double?) {
    let message = Self.read(body) { _, fields in PSTI030(&fields) }
    #expect((message.climb, message.correctionAge, message.ambiguityRatio) == (climb, age, ratio))
  }

  @Test(
    arguments: [
      ("GNGBS,223745.00,3.0,4.0,3.1,,,,,,", 81_465_000, 3.0, 3.1),
      ("GNGBS,223745.00,,,,", 81_465_000, nil, nil),
      ("GNGBS", nil, nil, nil),
    ] as [(String, Int32?, Double?, Double?)])
  func expectedErrorsAreDecoded(body: String, time: Int32?, latitude: Double?, altitude: Double?) {
    body.withFields { fields in
      fields.skip(1)
      let message = GBS(&fields, talker: .combined)
      #expect(message.time?.millisecond == time)
      #expect((message.ellipse?.latitude, message.ellipse?.altitude) == (latitude, altitude))
    }
  }
}

extension String {
  /// Parses the text of a sentence, address first, with readable bytes after it.
  func withFields<Result>(_ read: (inout SentenceFields) -> Result) -> Result {
    let count = utf8.count
    return (Array(utf8) + Array(",,,,,,,,".utf8)).withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress else { preconditionFailure() }
      var fields = SentenceFields(text: text, body: 0..<count)
      return read(&fields)
    }
  }
}
