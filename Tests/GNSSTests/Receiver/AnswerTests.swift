import Quantities
import Testing
@testable import GNSSProtocol
import GNSSReceiver

/// Messages of receivers besides their epochs.
@Suite struct AnswerTests {
  struct AnswerCase: Sendable, CustomTestStringConvertible {
    let body: String
    let answer: ReceiverAnswer?
    var testDescription: String { body }

    init(_ body: String, _ answer: ReceiverAnswer?) {
      self.body = body
      self.answer = answer
    }
  }

  static let sentences = [
    AnswerCase("PMTK001,314,3", .pmtk(command: 314, flag: 3)),
    AnswerCase("PMTK001,424,1", .pmtk(command: 424, flag: 1)),
    AnswerCase("PMTK001,314", nil), AnswerCase("PMTK001,,", nil), AnswerCase("PMTK001", nil),
    AnswerCase("PMTK010,001", .started),
    AnswerCase("PMTK010,002", nil), AnswerCase("PMTK011,MTKGPS", .started),
    AnswerCase("PMTKCHN,21422,28522", nil),
    AnswerCase("PMTK869,2,1,0", nil),
    AnswerCase(
      "PMTK705,AXN_3.8_3333_16041118,0027,QUECTEL-L76,1.0",
      .version(.init(family: .mediaTek, module: "QUECTEL-L76", firmware: "AXN_3.8_3333_16041118"))),
    AnswerCase("PMTK705,M-core_1.94,,", .version(.init(family: .mediaTek, firmware: "M-core_1.94"))),
    AnswerCase("PMTK705,,,", nil), AnswerCase("PAIR001,062,0", .pair(command: 62, result: 0)),
    AnswerCase("PAIR001,650,1", .pair(command: 650, result: 1)),
    AnswerCase("PAIR010,0,0,2044,369413", .started),
    AnswerCase(
      "PAIR021,AG3352Q_V2.3.0.AG3352_20230213,S,N,2b31f59",
      .version(
        .init(family: .airoha, module: "AG3352Q", firmware: "AG3352Q_V2.3.0.AG3352_20230213"))),
    AnswerCase("PAIR021", nil), AnswerCase("PAIR,1", nil),
    AnswerCase("PQTMCFGUART,OK", .pqtm(name: "PQTMCFGUART", accepted: true)),
    AnswerCase("PQTMCFGUART,ERROR,3", .pqtm(name: "PQTMCFGUART", accepted: false)),
    AnswerCase("PQTMEPE,2,1.00,1.00,2.00,1.41,2.44", nil), AnswerCase("PQTMTAR,1,OKAY", nil),
    AnswerCase(
      "PQTMVERNO,LG290P03AANR01A03S,2024/03/01,10:11:12",
      .version(.init(family: .quectel, module: "LG290P", firmware: "LG290P03AANR01A03S"))),
    AnswerCase(
      "PQTMVERNO,LC29HDANR11A03S_RSA,2023/11/13,14:32:13",
      .version(.init(family: .airoha, module: "LC29H", firmware: "LC29HDANR11A03S_RSA"))),
    AnswerCase("PQTMVERNO,ERROR,1", .pqtm(name: "PQTMVERNO", accepted: false)),
    AnswerCase(
      "GPTXT,01,01,02,SW=URANUS5,V5.1.0.0", .version(.init(family: .casic, firmware: "URANUS5,V5.1.0.0"))),
    AnswerCase(
      "GPTXT,01,01,02,HW=ATGM336H,0001090821092",
      .version(.init(family: .casic, module: "ATGM336H", hardware: "0001090821092"))),
    AnswerCase("GPTXT,01,01,01,ANTENNA OPEN", .antenna(.open)),
    AnswerCase("GPTXT,01,01,01,ANTENNA OK", .antenna(.ok)),
    AnswerCase("GPTXT,01,01,01,ANTENNA SHORT", .antenna(.short)),
    AnswerCase("GNTXT,01,01,02,ANTSTATUS=INIT", .antenna(.unknown)),
    AnswerCase("GNTXT,01,01,02,ANTSTATUS=OK", .antenna(.ok)),
    AnswerCase("GPTXT,01,01,02,ANTSUPERV=AC SD PDoS SR", nil),
    AnswerCase("GNTXT,01,01,02,u-blox AG - www.u-blox.com", .started),
    AnswerCase(
      "GNTXT,01,01,02,PROTVER=18.00", .version(.init(family: .ubloxMessages, protocolVersion: 1800))),
    AnswerCase("GNTXT,01,01,02,PROTVER=34.10", .version(.init(family: .ubloxKeys, protocolVersion: 3410))),
    AnswerCase(
      "GNTXT,01,01,02,HW UBX-M8030 00080000",
      .version(.init(family: .ubloxMessages, protocolVersion: 1500, hardware: "00080000"))),
    AnswerCase("GNTXT,01,01,01,NMEA unknown msg", .errorText("NMEA unknown msg")),
    AnswerCase("GNTXT,01,01,00,txbuf alloc", .errorText("txbuf alloc")),
    AnswerCase(
      "GNTXT,01,01,01,More than 100 frame errors, UART RX was disabled",
      .errorText("More than 100 frame errors, UART RX was disabled")),
    AnswerCase("GNTXT,01,01,01,0", nil), AnswerCase("GNTXT,01,01,02,0", nil),
    AnswerCase("GNTXT,01,01,07,hello", nil),
    AnswerCase("GNTXT,01,01,01,", nil), AnswerCase("GNTXT,01,01,01", nil), AnswerCase("GNTXT", nil),
    AnswerCase("GNTXTX,1,1,1,no", nil),
    AnswerCase(
      "PSRFTXT,Version:GSW3.2.4_3.1.00.12-SDK003P1.00a",
      .version(.init(family: .sirf, firmware: "GSW3.2.4_3.1.00.12-SDK003P1.00a"))),
    AnswerCase("PSRFTXT,TOW: 0", nil), AnswerCase("PSRFTXT,Version", nil), AnswerCase("PSRF150,1", .started),
    AnswerCase("PSRF150,0", nil),
    AnswerCase("PSRF195,GSD4e_4.1.2-P1", .version(.init(family: .sirf, firmware: "GSD4e_4.1.2-P1"))),
    AnswerCase("GNRMC,101502,A,4503.9,N,00739.5,E,0.1,,010326,,,A,V", nil), AnswerCase("PUBX,00,101502", nil),
    AnswerCase("PSTMCPU,56.23,-1,98", nil), AnswerCase("", nil), AnswerCase("P", nil),
    AnswerCase("PMTK", nil), AnswerCase("PAIR", nil),
    AnswerCase("PQTM", nil), AnswerCase("PSRF", nil), AnswerCase("PQTM,OK", nil),
  ]

