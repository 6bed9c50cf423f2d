import Quantities
import Testing
import GNSSProtocol
import GNSSReceiver

/// Complete sentences as in the protocol documents, and the content of a configuration.
@Suite struct DialectSentenceTests {
  static let printed = [
    "$PMTK605*31", "$PMTK220,1000*1F", "$PMTK220,200*2C", "$PMTK300,1000,0,0,0,0*1C",
    "$PMTK314,0,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0*28", "$PMTK314,-1*04", "$PMTK251,9600*17",
    "$PMTK251,38400*27", "$PMTK251,115200*1F", "$PMTK251,0*28", "$PMTK101*32", "$PMTK102*31",
    "$PMTK103*30", "$PMTK104*37", "$PMTK161,0*28", "$PMTK161,1*29", "$PMTK225,0*2B",
    "$PMTK225,2,3000,12000,18000,72000*15", "$PMTK225,8*23", "$PMTK225,4*2F",
    "$PMTK223,1,25,180000,60000*38", "$PMTK386,0*23", "$PMTK313,1*2E", "$PMTK301,2*2E",
    "$PMTK869,1,1*35", "$PMTK255,1*2D", "$PAIR021*39", "$PQTMVERNO*58", "$PAIR002*38", "$PAIR003*39",
    "$PAIR004*3E", "$PAIR005*3F", "$PAIR006*3C", "$PAIR007*3D", "$PAIR023*3B", "$PAIR050,1000*12",
    "$PAIR062,0,1*3F", "$PAIR062,4,1*3B", "$PAIR062,3,5*38", "$PAIR062,1,0*3F", "$PAIR080,0*2E",
    "$PAIR864,0,0,115200*1B", "$PAIR513*3D", "$PAIR382,1*2E", "$PAIR382,0*2F", "$PAIR650,0*25",
    "$PAIR650,60*13", "$PAIR490,1*2A", "$PQTMHOT*4B", "$PQTMWARM*11", "$PQTMCOLD*1C", "$PQTMSAVEPAR*5A",
    "$PQTMCFGFIXRATE,W,1000*59", "$PQTMCFGUART,W,115200*18", "$PQTMCFGMSGRATE,W,PQTMEPE,1,2*1D",
    "$PQTMGNSSSTOP*09", "$PQTMGNSSSTART*51", "$PCAS06,0*1B", "$PCAS06,1*1A", "$PCAS00*01", "$PCAS01,1*1D",
    "$PCAS01,5*19", "$PCAS02,1000*2E", "$PCAS02,200*1D", "$PCAS03,1,0,0,0,1,0,0,0,0,0,,,0,0*02",
    "$PCAS04,7*1E", "$PCAS10,0*1C", "$PCAS10,1*1D", "$PCAS10,2*1E", "$PCAS10,3*1F", "$PCAS12,60*28",
    "$PCAS11,3*1E", "$PSRF100,1,9600,8,1,0*0D", "$PSRF100,0,9600,8,1,0*0C", "$PSRF103,04,00,01,01*21",
    "$PSRF103,03,00,05,01*22", "$PSRF103,02,00,00,01*26", "$PSRF101,0,0,0,0,0,0,12,1*15",
    "$PSRF101,0,0,0,0,0,0,12,2*16", "$PSRF101,0,0,0,0,0,0,12,3*17", "$PSRF101,0,0,0,0,0,0,12,4*10",
    "$PSRF117,16*0B", "$PSRF105,1*3E", "$PUBX,40,GSV,0,0,0,0,0,0*59", "$PUBX,40,GLL,0,0,0,0,0,0*5C",
    "$PUBX,41,1,0007,0003,115200,0*18", "$PUBX,41,1,0007,0003,38400,0*20", "$PUBX,41,1,0007,0003,9600,0*10",
    "$PUBX,00*33", "$PUBX,04*37",
  ]

  @Test(arguments: printed)
  func commandSentencesMatchTheDocuments(_ sentence: String) {
    let body = sentence.dropFirst().dropLast(3)
    #expect(text(CommandSentence.bytes(String(body))) == sentence + "\r\n")
  }

  struct SetUpCase: Sendable, CustomTestStringConvertible {
    let family: ReceiverFamily
    let desiredSetUp: SetUp
    let sentences: [String]
    var testDescription: String { "\(family) \(desiredSetUp)" }
  }

