import Quantities
import Testing
import GNSSProtocol
import Simulation

@Suite struct ModuleUbloxTests {
  static let generations: [ModuleModel] = [.ublox6, .ublox7, .ublox8, .ublox9, .ublox10]
  static let acknowledged: [UInt8] = [0x05, 0x01]
  static let refused: [UInt8] = [0x05, 0x00]
  static let versionPoll = "B5 62 0A 04 00 00 0E 34"

  private func answers(_ bench: inout ModuleBench, _ bytes: [UInt8]) -> [[UInt8]] {
    bench.send(bytes)
    return ModuleBench.frames(bench.listen(2)).filter { $0[0] != 0x01 }
  }

  @Test(arguments: generations) func factorySettingsSendNMEAOnly(model: ModuleModel) {
    var bench = ModuleBench(model)
    #expect(bench.speed == (model == .ublox9 ? 38400 : 9600))
    bench.listen(5)
    let received = bench.listen(10)
    let sentences = ModuleBench.sentences(received)
    let talker = model == .ublox6 || model == .ublox7 ? "GP" : "GN"
    for kind in ["RMC", "VTG", "GGA", "GLL"] {
      #expect(sentences.filter { $0.hasPrefix(talker + kind) }.count == 10, "\(kind)")
    }
    #expect(ModuleBench.frames(received).isEmpty)
    #expect(sentences.filter { $0.contains("RMC") }.allSatisfy { $0.split(separator: ",")[2] == "A" })
    var decoder = ReceiverDecoder()
    var fixes = 0
    received.withUnsafeBytes { decoder.decode($0, at: bench.now) { _ in fixes += 1 } }
    #expect(decoder.statistics.checksumErrors == 0)
    #expect(decoder.statistics.discardedBytes == 0)
    #expect(fixes >= 9)
  }

  @Test(
    arguments: [
      (ModuleModel.ublox6, nil), (.ublox7, "PROTVER 14.00"), (.ublox8, "PROTVER=18.00"),
      (.ublox9, "PROTVER=32.01"), (.ublox10, "PROTVER=34.10"),
    ] as [(ModuleModel, String?)])
  func eachGenerationReportsItsProtocolVersion(model: ModuleModel, version: String?) {
    var bench = ModuleBench(model)
    bench.listen(1)
    bench.send(hex: Self.versionPoll)
    let answer = ModuleBench.frames(bench.listen(2)).first { $0.starts(with: [0x0A, 0x04]) } ?? []
    #expect(answer.count >= 42 && (answer.count - 42) % 30 == 0)
    let text = String(decoding: answer, as: UTF8.self)
    #expect(text.contains(version ?? "7.03"))
    #expect(text.contains("PROTVER") == (version != nil))
  }

