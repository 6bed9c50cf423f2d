import Quantities
import Testing
import GNSSProtocol
import Simulation

@Suite struct ModuleDialectTests {
  /// A bench with an awake module.
  private func bench(_ model: ModuleModel, _ change: (inout ModuleOptions) -> Void = { _ in }) -> ModuleBench
  {
    var bench = ModuleBench(model, change)
    bench.module.pulseWakePin(now: .zero)
    bench.listen(5)
    return bench
  }

  private func answers(_ bench: inout ModuleBench, _ command: String, _ mark: String) -> [String] {
    bench.send(Array("\(command)\r\n".utf8))
    return ModuleBench.sentences(bench.listen(1.5)).filter { $0.hasPrefix(mark) }
  }

  @Test(
    arguments: [
      (ModuleModel.mediaTek, 9600, ["GPGGA", "GPGSA", "GPRMC", "GPVTG"]),
      (.airoha, 115_200, ["GNGGA", "GNGLL", "GNRMC", "GNVTG"]),
      (.quectel, 115_200, ["GNRMC", "GNGGA", "GNVTG", "GNGLL"]),
      (.casic, 9600, ["GNGGA", "GNGLL", "GNRMC", "GNVTG", "GNZDA"]),
      (.sirf, 4800, ["GPGGA", "GPRMC", "GPGSA"]),
      (.plain, 9600, ["GPGGA", "GPRMC", "GPGSA"]),
    ] as [(ModuleModel, UInt32, [String])])
  func factorySettingsMatchTheDataSheet(model: ModuleModel, speed: UInt32, kinds: [String]) {
    var bench = bench(model)
    #expect(bench.speed == speed)
    let received = bench.listen(10)
    let sentences = ModuleBench.sentences(received)
    for kind in kinds { #expect((9...11).contains(sentences.filter { $0.hasPrefix(kind) }.count), "\(kind)") }
    var decoder = ReceiverDecoder()
    received.withUnsafeBytes { decoder.decode($0, at: bench.now) { _ in } }
    #expect(decoder.statistics.checksumErrors == 0)
    #expect(decoder.statistics.nmea >= UInt64(kinds.count * 9))
  }

  // MARK: Airoha

  @Test(arguments: [
    ("$PAIR021*39", "PAIR001,021,0"), ("$PAIR002*38", "PAIR001,002,0"), ("$PAIR003*39", "PAIR001,003,0"),
    ("$PAIR050,1000*12", "PAIR001,050,0"), ("$PAIR062,0,1*3F", "PAIR001,062,0"),
    ("$PAIR080,0*2E", "PAIR001,080,0"),
    ("$PAIR382,1*2E", "PAIR001,382,0"), ("$PAIR513*3D", "PAIR001,513,0"), ("$PAIR490,1*2A", "PAIR001,490,0"),
    ("$PAIR864,0,0,115200*1B", "PAIR001,864,0"), ("$PAIR650,0*25", "PAIR001,650,0"),
  ])
  func airohaAcknowledges(command: String, answer: String) {
    var bench = bench(.airoha)
    #expect(answers(&bench, command, "PAIR001") == [answer])
  }

  @Test func airohaAnswersTwoVersionQueries() {
    var bench = bench(.airoha)
    #expect(answers(&bench, "$PAIR021*39", "PAIR021").count == 1)
    #expect(answers(&bench, "$PQTMVERNO*58", "PQTMVERNO").count == 1)
    bench.send("PAIR999")
    #expect(ModuleBench.sentences(bench.listen(1)).contains("PAIR001,999,3"))
    bench.send("PAIR050,50")
    #expect(ModuleBench.sentences(bench.listen(1)).contains("PAIR001,050,4"))
  }

  @Test(arguments: [true, false]) func airohaAppliesANewBaudRateAtTheNextStartIfItWasSaved(isSaved: Bool) {
    var bench = bench(.airoha)
    bench.send("PAIR864,0,0,9600")
    if isSaved { bench.send("PAIR513") }
    bench.listen(1)
    #expect(bench.module.speed == 115_200)
    bench.send("PAIR023")
    bench.listen(1)
    #expect(bench.module.speed == (isSaved ? 9600 : 115_200))
  }

  @Test func airohaSleepsUntilThePinAndLosesUnsavedSettings() {
    var bench = bench(.airoha)
    bench.send("PAIR062,3,0")
    bench.send("PAIR513")
    bench.send("PAIR062,1,0")
    bench.send("PAIR650,0")
    bench.listen(2)
    #expect(bench.module.isAsleep && bench.module.nextMoment == nil)
    bench.send([UInt8](repeating: 0xFF, count: 20))
    #expect(bench.listen(60).isEmpty)
    bench.module.pulseWakePin(now: bench.now)
    let sentences = ModuleBench.sentences(bench.listen(4))
    #expect(!sentences.contains { $0.contains("GSV") })
    #expect(sentences.contains { $0.contains("GLL") })
  }

  @Test func airohaWithoutNavigationStillAnswers() {
    var bench = bench(.airoha)
    bench.send("PAIR003")
    bench.listen(1)
    #expect(answers(&bench, "$PAIR021*39", "PAIR001") == ["PAIR001,021,0"])
    #expect(bench.listen(5).isEmpty)
    bench.send("PAIR002")
    #expect(ModuleBench.sentences(bench.listen(4)).contains { $0.contains("RMC") })
  }

  // MARK: Quectel

  @Test(arguments: [
    ("$PQTMSAVEPAR*5A", "PQTMSAVEPAR,OK"), ("$PQTMHOT*4B", "PQTMHOT,OK"),
    ("$PQTMCFGFIXRATE,W,1000*59", "PQTMCFGFIXRATE,OK"), ("$PQTMGNSSSTOP*09", "PQTMGNSSSTOP,OK"),
    ("$PQTMCFGMSGRATE,W,PQTMEPE,1,2*1D", "PQTMCFGMSGRATE,OK"),
    ("$PQTMCFGUART,W,115200*18", "PQTMCFGUART,OK"),
  ])
  func quectelAcknowledgesWithOK(command: String, answer: String) {
    var bench = bench(.quectel)
    #expect(answers(&bench, command, "PQTM").contains(answer))
  }

  @Test func quectelReportsTheErrorAndChangesTheBaudRateAfterTheAnswer() {
    var bench = bench(.quectel)
    bench.send("PQTMCFGFIXRATE,W,7")
    bench.send("PQTMNOSUCH")
    let sentences = ModuleBench.sentences(bench.listen(1))
    #expect(sentences.contains("PQTMCFGFIXRATE,ERROR,1") && sentences.contains("PQTMNOSUCH,ERROR,3"))
    bench.send("PQTMCFGUART,W,9600")
    #expect(ModuleBench.sentences(bench.listen(0.05)) == ["PQTMCFGUART,OK"])
    #expect(bench.module.speed == 9600)
    bench.speed = 9600
    bench.send("PQTMCFGMSGRATE,W,PQTMEPE,1,2")
    #expect(ModuleBench.sentences(bench.listen(5)).contains { $0.hasPrefix("PQTMEPE,2,") })
  }

  // MARK: CASIC

  @Test func casicExecutesCommandsWithoutAcknowledgement() {
    var bench = bench(.casic)
    #expect(answers(&bench, "$PCAS06,0*1B", "GPTXT").contains("GPTXT,01,01,02,SW=URANUS5,V5.3.0.0"))
    #expect(answers(&bench, "$PCAS06,1*1A", "GPTXT").contains { $0.contains("HW=") })
    bench.send("PCAS03,1,0,0,0,1,0,0,0,0,0,,,0,0")
    bench.send("PCAS02,200")
    bench.send("PCAS01,5")
    bench.speed = 115_200
    bench.listen(2)
    let sentences = ModuleBench.sentences(bench.listen(2)).filter { !$0.contains("TXT") }
    #expect(Set(sentences.map { $0.dropFirst(2).prefix(3) }) == ["GGA", "RMC"])
    #expect((18...22).contains(sentences.count))
    #expect(!sentences.contains { $0.hasPrefix("PCAS") })
  }

  @Test(arguments: [true, false]) func casicKeepsSavedSettingsInFlash(isSaved: Bool) {
    var bench = bench(.casic) { $0.hasBackupSupply = false }
    bench.send("PCAS01,3")
    bench.speed = 38400
    if isSaved { bench.send("PCAS00") }
    bench.listen(1)
    bench.module.setSupply(false, now: bench.now)
    bench.module.setSupply(true, now: bench.now)
    bench.listen(1)
    #expect(bench.module.speed == (isSaved ? 38400 : 9600))
  }

  @Test(arguments: [true, false]) func casicWakesByTimeOrByte(byByte: Bool) {
    var bench = bench(.casic)
    bench.send(Array("$PCAS12,60*28\r\n".utf8))
    bench.listen(3)
    #expect(bench.module.isAsleep)
    if byByte { bench.send([0xFF]) }
    bench.listen(byByte ? 1 : 61)
    #expect(!bench.module.isAsleep)
  }

  @Test func casicSendsBinaryMessagesOnRequest() {
    var bench = bench(.casic)
    // CFG-MSG for NAV-PV, each epoch: sum = 06<<16 + 01<<24 + 4 + word.
    bench.send(hex: "BA CE 04 00 06 01 01 03 01 00 05 03 07 01")
    let received = bench.listen(4)
    let starts = received.indices.filter { received[$0...].starts(with: [0xBA, 0xCE]) }
    #expect(starts.contains { Array(received[$0...].dropFirst(2).prefix(8)) == [4, 0, 5, 1, 6, 1, 0, 0] })
    let solutions = starts.filter { received[$0...].dropFirst(2).starts(with: [80, 0, 1, 3]) }
    #expect((3...5).contains(solutions.count))
    for start in solutions where start + 90 <= received.count {
      let frame = Array(received[start..<(start + 90)])
      func number(_ offset: Int, _ size: Int) -> UInt64 {
        frame[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      let words = stride(from: 6, to: 86, by: 4).map { UInt32(number($0, 4)) }
      let sum = words.reduce(0x0301_0000 &+ 80) { $0 &+ $1 }
      #expect(UInt32(number(86, 4)) == sum)
      let latitude = Double(bitPattern: number(30, 8))
      #expect((52.4...52.6).contains(latitude) && frame[10] == 7)
    }
  }

  // MARK: SiRF

  @Test func sirfIsOffUntilThePinIsPulsed() {
    var bench = ModuleBench(.sirf)
    #expect(bench.listen(10).isEmpty)
    bench.send(Array("$PSRF105,1*3E\r\n".utf8))
    #expect(bench.listen(10).isEmpty)
    bench.module.pulseWakePin(now: bench.now)
    #expect(ModuleBench.sentences(bench.listen(3)).contains("PSRF150,1"))
    bench.send(Array("$PSRF100,1,9600,8,1,0*0D\r\n".utf8))
    bench.speed = 9600
    bench.send(Array("$PSRF103,04,00,00,01*20\r\n".utf8))
    bench.listen(2)
    #expect(!ModuleBench.sentences(bench.listen(4)).contains { $0.contains("RMC") })
    bench.send(Array("$PSRF117,16*0B\r\n".utf8))
    bench.listen(2)
    #expect(bench.module.isAsleep)
    bench.send([0xFF])
    #expect(bench.listen(5).isEmpty)
    bench.module.pulseWakePin(now: bench.now)
    #expect(!bench.listen(2).isEmpty)
    #expect(bench.module.speed == 9600)
  }

  @Test func sirfInBinaryModeIgnoresSentences() {
    var bench = bench(.sirf)
    bench.send(Array("$PSRF100,0,9600,8,1,0*0C\r\n".utf8))
    bench.speed = 9600
    bench.listen(1)
    let received = bench.listen(3)
    #expect(ModuleBench.sentences(received).isEmpty && received.starts(with: [0xA0, 0xA2]))
  }
}
