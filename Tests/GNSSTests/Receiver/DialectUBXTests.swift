import Quantities
import Testing
import GNSSProtocol
@testable import GNSSReceiver

/// Complete frames as in the protocol documents.
@Suite struct DialectUBXTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let made: [UInt8]
    let printed: String
    var testDescription: String { name }

    init(_ name: String, _ made: [UInt8], _ printed: String) {
      self.name = name
      self.made = made
      self.printed = printed
    }
  }

  static let m8 = UBloxMessagesDialect(identity: .init(family: .ubloxMessages, protocolVersion: 1800))
  static let m10 = UBloxKeysDialect(identity: .init(family: .ubloxKeys, protocolVersion: 3410))

  static let frames = [
    Case("MON-VER poll", UBX.version.bytes, "B5 62 0A 04 00 00 0E 34"),
    Case(
      "CFG-PRT 115200", CFG.port(baud: 115_200, output: .ubx).bytes,
      "B5 62 06 00 14 00 01 00 00 00 C0 08 00 00 00 C2 01 00 03 00 01 00 00 00 00 00 AA 52"),
    Case("CFG-RATE 1 Hz", CFG.rate(1000).bytes, "B5 62 06 08 06 00 E8 03 01 00 01 00 01 39"),
    Case("NAV-PVT on", CFG.message(.pvt, every: 1).bytes, "B5 62 06 01 03 00 01 07 01 13 51"),
    Case("GSV off", CFG.message(.gsv, every: 0).bytes, "B5 62 06 01 03 00 F0 03 00 FD 15"),
    Case(
      "CFG-NAV5 automotive", CFG.navigation(UBX.model(.automotive)).bytes,
      "B5 62 06 24 24 00 01 00 04 03" + String(repeating: " 00", count: 32) + " 56 D3"),
    Case("CFG-RXM on", CFG.receiver(saving: true).bytes, "B5 62 06 11 02 00 08 01 22 92"),
    Case("CFG-RXM off", CFG.receiver(saving: false).bytes, "B5 62 06 11 02 00 08 00 21 91"),
    Case(
      "CFG-PMS full", CFG.powerSetUp(.full).bytes, "B5 62 06 86 08 00 00 00 00 00 00 00 00 00 94 5A"),
    Case(
      "CFG-PMS once a minute", CFG.powerSetUp(.interval(period: 60, onTime: 10)).bytes,
      "B5 62 06 86 08 00 00 02 3C 00 0A 00 00 00 DC F8"),
    Case("hot", UBX.restart(.hot).bytes, "B5 62 06 04 04 00 00 00 02 00 10 68"),
    Case("warm", UBX.restart(.warm).bytes, "B5 62 06 04 04 00 01 00 02 00 11 6C"),
    Case("cold", UBX.restart(.cold).bytes, "B5 62 06 04 04 00 FF FF 02 00 0E 61"),
    Case("stop", UBX.reset(.stop).bytes, "B5 62 06 04 04 00 00 00 08 00 16 74"),
    Case("start", UBX.reset(.start).bytes, "B5 62 06 04 04 00 00 00 09 00 17 76"),
    Case(
      "PMREQ until woken", asleep(m8, nil), "B5 62 02 41 08 00 00 00 00 00 02 00 00 00 4D 3B"),
    Case(
      "PMREQ for 60 s", asleep(m8, .seconds(60)), "B5 62 02 41 08 00 60 EA 00 00 02 00 00 00 97 A1"),
    Case(
      "PMREQ until an edge", asleep(m10, nil),
      "B5 62 02 41 10 00 00 00 00 00 00 00 00 00 06 00 00 00 28 00 00 00 81 EB"),
    Case(
      "VALSET 1 Hz", ValSet.bytes([(ConfigurationKey.rateMeas, 1000)], layers: .ram),
      "B5 62 06 8A 0A 00 00 01 00 00 01 00 21 30 E8 03 D8 C4"),
    Case(
      "VALSET 115200", m10.speed(115_200)?.bytes ?? [],
      "B5 62 06 8A 0C 00 00 01 00 00 01 00 52 40 00 C2 01 00 F3 A5"),
    Case(
      "VALSET NAV-PVT instead of NMEA",
      ValSet.bytes(
        [
          (ConfigurationKey.uart1OutUBX, 1), (ConfigurationKey.uart1OutNMEA, 0),
          (ConfigurationKey.pvtUART1, 1),
        ], layers: .ram),
      "B5 62 06 8A 13 00 00 01 00 00 01 00 74 10 01 02 00 74 10 00 07 00 91 20 01 69 00"),
    Case(
      "VALSET automotive",
      ValSet.bytes([(ConfigurationKey.dynModel, 4)], layers: [.ram, .batteryBacked]),
      "B5 62 06 8A 09 00 00 03 00 00 21 00 11 20 04 F2 5D"),
    Case(
      "UPD-SOS save", UBX.saveState.last?.bytes ?? [], "B5 62 09 14 04 00 00 00 00 00 21 EC"),
    Case("UPD-SOS clear", UBX.clearSavedState.bytes, "B5 62 09 14 04 00 01 00 00 00 22 F0"),
  ]

  @Test(arguments: frames)
  func commandFramesMatchTheDocuments(_ frame: Case) {
    #expect(spaced(frame.made) == frame.printed)
  }

  private static func asleep(_ dialect: some Dialect, _ duration: Duration?) -> [UInt8] {
    dialect.sleep(for: duration)?.commands.last?.bytes ?? []
  }

  @Test func aTimedSleepNeverBecomesUnlimited() {
    #expect(UBX.sleepTime(nil) == 0)
    #expect(UBX.sleepTime(.microseconds(10)) == 1)
    #expect(UBX.sleepTime(.seconds(-5)) == 1)
    #expect(UBX.sleepTime(.seconds(40 * 86_400)) == 1_036_800_000)
  }

  @Test(arguments: [
    (0, ["NAV-POSLLH", "NAV-SOL", "NAV-VELNED", "NAV-TIMEUTC", "NAV-DOP"]), (1400, ["NAV-PVT"]),
    (1500, ["NAV-PVT"]), (2300, ["NAV-PVT"]),
  ])
  func theSolutionMessagesMatchTheVersion(version: Int, expected: [String]) {
    let dialect = UBloxMessagesDialect(identity: .init(family: .ubloxMessages, protocolVersion: version))
    // Byte 8 of CFG-MSG is the rate.
    let switchedOn = dialect.setUp(SetUp()).filter { $0.name.hasPrefix("CFG-MSG ") && $0.bytes[8] > 0 }
    #expect(switchedOn.map { String($0.name.dropFirst(8)) } == expected)
  }

  @Test func allSentencesAreSwitchedOff() {
    let off = Self.m8.setUp(SetUp()).filter { $0.name.hasPrefix("CFG-MSG ") && $0.bytes[6] == 0xF0 }
    #expect(Set(off.map { $0.bytes[7] }) == [0, 1, 2, 3, 4, 5])
    #expect(off.allSatisfy { $0.bytes[8] == 0 })
  }

  @Test(arguments: [(0, 200), (1300, 200), (1400, 100), (1800, 100)])
  func theShortestIntervalIsThatOfTheGeneration(version: Int, milliseconds: Int) {
    let dialect = UBloxMessagesDialect(identity: .init(family: .ubloxMessages, protocolVersion: version))
    let rate = dialect.setUp(SetUp(interval: 40)).first { $0.name == "CFG-RATE" }
    #expect(rate.map { Int($0.bytes[6]) | Int($0.bytes[7]) << 8 } == milliseconds)
  }

  @Test(arguments: [
    (0, SetUp.Power.continuous, ["CFG-RXM"]), (0, .cyclic(seconds: 5), ["CFG-PM2", "CFG-RXM"]),
    (1500, .cyclic(seconds: 1), ["CFG-PM2", "CFG-RXM"]), (1800, .continuous, ["CFG-PMS"]),
    (1800, .cyclic(seconds: 1), ["CFG-PMS"]), (1800, .cyclic(seconds: 5), ["CFG-PM2", "CFG-RXM"]),
  ])
  func powerCommandsMatchTheVersion(version: Int, power: SetUp.Power, expected: [String]) {
    let dialect = UBloxMessagesDialect(identity: .init(family: .ubloxMessages, protocolVersion: version))
    let known: Set = ["CFG-RXM", "CFG-PM2", "CFG-PMS"]
    #expect(dialect.setUp(SetUp(power: power)).map(\.name).filter(known.contains) == expected)
  }

  @Test func cyclicTrackingHasTheLengthOfItsVersion() {
    let frame = CFG.cyclicTracking(seconds: 4).bytes
    #expect(frame.count == 44 + 8)
    #expect(Array(frame[14..<18]) == [0xA0, 0x0F, 0, 0])
  }

  @Test func theOperatingModeComesLast() throws {
    let command = try #require(Self.m10.setUp(SetUp(power: .cyclic(seconds: 5))).last)
    #expect(Array(command.bytes.dropLast(2).suffix(5)) == [0x01, 0x00, 0xD0, 0x20, 2])
  }

  @Test(arguments: [(2700, 4), (3200, 5), (3410, 4), (5010, 4)])
  func keysOfMissingPartsAreNotSent(version: Int, messages: Int) {
    let dialect = UBloxKeysDialect(identity: .init(family: .ubloxKeys, protocolVersion: version))
    #expect(dialect.setUp(SetUp()).count == messages)
  }

  /// One unknown key rejects the whole message.
  @Test func essentialKeysAreNotSentWithOptionalOnes() {
    let printed = Self.m10.setUp(SetUp()).map { spaced(Array($0.bytes.dropFirst(10).dropLast(2))) }
    #expect(printed.first == "01 00 74 10 01 07 00 91 20 01 02 00 74 10 00")
    #expect(printed.contains("01 00 21 30 E8 03 02 00 21 30 01 00 21 00 11 20 00"))
  }

  @Test func aMessageHoldsAtMostSixtyFourPairs() {
    let pairs = (0..<100).map { (key: UInt32(0x2000_0000 + $0), value: UInt64(1)) }
    #expect(ValSet.bytes(pairs, layers: .ram).count == 8 + 4 + 64 * 5)
  }

  @Test func onlyReceiversWithFlashSaveTheirState() {
    #expect(Self.m8.saveState().map(\.name) == ["CFG-RST", "UPD-SOS"])
    #expect(Self.m10.saveState().isEmpty)
    #expect(UBloxMessagesDialect(identity: .init(family: .ubloxMessages)).saveState().isEmpty)
  }
}

/// Bytes in the notation of the documents.
func spaced(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}