  @Test(arguments: generations) func legacyConfigurationWorksUpToGenerationNine(model: ModuleModel) {
    var bench = ModuleBench(model)
    bench.listen(1)
    bench.send(
      hex: "B5 62 06 00 14 00 01 00 00 00 C0 08 00 00 00 C2 01 00 03 00 01 00 00 00 00 00 AA 52")
    if model == .ublox10 {
      #expect(ModuleBench.frames(bench.listen(1)).contains(Self.refused + [0x06, 0x00]))
      return
    }
    bench.speed = 115_200
    #expect(ModuleBench.frames(bench.listen(0.5)).contains(Self.acknowledged + [0x06, 0x00]))
    bench.send(hex: "B5 62 06 01 03 00 01 07 01 13 51")
    let hasSolution = model != .ublox6
    #expect(
      ModuleBench.frames(bench.listen(0.5)).contains(
        (hasSolution ? Self.acknowledged : Self.refused) + [0x06, 0x01]))
    let solutions = ModuleBench.frames(bench.listen(10)).filter { $0.starts(with: [0x01, 0x07]) }
    #expect(solutions.count == (hasSolution ? 10 : 0))
    #expect(solutions.allSatisfy { $0.count == (model == .ublox7 ? 86 : 94) })
  }

  @Test func generationSixReportsInFourMessages() {
    var bench = ModuleBench(.ublox6)
    bench.listen(5)
    for id: UInt8 in [0x02, 0x06, 0x12, 0x21] { bench.send(ModuleBench.ubx(0x06, 0x01, [0x01, id, 1])) }
    let frames = ModuleBench.frames(bench.listen(4))
    for (id, length) in [(0x02, 28), (0x06, 52), (0x12, 36), (0x21, 20)] as [(UInt8, Int)] {
      let own = frames.filter { $0.starts(with: [0x01, id]) }
      #expect(own.count >= 3 && own.allSatisfy { $0.count == length + 2 }, "\(id)")
    }
  }

  @Test(arguments: [ModuleModel.ublox9, .ublox10]) func keysSetBaudRateOutputAndInterval(model: ModuleModel) {
    var bench = ModuleBench(model)
    bench.listen(3)
    bench.send(hex: "B5 62 06 8A 0C 00 00 01 00 00 01 00 52 40 00 C2 01 00 F3 A5")
    bench.speed = 115_200
    #expect(ModuleBench.frames(bench.listen(1)).contains(Self.acknowledged + [0x06, 0x8A]))
    bench.send(hex: "B5 62 06 8A 13 00 00 01 00 00 01 00 74 10 01 02 00 74 10 00 07 00 91 20 01 69 00")
    bench.listen(1)
    bench.send(ModuleBench.ubx(0x06, 0x8A, [0, 1, 0, 0, 0x01, 0, 0x21, 0x30, 200, 0]))
    bench.listen(1)
    let received = bench.listen(4)
    #expect(ModuleBench.sentences(received).isEmpty)
    #expect((19...21).contains(ModuleBench.frames(received).filter { $0.starts(with: [1, 7]) }.count))
  }

  @Test func oneWrongKeyRejectsTheWholeMessage() {
    var bench = ModuleBench(.ublox10)
    bench.listen(1)
    let wrong: [UInt8] = [0, 1, 0, 0, 0x21, 0, 0x11, 0x20, 4, 0x99, 0x99, 0x11, 0x20, 1]
    #expect(answers(&bench, ModuleBench.ubx(0x06, 0x8A, wrong)) == [Self.refused + [0x06, 0x8A]])
    let poll = ModuleBench.ubx(0x06, 0x8B, [0, 0, 0, 0, 0x21, 0, 0x11, 0x20])
    #expect(answers(&bench, poll).first == [0x06, 0x8B, 1, 0, 0, 0, 0x21, 0, 0x11, 0x20, 0])
    bench.send(hex: "B5 62 06 8A 09 00 00 03 00 00 21 00 11 20 04 F2 5D")
    bench.listen(1)
    #expect(answers(&bench, poll).first?.last == 4)
  }

  @Test(arguments: [ModuleModel.ublox6, .ublox7, .ublox8]) func olderGenerationsRejectKeys(model: ModuleModel)
  {
    var bench = ModuleBench(model)
    bench.listen(1)
    #expect(
      answers(&bench, ModuleBench.bytes("B5 62 06 8A 0A 00 00 01 00 00 01 00 21 30 E8 03 D8 C4"))
        == [Self.refused + [0x06, 0x8A]])
  }

  @Test(arguments: [ModuleModel.ublox6, .ublox7, .ublox8]) func anEdgeEndsTheSleepOfTheShortRequest(
    model: ModuleModel
  ) {
    var bench = ModuleBench(model)
    #expect(bench.timeToFix().map { $0 < 4 } == true)
    bench.send(hex: "B5 62 02 41 08 00 00 00 00 00 02 00 00 00 4D 3B")
    bench.listen(0)
    #expect(bench.module.isAsleep && bench.module.nextMoment == nil)
    #expect(bench.listen(600).isEmpty)
    bench.send([0xFF])
    bench.send(hex: Self.versionPoll)
    bench.listen(0.5)
    #expect(!bench.module.isAsleep)
    let first = ModuleBench.sentences(bench.listen(1)).first { $0.contains("RMC") }?.split(
      separator: ",", omittingEmptySubsequences: false)
    // The old position with status V.
    #expect(first?[2] == "V" && first?[3].isEmpty == false)
    bench.send(hex: Self.versionPoll)
    #expect(ModuleBench.frames(bench.listen(1)).contains { $0.starts(with: [0x0A, 0x04]) })
    #expect(bench.timeToFix(limit: 3) != nil)
  }

  @Test func theTimerEndsTheSleepAtThePredictedMoment() {
    var bench = ModuleBench(.ublox8)
    bench.listen(5)
    bench.send(hex: "B5 62 02 41 08 00 60 EA 00 00 02 00 00 00 97 A1")
    bench.listen(1)
    #expect(bench.module.nextMoment == .zero + .seconds(65))
    #expect(bench.listen(58.9).isEmpty)
    #expect(!bench.listen(3).isEmpty)
  }

  @Test func withoutAWakeUpSourceOnlyTheSupplyWakes() {
    var bench = ModuleBench(.ublox10)
    bench.listen(5)
    bench.send(ModuleBench.ubx(0x02, 0x41, [0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]))
    bench.listen(1)
    bench.send([0xFF, 0xFF])
    bench.module.pulseWakePin(now: bench.now)
    #expect(bench.listen(5).isEmpty)
    bench.module.setSupply(false, now: bench.now)
    bench.module.setSupply(true, now: bench.now)
    #expect(!bench.listen(2).isEmpty)
  }

  /// Automotive in RAM and BBR, 5 Hz in RAM only.
  @Test(arguments: [ModuleModel.ublox9, .ublox10]) func sleepLosesRAMAndKeepsBackupMemory(model: ModuleModel)
  {
    var bench = ModuleBench(model)
    bench.listen(2)
    bench.send(hex: "B5 62 06 8A 09 00 00 03 00 00 21 00 11 20 04 F2 5D")
    bench.send(ModuleBench.ubx(0x06, 0x8A, [0, 1, 0, 0, 0x01, 0, 0x21, 0x30, 200, 0]))
    bench.listen(1)
    bench.send(hex: "B5 62 02 41 10 00 00 00 00 00 00 00 00 00 06 00 00 00 28 00 00 00 81 EB")
    bench.listen(10)
    #expect(bench.module.isAsleep)
    bench.send([0xFF])
    bench.listen(1)
    let poll = ModuleBench.ubx(
      0x06, 0x8B, [0, 0, 0, 0, 0x21, 0, 0x11, 0x20, 0x01, 0, 0x21, 0x30])
    #expect(
      answers(&bench, poll).first
        == [0x06, 0x8B, 1, 0, 0, 0, 0x21, 0, 0x11, 0x20, 4, 0x01, 0, 0x21, 0x30, 0xE8, 3])
  }

  @Test(arguments: [(true, 38400), (false, 9600)] as [(Bool, UInt32)])
  func savedSettingsRequireTheBackupSupply(hasBackup: Bool, speed: UInt32) {
    var bench = ModuleBench(.ublox8) { $0.hasBackupSupply = hasBackup }
    bench.listen(5)
    bench.send("PUBX,41,1,0007,0003,38400,0")
    bench.speed = 38400
    bench.send(ModuleBench.ubx(0x06, 0x09, [0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0x17]))
    #expect(ModuleBench.frames(bench.listen(1)).contains(Self.acknowledged + [0x06, 0x09]))
    bench.module.setSupply(false, now: bench.now)
    #expect(bench.listen(100).isEmpty)
    bench.module.setSupply(true, now: bench.now)
    bench.speed = speed
    bench.listen(1)
    #expect(bench.module.speed == speed)
    #expect(bench.timeToFix().map { hasBackup ? $0 < 3 : $0 > 25 } == true)
  }

  @Test func saveOnShutdownWithTimeAidingGivesAHotStart() {
    var bench = ModuleBench(.ublox8) {
      $0.hasBackupSupply = false
      $0.hasFlash = true
    }
    bench.listen(5)
    bench.send(hex: "B5 62 06 04 04 00 00 00 08 00 16 74")
    bench.listen(1)
    #expect(
      answers(&bench, ModuleBench.bytes("B5 62 09 14 04 00 00 00 00 00 21 EC")).contains([
        9, 0x14, 2, 0, 0, 0, 1, 0, 0, 0,
      ]))
    bench.module.setSupply(false, now: bench.now)
    bench.listen(60)
    bench.module.setSupply(true, now: bench.now)
    #expect(ModuleBench.frames(bench.listen(1)).contains([9, 0x14, 3, 0, 0, 0, 2, 0, 0, 0]))
    bench.send(ModuleBench.ubx(0x13, 0x40, [0x10] + [UInt8](repeating: 0, count: 23)))
    #expect(bench.timeToFix().map { $0 < 4 } == true)
  }

  @Test func aidingIsAcknowledgedOnRequest() {
    var bench = ModuleBench(.ublox10) { $0.firstStart = .cold }
    bench.listen(1)
    let time = ModuleBench.ubx(0x13, 0x40, [0x10] + [UInt8](repeating: 0, count: 23))
    #expect(answers(&bench, time).isEmpty)
    bench.send(ModuleBench.ubx(0x06, 0x8A, [0, 1, 0, 0, 0x25, 0, 0x11, 0x10, 1]))
    bench.listen(1)
    #expect(answers(&bench, time) == [[0x13, 0x60, 1, 0, 0, 0x40, 0x10, 0, 0, 0]])
    let position = ModuleBench.ubx(0x13, 0x40, [0x01] + [UInt8](repeating: 0, count: 19))
    #expect(answers(&bench, position).first?[2] == 1)
  }

  @Test func tooManyDamagedBytesDisableTheInputForASecond() {
    var bench = ModuleBench(.ublox8)
    bench.listen(5.1)
    bench.module.receive([UInt8](repeating: 0x55, count: 300), at: 9600 * 2, now: bench.now)
    bench.send(hex: Self.versionPoll)
    let received = bench.listen(0.9)
    #expect(
      ModuleBench.sentences(received).contains(
        "GNTXT,01,01,01,More than 100 frame errors, UART RX was disabled")
    )
    #expect(ModuleBench.frames(received).isEmpty)
    bench.send(hex: Self.versionPoll)
    #expect(ModuleBench.frames(bench.listen(2)).count == 1)
  }

  @Test func powerSaveOnOffSleepsAfterTheFix() {
    var bench = ModuleBench(.ublox8)
    bench.listen(1)
    bench.send(hex: "B5 62 06 86 08 00 00 02 3C 00 0A 00 00 00 DC F8")
    bench.listen(15)
    #expect(bench.module.isAsleep)
    bench.listen(52)
    #expect(!bench.module.isAsleep)
  }
}