  @Test(arguments: sentences)
  func aSentenceGivesItsAnswer(_ answerCase: AnswerCase) {
    #expect(answer(answerCase.body) == answerCase.answer)
  }

  @Test func aSentenceOfAnEpochIsNoAnswer() {
    for address in [
      "GNRMC", "GPGGA", "GNGSA", "GPGSV", "GLGSV", "GNGST", "GNVTG", "PQTMEPE", "PMTKCHN", "PSTMCPU",
    ] {
      #expect(!Array(address.utf8).withUnsafeBytes { ReceiverAnswer.mayAnswer($0) }, "\(address)")
    }
  }

  @Test func textsAreBoundedAndPrintable() {
    let long = String(repeating: "x", count: 500)
    #expect(answer("GNTXT,01,01,00,\(long)") == .errorText(String(long.prefix(79))))
    #expect(
      answer("PMTK705,\(long)")
        == .version(.init(family: .mediaTek, firmware: String(long.prefix(63)))))
    #expect(answer("GNTXT,01,01,00, a\u{1B}[2Jb\u{7F} ") == .errorText("a[2Jb"))
    #expect(
      answer("GPTXT,01,01,02,SW=\(long)")
        == .version(.init(family: .casic, firmware: String(long.prefix(63)))))
  }

  struct Settling: Sendable, CustomTestStringConvertible {
    let answer: ReceiverAnswer
    let reply: ReceiverCommand.Reply
    let settled: Bool?
    var testDescription: String { "\(answer) to \(reply)" }
  }

  static let settlings = [
    Settling(
      answer: .acknowledge(class: 6, id: 8, accepted: true), reply: .acknowledge(class: 6, id: 8),
      settled: true),
    Settling(
      answer: .acknowledge(class: 6, id: 8, accepted: false), reply: .acknowledge(class: 6, id: 8),
      settled: false),
    Settling(
      answer: .acknowledge(class: 6, id: 1, accepted: true), reply: .acknowledge(class: 6, id: 8),
      settled: nil),
    Settling(answer: .pmtk(command: 314, flag: 3), reply: .pmtk(314), settled: true),
    Settling(answer: .pmtk(command: 314, flag: 2), reply: .pmtk(314), settled: false),
    Settling(answer: .pmtk(command: 314, flag: 3), reply: .pmtk(220), settled: nil),
    Settling(answer: .pair(command: 2, result: 0), reply: .pair(2), settled: true),
    Settling(answer: .pair(command: 2, result: 1), reply: .pair(2), settled: nil),
    Settling(answer: .pair(command: 2, result: 5), reply: .pair(2), settled: nil),
    Settling(answer: .pair(command: 2, result: 4), reply: .pair(2), settled: false),
    Settling(answer: .pair(command: 2, result: 0), reply: .pmtk(2), settled: nil),
    Settling(answer: .pqtm(name: "PQTMHOT", accepted: true), reply: .pqtm("PQTMHOT"), settled: true),
    Settling(answer: .pqtm(name: "PQTMHOT", accepted: true), reply: .pqtm("PQTMCOLD"), settled: nil),
    Settling(answer: .pqtm(name: "PQTMVERNO", accepted: false), reply: .version, settled: false),
    Settling(
      answer: .casic(class: 6, id: 1, accepted: false), reply: .casic(class: 6, id: 1), settled: false),
    Settling(
      answer: .casic(class: 6, id: 1, accepted: true), reply: .acknowledge(class: 6, id: 1), settled: nil),
    Settling(answer: .version(.init(family: .sirf, firmware: "1")), reply: .version, settled: true),
    Settling(answer: .version(.init(family: .ubloxKeys)), reply: .version, settled: nil),
    Settling(answer: .savedState(command: 2, response: 1), reply: .savedState(command: 2), settled: true),
    Settling(answer: .savedState(command: 2, response: 0), reply: .savedState(command: 2), settled: false),
    Settling(answer: .savedState(command: 3, response: 2), reply: .savedState(command: 2), settled: nil),
    Settling(answer: .aiding(id: 0x40, accepted: true), reply: .aiding(id: 0x40), settled: true),
    Settling(answer: .started, reply: .none(pause: .zero), settled: nil),
    Settling(answer: .errorText("x"), reply: .version, settled: nil),
  ]

  @Test(arguments: settlings)
  func anAnswerConfirmsOnlyItsOwnCommand(_ settling: Settling) {
    #expect(settling.answer.settles(settling.reply) == settling.settled)
  }

  @Test(arguments: 0..<32)
  func noInputTraps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let addresses = [
      "PMTK001", "PMTK705", "PAIR001", "PAIR021", "PQTMVERNO", "PSRFTXT", "GNTXT", "PSRF150", "P",
    ]
    for _ in 0..<500 {
      let length = Int.random(in: 0...80, using: &random)
      let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = noise.map { [0x2C, 0x30, 0x39, 0x41, 0x3D, 0x20][Int($0) % 6] as UInt8 }
      for tail in [noise, text] {
        let address = addresses[Int.random(in: 0..<addresses.count, using: &random)]
        _ = answer(to: Array(address.utf8) + tail)
        _ = answer(to: tail)
      }
    }
  }

  private func answer(_ body: String) -> ReceiverAnswer? {
    answer(to: Array(body.utf8))
  }

  /// After the body there are arbitrary bytes, as in the framer's storage.
  private func answer(to body: [UInt8]) -> ReceiverAnswer? {
    (body + Array("*00,,,,,,".utf8)).withUnsafeBytes {
      ReceiverAnswer(sentence: UnsafeRawBufferPointer(rebasing: $0[..<body.count]))
    }
  }
}
