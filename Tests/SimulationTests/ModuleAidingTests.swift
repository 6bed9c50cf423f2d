import Quantities
import Testing
import Simulation

/// Effects of aiding with time and position, and reports of antenna and jamming.
@Suite struct ModuleAidingTests {
  private func bench(_ model: ModuleModel) -> ModuleBench {
    var bench = ModuleBench(model) {
      $0.firstStart = .cold
      $0.starts.warm = .seconds(5)
    }
    bench.listen(2)
    return bench
  }

  /// AID-INI with 52° N 13° E and the flags.
  private static func old(flags: UInt8) -> [UInt8] {
    var payload = [UInt8](repeating: 0, count: 48)
    payload.replaceSubrange(0..<8, with: [0x00, 0xA6, 0xFE, 0x1E, 0x80, 0xA4, 0xBF, 0x07])
    payload[44] = flags
    return ModuleBench.ubx(0x0B, 0x01, payload)
  }

  @Test(
    arguments: [ModuleModel.ublox6, .ublox7], [(0x23, true), (0x21, false), (0x02, false), (0x03, false)])
  func theOldAidingMessageRequiresTimeAndAGeodeticPosition(
    _ model: ModuleModel, _ test: (flags: UInt8, isEnough: Bool)
  ) {
    var bench = bench(model)
    bench.send(Self.old(flags: test.flags))
    #expect((bench.timeToFix(limit: 40) ?? 99 < 8) == test.isEnough)
  }

  @Test func airohaAcceptsTimeAndPosition() {
    var bench = bench(.airoha)
    bench.send("PAIR590,2026,03,21,10,00,02")
    bench.send("PAIR600,52.0000000,13.0000000,80,100,100,0,100")
    #expect(
      ModuleBench.sentences(bench.listen(0.5)).filter { $0.hasPrefix("PAIR") } == [
        "PAIR001,590,0", "PAIR001,600,0",
      ])
    #expect(bench.timeToFix(limit: 40) ?? 99 < 8)
    bench.send("PAIR600,91,0,0,0,0,0,0")
    #expect(ModuleBench.sentences(bench.listen(0.5)).contains("PAIR001,600,4"))
  }

  @Test(arguments: [
    (ModuleModel.airoha, "PAIR590,2026,03,21,10,00,02", "PAIR001,590,3"),
    (.mediaTek, "PMTK740,2026,03,21,10,00,02", "PMTK001,740,1"),
    (.mediaTek, "PMTK741,52.0,13.0,80,2026,03,21,10,00,02", "PMTK001,741,1"),
  ])
  func rejectedAidingIsAnswered(_ model: ModuleModel, command: String, answer: String) {
    var bench = bench(model)
    bench.module.faults.refusesAid = true
    bench.send(command)
    #expect(ModuleBench.sentences(bench.listen(1)).contains(answer))
    #expect(bench.timeToFix(limit: 60) ?? 0 > 20)
  }

  @Test(
    arguments: [
      (ModuleModel.ublox6, 0x09, 68), (.ublox8, 0x09, 60), (.ublox9, 0x38, 28), (.ublox10, 0x38, 28),
    ] as [(ModuleModel, UInt8, Int)])
  func antennaAndJammingAreReportedOnRequest(_ model: ModuleModel, id: UInt8, length: Int) throws {
    var bench = bench(model)
    bench.module.faults.antennaStatus = 3
    bench.module.faults.jammingState = 2
    bench.send(ModuleBench.ubx(0x0A, id, []))
    let frame = try #require(
      ModuleBench.frames(bench.listen(1)).first { $0.starts(with: [0x0A, id]) })
    #expect(frame.count == length + 2)
    #expect(frame[2 + (id == 0x09 ? 20 : 6)] == 3)
    #expect((id == 0x09 ? frame[24] >> 2 : frame[7]) & 3 == 2)
  }

  @Test(arguments: [(ModuleModel.ublox8, 0x38), (.ublox10, 0x09)] as [(ModuleModel, UInt8)])
  func messagesThatAGenerationLacksAreNotAnswered(_ model: ModuleModel, id: UInt8) {
    var bench = bench(model)
    bench.send(ModuleBench.ubx(0x0A, id, []))
    #expect(!ModuleBench.frames(bench.listen(1)).contains { $0.first == 0x0A })
  }

  @Test func aModuleThatStaysAwakeKeepsSending() {
    var bench = bench(.ublox8)
    bench.module.faults.staysAwake = true
    bench.send(hex: "B5 62 02 41 08 00 00 00 00 00 02 00 00 00 4D 3B")
    #expect(!bench.listen(3).isEmpty && !bench.module.isAsleep)
  }
}
