import Quantities
import Testing
import GNSSProtocol
import Simulation

@Suite struct ModuleFaultTests {
  private func bench(_ model: ModuleModel, _ change: (inout ModuleFaults) -> Void) -> ModuleBench {
    var bench = ModuleBench(model) { change(&$0.faults) }
    bench.module.pulseWakePin(now: .zero)
    bench.listen(5)
    return bench
  }

  private static let rate = ModuleBench.ubx(0x06, 0x08, [200, 0, 1, 0, 1, 0])

  @Test func aLyingModuleAcknowledgesAndChangesNothing() {
    var bench = bench(.ublox8) { $0.lies = true }
    bench.send(Self.rate)
    #expect(ModuleBench.frames(bench.listen(1)).contains([5, 1, 6, 8]))
    bench.send(ModuleBench.ubx(0x06, 0x08, []))
    #expect(ModuleBench.frames(bench.listen(1)).contains([6, 8, 0xE8, 3, 1, 0, 1, 0]))
    bench.send("PUBX,41,1,0007,0003,115200,0")
    #expect(bench.module.speed == 9600)
    var other = self.bench(.mediaTek) { $0.lies = true }
    other.send("PMTK161,0")
    #expect(ModuleBench.sentences(other.listen(2)).contains("PMTK001,161,3"))
    #expect(!other.module.isAsleep)
  }

  @Test(arguments: [
    (ModuleModel.mediaTek, "PMTK220,200", "PMTK001,220,1"), (.airoha, "PAIR050,200", "PAIR001,050,2"),
    (.quectel, "PQTMSAVEPAR", "PQTMSAVEPAR,ERROR,2"),
  ])
  func aRejectingModuleUsesTheResponseOfItsFamily(model: ModuleModel, command: String, answer: String) {
    var bench = bench(model) { $0.refusesAll = true }
    bench.send(command)
    #expect(ModuleBench.sentences(bench.listen(1)).contains(answer))
  }

  @Test func aRejectingUbloxReportsOnlyItsVersion() {
    var bench = bench(.ublox8) { $0.refusesAll = true }
    bench.send(Self.rate)
    bench.send(hex: ModuleUbloxTests.versionPoll)
    bench.send(hex: "B5 62 02 41 08 00 00 00 00 00 02 00 00 00 4D 3B")
    let frames = ModuleBench.frames(bench.listen(2))
    #expect(frames.first == [5, 0, 6, 8])
    #expect(frames.last?.starts(with: [0x0A, 0x04]) == true)
    #expect(!bench.module.isAsleep)
  }

  @Test func rejectionsCanBeSilent() {
    var bench = bench(.ublox10) { $0.hidesRefusals = true }
    bench.send(Self.rate)
    #expect(ModuleBench.frames(bench.listen(2)).isEmpty)
  }

  @Test(arguments: ModuleModel.allCases) func aModuleThatIgnoresCommandsKeepsSending(model: ModuleModel) {
    var unresponsive = bench(model) { $0.ignoresCommands = true }
    var untouched = bench(model) { _ in }
    for command in ["PMTK605", "PAIR021", "PQTMVERNO", "PCAS06,0", "PSRF105,1", "PMTK161,0", "PUBX,00"] {
      unresponsive.send(command)
    }
    unresponsive.send(hex: ModuleUbloxTests.versionPoll)
    #expect(unresponsive.listen(5) == untouched.listen(5))
  }

  @Test func aMuteSpanEnds() {
    var bench = bench(.ublox8) { $0.mute = Moment.zero + .seconds(10)..<Moment.zero + .seconds(40) }
    bench.listen(6)
    #expect(bench.listen(28).isEmpty)
    #expect(!bench.listen(3).isEmpty)
  }

  @Test func aBrownOutRestoresTheFactorySettings() {
    var bench = ModuleBench(.mediaTek) {
      $0.savedSpeed = 115_200
      $0.faults.restartsAt = .zero + .seconds(60)
    }
    #expect(bench.speed == 115_200)
    bench.listen(59)
    #expect(ModuleBench.sentences(bench.listen(0.9)).isEmpty == false)
    bench.listen(5)
    #expect(bench.module.speed == 9600)
    #expect(!bench.module.hasFix)
  }