  static let setUps = [
    SetUpCase(
      family: .mediaTek, desiredSetUp: SetUp(),
      sentences: [
        "PMTK225,0", "PMTK314,0,1,0,1,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0", "PMTK220,1000",
        "PMTK300,1000,0,0,0,0",
      ]),
    SetUpCase(
      family: .mediaTek,
      desiredSetUp: SetUp(
        interval: 40, dynamics: .pedestrian, power: .cyclic(seconds: 5), satellitesEvery: 30),
      sentences: [
        "PMTK225,0", "PMTK314,0,1,0,1,5,5,0,1,0,0,0,0,0,0,0,0,0,0,0", "PMTK220,100", "PMTK300,100,0,0,0,0",
        "PMTK386,0", "PMTK225,2,3000,2000,18000,72000",
      ]),
    SetUpCase(
      family: .airoha, desiredSetUp: SetUp(interval: 5000, dynamics: .pedestrian, satellitesEvery: 3),
      sentences: [
        "PAIR382,1", "PAIR062,3,15", "PAIR062,4,5", "PAIR062,0,5", "PAIR062,8,5", "PAIR062,2,15",
        "PAIR062,1,0", "PAIR062,5,0", "PAIR050,1000", "PAIR080,1", "PAIR382,0",
      ]),
    SetUpCase(
      family: .airoha, desiredSetUp: SetUp(interval: 200, dynamics: .automotive),
      sentences: [
        "PAIR382,1", "PAIR062,3,0", "PAIR062,4,1", "PAIR062,0,1", "PAIR062,8,1", "PAIR062,2,0",
        "PAIR062,1,0", "PAIR062,5,0", "PAIR003", "PAIR050,200", "PAIR002", "PAIR080,0", "PAIR382,0",
      ]),
    SetUpCase(
      family: .quectel, desiredSetUp: SetUp(),
      sentences: [
        "PQTMCFGMSGRATE,W,GSV,0", "PQTMCFGMSGRATE,W,RMC,1", "PQTMCFGMSGRATE,W,GGA,1",
        "PQTMCFGMSGRATE,W,GSA,0", "PQTMCFGMSGRATE,W,GLL,0", "PQTMCFGMSGRATE,W,VTG,0",
        "PQTMCFGMSGRATE,W,PQTMEPE,1,2", "PQTMCFGFIXRATE,W,1000",
      ]),
    SetUpCase(
      family: .casic, desiredSetUp: SetUp(interval: 300, dynamics: .automotive, satellitesEvery: 5),
      sentences: ["PCAS03,1,0,5,5,1,0,0,,0,0,,,0,1", "PCAS02,250", "PCAS11,3"]),
    SetUpCase(
      family: .casic, desiredSetUp: SetUp(interval: 10_000),
      sentences: ["PCAS03,9,0,0,0,9,0,0,,0,0,,,0,9", "PCAS02,1000", "PCAS11,0"]),
    SetUpCase(
      family: .sirf, desiredSetUp: SetUp(satellitesEvery: 5),
      sentences: [
        "PSRF103,03,00,05,01", "PSRF103,04,00,01,01", "PSRF103,00,00,01,01", "PSRF103,02,00,01,01",
        "PSRF103,01,00,00,01", "PSRF103,05,00,00,01",
      ]),
    SetUpCase(family: .unknown, desiredSetUp: SetUp(), sentences: []),
  ]

  @Test(arguments: setUps)
  func aConfigurationBecomesSentences(_ setUpCase: SetUpCase) {
    let commands = dialect(for: ReceiverIdentity(family: setUpCase.family)).setUp(setUpCase.desiredSetUp)
    #expect(commands.map(body) == setUpCase.sentences)
  }

  @Test(arguments: [
    (ReceiverFamily.mediaTek, "PMTK251,38400"), (.quectel, "PQTMCFGUART,W,38400"), (.casic, "PCAS01,3"),
    (.sirf, "PSRF100,1,38400,8,1,0"),
  ])
  func theBaudRateIsChanged(family: ReceiverFamily, expected: String) {
    let dialect = dialect(for: ReceiverIdentity(family: family))
    #expect(dialect.speed(38400).map(body) == expected)
    #expect(dialect.speed(12_345) == nil)
  }

  @Test func airohaChangesItsBaudRateWithARestart() throws {
    let command = try #require(AirohaDialect(identity: .init(family: .airoha)).speed(115_200))
    #expect(text(command.bytes) == "$PAIR864,0,0,115200*1B\r\n$PAIR513*3D\r\n$PAIR023*3B\r\n")
  }

