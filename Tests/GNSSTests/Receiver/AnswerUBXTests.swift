import Quantities
import Testing
@testable import GNSSProtocol

/// Answers in UBX and CASIC frames.
@Suite struct AnswerUBXTests {
  @Test(arguments: [(0x05 as UInt8, 0x01 as UInt8, true), (0x05, 0x00, false)])
  func acknowledgementsNameTheirMessage(type: UInt8, id: UInt8, accepted: Bool) {
    #expect(answer(type, id, [0x06, 0x08]) == .acknowledge(class: 0x06, id: 0x08, accepted: accepted))
    let payload: [UInt8] = [0x06, 0x01]
    #expect(
      payload.withUnsafeBytes { ReceiverAnswer(casicClass: type, id: id, payload: $0) }
        == .casic(class: 0x06, id: 0x01, accepted: accepted))
    #expect(answer(type, id, [0x06]) == nil)
  }

  struct Version: Sendable, CustomTestStringConvertible {
    let software: String, hardware: String, extensions: [String]
    let identity: ReceiverIdentity
    var testDescription: String { software }
  }

  static let versions = [
    Version(
      software: "ROM SPG 5.10 (7b202e)", hardware: "000A0000",
      extensions: ["FWVER=SPG 5.10", "PROTVER=34.10", "MOD=MAX-M10S", "GPS;GLO;GAL;BDS"],
      identity: .init(
        family: .ubloxKeys, protocolVersion: 3410, module: "MAX-M10S", firmware: "SPG 5.10",
        hardware: "000A0000")),
    Version(
      software: "EXT CORE 1.00 (3fda8e)", hardware: "00190000",
      extensions: ["ROM BASE 0x118B2060", "FWVER=HPG 1.32", "PROTVER=27.31", "MOD=ZED-F9P"],
      identity: .init(
        family: .ubloxKeys, protocolVersion: 2731, module: "ZED-F9P", firmware: "HPG 1.32",
        hardware: "00190000")),
    Version(
      software: "1.00 (59842)", hardware: "00070000", extensions: ["PROTVER 14.00", "GPS;SBAS;GLO;QZSS"],
      identity: .init(
        family: .ubloxMessages, protocolVersion: 1400, firmware: "1.00 (59842)", hardware: "00070000")),
    Version(
      software: "7.03 (45969)", hardware: "00040007", extensions: [],
      identity: .init(family: .ubloxMessages, firmware: "7.03 (45969)", hardware: "00040007")),
    Version(
      software: "2.01 (75331)", hardware: "00080000", extensions: ["PROTVER=nonsense"],
      identity: .init(
        family: .ubloxMessages, protocolVersion: 1500, firmware: "2.01 (75331)", hardware: "00080000")),
    Version(
      software: "", hardware: "", extensions: [], identity: .init(family: .ubloxMessages)),
  ]

  @Test(arguments: versions)
  func aReceiverIsIdentifiedByItsVersion(_ version: Version) {
    var payload = padded(version.software, 30) + padded(version.hardware, 10)
    for line in version.extensions { payload += padded(line, 30) }
    #expect(answer(0x0A, 0x04, payload) == .version(version.identity))
    // An incomplete extension is ignored.
    #expect(answer(0x0A, 0x04, payload + [0x50, 0x52]) == .version(version.identity))
  }

  @Test(
    arguments: [
      ("34.10", 3410), ("18.00", 1800), ("18", 1800), ("15.1", 1510), ("34.100", nil), ("", nil), (".5", nil),
      ("5.", 500), ("100", nil), ("1.2.3", nil), ("-1", nil),
    ] as [(String, Int?)])
  func aProtocolVersionIsTwoNumbers(text: String, expected: Int?) {
    #expect(MonVer.hundredths(text) == expected)
  }

  @Test func timesSinceTheStartAreInMilliseconds() {
    var payload = [UInt8](repeating: 0, count: 16)
    payload.replaceSubrange(8..<12, with: [0x10, 0x27, 0, 0])
    payload.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(answer(0x01, 0x03, payload) == .sinceStart(timeToFirstFix: 10_000, uptime: .max))
  }

  /// spoofDetState is between psmState and carrSoln.
  @Test(arguments: [
    (0b0000_0000 as UInt8, SpoofingState.unknown), (0b0000_1000, .ok), (0b1001_0011, .indicated),
    (0b0001_1000, .multiple), (0b1110_0111, .unknown),
  ])
  func theStatusHoldsTheSpoofingIndicator(flags2: UInt8, expected: SpoofingState) {
    var payload = [UInt8](repeating: 0, count: 16)
    payload[7] = flags2
    let answers = all(0x01, 0x03, payload)
    #expect(answers == [.sinceStart(timeToFirstFix: 0, uptime: 0), .spoofing(expected)])
  }

  @Test(arguments: [
    (2 as UInt8, 0b0100 as UInt8, AntennaState.ok, JammingState.ok), (4, 0b1100, .open, .critical),
    (3, 0b1000, .short, .warning), (1, 0b0100, .unknown, .ok), (9, 0b1_0000, .unknown, .unknown),
  ])
  func hardwareMessagesHoldAntennaAndJamming(
    status: UInt8, flags: UInt8, antenna: AntennaState, jamming: JammingState
  ) {
    for length in [60, 68] {
      var payload = [UInt8](repeating: 0, count: length)
      payload[20] = status
      payload[22] = flags
      #expect(all(0x0A, 0x09, payload) == [.antenna(antenna), .jamming(jamming)])
      #expect(answer(0x0A, 0x09, payload) == (antenna == .unknown ? .jamming(jamming) : .antenna(antenna)))
    }
  }

  @Test func theWorstRFPathCounts() {
    var payload = [UInt8](repeating: 0, count: 52)
    payload[1] = 2
    payload[5] = 1
    payload[6] = 2
    payload[29] = 3
    payload[30] = 4
    #expect(all(0x0A, 0x38, payload) == [.antenna(.open), .jamming(.critical)])
    // A block that is announced but missing is not read.
    #expect(all(0x0A, 0x38, Array(payload[..<51])) == [.antenna(.ok), .jamming(.ok)])
    #expect(all(0x0A, 0x38, [0, 255, 0, 0]) == [])
  }

  @Test func savedStateAndAidingAreAnswered() {
    #expect(answer(0x09, 0x14, [2, 0, 0, 0, 1, 0, 0, 0]) == .savedState(command: 2, response: 1))
    #expect(answer(0x09, 0x14, [3, 0, 0, 0, 2, 0, 0, 0]) == .savedState(command: 3, response: 2))
    #expect(answer(0x13, 0x60, [1, 0, 0, 0x40, 0x10, 0, 0, 0]) == .aiding(id: 0x40, accepted: true))
    #expect(answer(0x13, 0x60, [0, 0, 6, 0x40, 0x10, 0, 0, 0]) == .aiding(id: 0x40, accepted: false))
  }

  @Test func casicReportsItsVersion() {
    let payload = padded("URANUS5,V5.3.0.0", 32) + padded("AT6558R", 32)
    let expected = ReceiverIdentity(family: .casic, firmware: "URANUS5,V5.3.0.0", hardware: "AT6558R")
    #expect(
      payload.withUnsafeBytes { ReceiverAnswer(casicClass: 0x0A, id: 0x04, payload: $0) }
        == .version(expected))
  }

  @Test(arguments: 0..<100)
  func payloadsOfAnyLengthAreAccepted(length: Int) {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151) }
    for type in UInt8(0)...0x15 {
      for id in UInt8(0)...0x65 {
        _ = answer(type, id, payload)
        _ = payload.withUnsafeBytes { ReceiverAnswer(casicClass: type, id: id, payload: $0) }
      }
    }
  }

  private func answer(_ type: UInt8, _ id: UInt8, _ payload: [UInt8]) -> ReceiverAnswer? {
    payload.withUnsafeBytes { ReceiverAnswer(class: type, id: id, payload: $0) }
  }

  private func all(_ type: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [ReceiverAnswer] {
    var answers: [ReceiverAnswer] = []
    payload.withUnsafeBytes { ReceiverAnswer.each(class: type, id: id, payload: $0) { answers.append($0) } }
    return answers
  }

  private func padded(_ text: String, _ length: Int) -> [UInt8] {
    Array((Array(text.utf8) + [UInt8](repeating: 0, count: length)).prefix(length))
  }
}