  @Test func aSpontaneousBaudRateChangeIsGarbageToTheHost() {
    var bench = bench(.ublox8) { $0.speedChange = .init(at: .zero + .seconds(20), speed: 38400) }
    bench.listen(15)
    let received = bench.listen(10)
    #expect(received.count > 500 && ModuleBench.sentences(received).isEmpty)
    bench.send(hex: ModuleUbloxTests.versionPoll)
    #expect(ModuleBench.frames(bench.listen(2)).isEmpty)
    bench.speed = 38400
    #expect(!ModuleBench.sentences(bench.listen(2)).isEmpty)
  }

  @Test func aTornFrameIsSentFirstAfterAWakeUp() {
    var bench = bench(.mediaTek) { $0.wakesTorn = true }
    bench.send("PMTK161,0")
    bench.listen(5)
    bench.send([0])
    let received = bench.listen(2)
    #expect(
      received.starts(with: [0x00, 0xFF, 0xFF, 0x00]) && received.dropFirst(4).first == UInt8(ascii: "7"))
    #expect(ModuleBench.sentences(received).count > 2)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func someAnswersAreLost(seed: UInt64) {
    var bench = ModuleBench(.mediaTek) {
      $0.seed = seed
      $0.faults.lostAnswers = 0.3
    }
    bench.listen(2)
    var answered = 0
    for _ in 0..<200 {
      bench.send("PMTK220,1000")
      answered += ModuleBench.sentences(bench.listen(1)).filter { $0.hasPrefix("PMTK001") }.count
    }
    #expect((110...170).contains(answered))
  }

  @Test func lateAnswersDoNotDelayEpochs() {
    var bench = bench(.ublox8) { $0.answerDelay = .seconds(3) }
    bench.send(ModuleBench.ubx(0x06, 0x08, [0xE8, 3, 1, 0, 1, 0]))
    let early = bench.listen(2.5)
    #expect(ModuleBench.frames(early).isEmpty && ModuleBench.sentences(early).count > 10)
    #expect(ModuleBench.frames(bench.listen(2)).contains([5, 1, 6, 8]))
  }

  @Test(arguments: [
    (ModuleModel.ublox8, "B5 62 0A 04 00 00 0E 34"), (.mediaTek, "24 50 4D 54 4B 36 30 35 2A 33 31 0D 0A"),
    (.airoha, "24 50 41 49 52 30 32 31 2A 33 39 0D 0A"),
  ])
  func aCloneHasADifferentVersion(model: ModuleModel, poll: String) {
    var bench = bench(model) { $0.versionText = "1.00 (clone)" }
    bench.send(hex: poll)
    #expect(String(decoding: bench.listen(2), as: UTF8.self).contains("1.00 (clone)"))
  }

  @Test func aModuleThatRequiresThePinIgnoresInput() {
    var bench = bench(.mediaTek) { $0.wakesOnlyByPin = true }
    bench.send("PMTK161,0")
    bench.listen(2)
    bench.send([0xFF])
    #expect(bench.listen(5).isEmpty)
    bench.module.pulseWakePin(now: bench.now)
    #expect(!bench.listen(2).isEmpty)
  }

  @Test func theFixIsLostWithoutReceptionAndReturnsWithIt() {
    var bench = bench(.ublox8) { _ in }
    bench.module.setReception(false, now: bench.now)
    #expect(!bench.module.hasFix)
    bench.listen(2)
    #expect(ModuleBench.sentences(bench.listen(2)).contains { $0.contains("RMC") && $0.contains(",V,") })
    bench.module.setReception(true, now: bench.now)
    bench.listen(4)
    #expect(ModuleBench.sentences(bench.listen(2)).contains { $0.contains("RMC") && $0.contains(",A,") })
  }
}