  @Test(arguments: [
    (ReceiverFamily.mediaTek, Duration?.none, ["PMTK161,0"], false),
    (.airoha, nil, ["PAIR382,0", "PAIR650,0"], true),
    (.airoha, .seconds(60), ["PAIR382,0", "PAIR650,60"], true),
    (.airoha, .milliseconds(1), ["PAIR382,0", "PAIR650,1"], true),
    (.quectel, nil, ["PQTMGNSSSTOP"], false), (.casic, .seconds(60), ["PCAS12,60"], false),
    (.casic, nil, ["PCAS12,65535"], false), (.casic, .seconds(100_000), ["PCAS12,65535"], false),
    (.sirf, nil, ["PSRF117,16"], true),
  ])
  func sleepCommandsMatchTheDocuments(
    family: ReceiverFamily, duration: Duration?, expected: [String], needsPin: Bool
  ) {
    let sequence = dialect(for: ReceiverIdentity(family: family)).sleep(for: duration)
    #expect(sequence?.commands.map(body) == expected)
    #expect(sequence?.needsPin == needsPin)
  }

  @Test func aSleepWithoutAPinCanBeEndedOverTheLine() {
    var checked = 0
    for family in ReceiverFamily.allCases {
      let dialect = dialect(for: ReceiverIdentity(family: family))
      guard let sequence = dialect.doze() ?? dialect.sleep(for: nil), !sequence.needsPin else { continue }
      checked += 1
      #expect(!dialect.wake().bytes.isEmpty || !dialect.wake().commands.isEmpty, "\(family)")
    }
    #expect(checked > 1)
  }

  @Test func restartCommandsMatchTheDocuments() {
    let expected: [ReceiverFamily: [String]] = [
      .mediaTek: ["PMTK101", "PMTK102", "PMTK103"], .airoha: ["PAIR004", "PAIR005", "PAIR006"],
      .quectel: ["PQTMHOT", "PQTMWARM", "PQTMCOLD"], .casic: ["PCAS10,0", "PCAS10,1", "PCAS10,2"],
      .sirf: [1, 2, 4].map { "PSRF101,0,0,0,0,0,0,12,\($0)" }, .unknown: [],
    ]
    for (family, sentences) in expected {
      let dialect = dialect(for: ReceiverIdentity(family: family))
      #expect(StartKind.allCases.compactMap { dialect.restart($0).map(body) } == sentences)
    }
  }

  @Test func aidingIsSentIfTheFamilySupportsIt() throws {
    let position = try #require(Coordinate(latitudeE7: 450_657_720, longitudeE7: -76_590_613))
    let time = Timestamp(milliseconds: 1_772_360_102_600)
    let airoha = AirohaDialect(identity: .init(family: .airoha))
    #expect(
      airoha.aid(position: position, altitude: 304.6, accuracy: 25).map(body)
        == "PAIR600,45.065772,-7.6590613,305,25,25,0,100")
    #expect(airoha.aid(time: time, accuracy: .seconds(1)).map(body) == "PAIR590,2026,03,01,10,15,03")
    #expect(airoha.aid(time: time, accuracy: .seconds(3)) == nil)
    let mediaTek = MediaTekDialect(identity: .init(family: .mediaTek))
    #expect(mediaTek.aid(time: time, accuracy: .seconds(1)).map(body) == "PMTK740,2026,03,01,10,15,03")
  }

  @Test func versionQueriesDoNoHarm() {
    #expect(
      ReceiverCommand.versionQueries.map(\.name)
        == ["MON-VER", "PMTK605", "PAIR021", "PQTMVERNO", "PCAS06", "PSRF105"])
    #expect(ReceiverCommand.versionQueries.allSatisfy { $0.reply == .version })
  }

  @Test func sirfBinaryIsSwitchedToNMEA() {
    #expect(
      spaced(SirfBinary.switchToNMEA())
        == "A0 A2 00 18 81 02 01 01 00 01 01 01 05 01 01 01 00 01 00 01 00 01 00 01 00 01 25 80 01 3A B0 B3")
  }

  @Test(arguments: [Int.min, -1, 0, 1, 40, 10_000, Int.max])
  func noConfigurationTraps(_ number: Int) {
    for family in ReceiverFamily.allCases {
      for version in [nil, Int.min, 0, 1400, 1800, 2700, 3410, 5010, Int.max] {
        let dialect = dialect(for: ReceiverIdentity(family: family, protocolVersion: version))
        for power in [SetUp.Power.continuous, .cyclic(seconds: number)] {
          let desiredSetUp = SetUp(interval: number, power: power, satellitesEvery: number)
          #expect(dialect.setUp(desiredSetUp).allSatisfy { !$0.bytes.isEmpty })
        }
      }
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The text between `$` and `*`.
  private func body(_ command: ReceiverCommand) -> String {
    String(text(command.bytes).dropFirst().prefix { $0 != "*" })
  }
}
