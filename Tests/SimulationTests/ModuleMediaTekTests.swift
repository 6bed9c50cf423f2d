import Quantities
import Testing
import GNSSProtocol
import Simulation

@Suite struct ModuleMediaTekTests {
  private func bench(_ change: (inout ModuleOptions) -> Void = { _ in }) -> ModuleBench {
    var bench = ModuleBench(.mediaTek, change)
    let start = ModuleBench.sentences(bench.listen(5))
    #expect(start.prefix(2) == ["PMTK011,MTKGPS", "PMTK010,001"])
    return bench
  }

  private func answers(_ bench: inout ModuleBench, _ command: String) -> [String] {
    bench.send(Array("\(command)\r\n".utf8))
    return ModuleBench.sentences(bench.listen(1.5)).filter { $0.hasPrefix("PMTK") }
  }

  @Test(arguments: [
    ("$PMTK605*31", "PMTK705,AXN_2.31_3339_13101700,5632,PA6H,1.0"), ("$PMTK220,1000*1F", "PMTK001,220,3"),
    ("$PMTK300,1000,0,0,0,0*1C", "PMTK001,300,3"), ("$PMTK314,-1*04", "PMTK001,314,3"),
    ("$PMTK314,0,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0*28", "PMTK001,314,3"),
    ("$PMTK161,0*28", "PMTK001,161,3"), ("$PMTK225,0*2B", "PMTK001,225,3"),
    ("$PMTK386,0*23", "PMTK001,386,3"),
    ("$PMTK313,1*2E", "PMTK001,313,3"), ("$PMTK869,1,1*35", "PMTK001,869,3"),
    ("$PMTK255,1*2D", "PMTK001,255,3"), ("$PMTK223,1,25,180000,60000*38", "PMTK001,223,3"),
  ])
  func commandsAreAcknowledged(command: String, answer: String) {
    var bench = bench()
    #expect(answers(&bench, command) == [answer])
  }

  @Test(arguments: [
    ("PMTK220,99", "PMTK001,220,0"), ("PMTK999", "PMTK001,999,1"), ("PMTK314,1,1", "PMTK001,314,0"),
    ("PMTK225,7", "PMTK001,225,0"),
  ])
  func invalidCommandsAreRejected(body: String, answer: String) {
    var bench = bench()
    bench.send(body)
    #expect(ModuleBench.sentences(bench.listen(1)).contains(answer))
  }

  @Test func aWrongChecksumIsIgnored() {
    var bench = bench()
    #expect(answers(&bench, "$PMTK605*32").isEmpty)
  }

  @Test func aChangeOfTheBaudRateIsNotAnswered() {
    var bench = bench()
    #expect(answers(&bench, "$PMTK251,115200*1F").isEmpty)
    #expect(bench.module.speed == 115_200)
    bench.speed = 115_200
    let received = bench.listen(3)
    #expect(ModuleBench.sentences(received).filter { $0.contains("RMC") }.count == 3)
  }

  @Test func sentencesAndIntervalAreSet() {
    var bench = bench()
    bench.send("PMTK314,0,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")
    bench.send("PMTK220,200")
    bench.listen(2)
    let sentences = ModuleBench.sentences(bench.listen(2))
    #expect(Set(sentences.map { $0.prefix(5) }) == ["GPRMC", "GPGGA"])
    #expect((18...22).contains(sentences.count))
  }

  @Test func anyByteEndsStandbyAndTheFirstSentenceIsLost() {
    var bench = bench()
    bench.send("PMTK220,500")
    bench.send("PMTK161,0")
    bench.listen(2)
    #expect(bench.module.isAsleep)
    #expect(bench.listen(100).isEmpty)
    bench.send("PMTK605")
    let received = ModuleBench.sentences(bench.listen(1))
    #expect(received.first == "PMTK010,001")
    #expect(!received.contains { $0.hasPrefix("PMTK705") })
    #expect(bench.timeToFix().map { $0 < 2 } == true)
    #expect((7...9).contains(ModuleBench.sentences(bench.listen(4)).filter { $0.contains("RMC") }.count))
  }

  @Test func onlyThePinEndsPerpetualBackup() {
    var bench = bench()
    #expect(answers(&bench, "$PMTK225,4*2F") == ["PMTK001,225,3"])
    bench.send("PMTK225,0")
    #expect(bench.listen(5).isEmpty)
    bench.module.pulseWakePin(now: bench.now)
    #expect(ModuleBench.sentences(bench.listen(1)).contains("PMTK011,MTKGPS"))
  }

  @Test(arguments: [1, 2]) func periodicModesAlternateBetweenSleepAndOperation(kind: Int) {
    var bench = bench()
    bench.send("PMTK225,\(kind),3000,12000,18000,72000")
    bench.listen(5)
    #expect(bench.module.isAsleep)
    bench.listen(11.5)
    #expect(!bench.module.isAsleep)
    bench.listen(4)
    #expect(bench.module.isAsleep)
    // Only the standby mode accepts input.
    bench.send([0xFF])
    bench.listen(0.5)
    #expect(bench.module.isAsleep == (kind == 1))
  }

  @Test(arguments: [true, false]) func settingsRequireTheBackupSupply(hasBackup: Bool) {
    var bench = bench { $0.hasBackupSupply = hasBackup }
    bench.send("PMTK251,38400")
    bench.module.setSupply(false, now: bench.now)
    bench.listen(60)
    bench.module.setSupply(true, now: bench.now)
    bench.listen(1)
    #expect(bench.module.speed == (hasBackup ? 38400 : 9600))
  }

  @Test(
    arguments: [
      ("$PMTK101*32", 0.0...4), ("$PMTK102*31", 26...31), ("$PMTK103*30", 30...35), ("$PMTK104*37", 30...35),
    ] as [(String, ClosedRange<Double>)])
  func eachKindOfStartTakesItsTime(command: String, seconds: ClosedRange<Double>) {
    var bench = bench()
    bench.send(Array("\(command)\r\n".utf8))
    bench.listen(0.5)
    #expect(bench.timeToFix().map { seconds.contains($0) } == true)
  }

  @Test(arguments: [(7000, 4), (7400, 30)] as [(Double, Double)])
  func afterTwoHoursAStartIsWarm(asleep: Double, limit: Double) {
    var bench = bench()
    bench.listen(40)
    bench.send("PMTK161,0")
    bench.listen(asleep)
    bench.send([0x0D])
    let time = bench.timeToFix() ?? 99
    #expect(time <= limit && time >= limit / 4)
  }
}
