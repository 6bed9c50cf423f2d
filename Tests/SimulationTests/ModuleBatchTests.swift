import Quantities
import Testing

/// Epochs that a simulated u-blox stores for its host.
@Suite struct ModuleBatchTests {
  private static func keys(_ pairs: [(UInt32, Int)]) -> [UInt8] {
    var payload: [UInt8] = [0, 1, 0, 0]
    for (key, value) in pairs {
      for shift in stride(from: 0, to: 32, by: 8) { payload.append(UInt8(truncatingIfNeeded: key >> shift)) }
      payload.append(UInt8(truncatingIfNeeded: value))
      if key >> 28 == 3 { payload.append(UInt8(truncatingIfNeeded: value >> 8)) }
    }
    return ModuleBench.ubx(0x06, 0x8A, payload)
  }

  private static let retrieve = ModuleBench.ubx(0x21, 0x10, [0, 1, 0, 0])
  private static let on: [(UInt32, Int)] = [(0x1026_0013, 1), (0x3026_0015, 300), (0x1026_001A, 1)]

  private func keeping(_ pairs: [(UInt32, Int)] = on) -> ModuleBench {
    var bench = ModuleBench(.ublox10) { $0.savedSpeed = 115_200 }
    bench.listen(10)
    bench.send(Self.keys(pairs))
    #expect(ModuleBench.frames(bench.listen(0.5)).contains([0x05, 0x01, 0x06, 0x8A]))
    return bench
  }

  private func frames(_ bench: inout ModuleBench, seconds: Double) -> (report: [UInt8]?, stored: [[UInt8]]) {
    let frames = ModuleBench.frames(bench.listen(seconds))
    return (frames.first { $0[..<2] == [0x0A, 0x32] }, frames.filter { $0[..<2] == [0x21, 0x11] })
  }

  @Test func storedEpochsAreSentOnceOldestFirst() throws {
    var bench = keeping()
    bench.listen(120)
    bench.send(Self.retrieve)
    let first = frames(&bench, seconds: 5)
    let report = try #require(first.report)
    #expect(first.stored.count == Int(report[6]) && (119...121).contains(first.stored.count))
    let numbers = first.stored.map { Int($0[4]) + Int($0[5]) * 256 }
    #expect(numbers == Array(0..<first.stored.count))
    bench.send(Self.retrieve)
    let second = frames(&bench, seconds: 1)
    #expect((5...6).contains(second.stored.count))
  }

  @Test func overwrittenEpochsAreCounted() throws {
    var bench = keeping([(0x1026_0013, 1), (0x3026_0015, 50), (0x1026_001A, 1)])
    bench.listen(70)
    bench.send(Self.retrieve)
    let answer = frames(&bench, seconds: 2)
    #expect(answer.stored.count == 50)
    let report = try #require(answer.report)
    #expect((19...21).contains(report[10]), "\(report)")
  }

  @Test func moreEntriesThanItsMemoryHoldsAreRejected() {
    var bench = keeping()
    bench.send(Self.keys([(0x3026_0015, 310)]))
    #expect(ModuleBench.frames(bench.listen(0.5)).contains([0x05, 0x00, 0x06, 0x8A]))
  }

  @Test func storedEpochsAreLostWhenDisabledOrRestarted() {
    var bench = keeping()
    bench.listen(60)
    bench.send(Self.keys([(0x1026_0013, 0)]))
    bench.listen(1)
    bench.send(Self.retrieve)
    #expect(ModuleBench.frames(bench.listen(1)).contains([0x05, 0x00, 0x21, 0x10]))
    bench.send(Self.keys(Self.on))
    bench.listen(0.5)
    bench.send(Self.retrieve)
    #expect(frames(&bench, seconds: 1).stored.count <= 1)
  }

  @Test func otherGenerationsDoNotSupportBatching() {
    var bench = ModuleBench(.ublox9)
    bench.listen(5)
    bench.send(Self.keys(Self.on))
    #expect(ModuleBench.frames(bench.listen(1)).contains([0x05, 0x00, 0x06, 0x8A]))
    var older = ModuleBench(.ublox8) { $0.protocolVersion = "23.01" }
    older.listen(5)
    older.send(ModuleBench.ubx(0x06, 0x93, [0, 5, 44, 1, 0, 0, 0, 0]))
    #expect(ModuleBench.frames(older.listen(1)).contains([0x05, 0x00, 0x06, 0x93]))
    var keeping = ModuleBench(.ublox8) { ($0.protocolVersion, $0.keepsEpochs) = ("23.01", true) }
    keeping.listen(5)
    keeping.send(ModuleBench.ubx(0x06, 0x93, [0, 5, 44, 1, 0, 0, 0, 0]))
    #expect(ModuleBench.frames(keeping.listen(1)).contains([0x05, 0x01, 0x06, 0x93]))
  }
}
