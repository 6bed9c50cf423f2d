import GNSSProtocol
import Quantities
import Testing

/// Epochs that a receiver stored and sends in LOG-BATCH.
@Suite struct StoredEpochTests {
  /// The LOG-BATCH with the content of `pvt`.
  static func batch(_ pvt: PVT, number: UInt16 = 0, content: UInt8 = 1) -> [UInt8] {
    var whole = pvt
    whole.length = 92
    let fields = whole.frame[6...].prefix(78)
    let head: [UInt8] = [0, content, UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
    return ubx(0x21, 0x11, head + fields + [UInt8](repeating: 0xFF, count: 18))
  }

  private func decode(_ bytes: [UInt8]) -> [Fix] {
    var bench = Bench()
    bench.send(bytes)
    return bench.fixes
  }

  /// The cases with fields that only NAV-PVT has.
  static let ofPVT: Set<String> = ["83 bytes", "position invalid", "float", "fixed"]
  static let cases: [NavigationSolutionTests.Case] = {
    NavigationSolutionTests.cases.filter { !ofPVT.contains($0.name) }
  }()

  @Test(arguments: cases)
  func aStoredEpochIsTheFixOfItsNAVPVT(_ row: NavigationSolutionTests.Case) throws {
    var bench = Bench()
    bench.send(row.pvt.frame)
    bench.decoder.finish { if let fix = $0.fix { bench.fixes.append(fix) } }
    var stored = try #require(bench.fixes.first)
    stored.isStored = true
    #expect(decode(Self.batch(row.pvt)) == [stored])
  }

  @Test func withoutExtraPVTOnlyTheBasicFieldsAreUsed() throws {
    let whole = try #require(decode(Self.batch(PVT())).first)
    let basic = try #require(decode(Self.batch(PVT(), content: 0)).first)
    #expect(basic.kind == .threeDimensional && basic.timestamp == whole.timestamp)
    #expect(basic.latitude == whole.latitude && basic.longitude == whole.longitude)
    #expect(basic.speed == whole.speed && basic.course == whole.course)
    #expect(basic.horizontalAccuracy == whole.horizontalAccuracy)
    #expect(basic.ellipsoidHeight == whole.ellipsoidHeight)
    #expect(basic.altitude == nil && basic.climb == nil && basic.verticalAccuracy == nil)
    #expect(basic.speedAccuracy == nil && basic.courseAccuracy == nil && basic.satellitesUsed == nil)
    #expect(basic.positionDilution == nil)
  }

  @Test func storedEpochsAreEmittedImmediatelyWithoutTheCurrentEpoch() {
    var bench = Bench()
    var live = PVT()
    live.second = 30
    bench.send(live.frame)
    for second in 10..<20 as Range<UInt8> {
      var stored = PVT()
      stored.second = second
      bench.send(Self.batch(stored))
    }
    #expect(bench.fixes.count == 10 && bench.fixes.allSatisfy(\.isStored))
    #expect(bench.fixes.map(\.millisecondOfDay) == (10..<20).map { 83_640_000 + $0 * 1000 })
    bench.decoder.finish { if let fix = $0.fix { bench.fixes.append(fix) } }
    #expect(bench.fixes.count == 11 && bench.fixes.last?.isStored == false)
    #expect(bench.decoder.statistics.epochs == 11 && bench.decoder.statistics.fixes == 11)
  }

  @Test func withoutTimeAndPositionThereIsNoEpoch() {
    var empty = PVT()
    (empty.valid, empty.flags) = (0, 0)
    #expect(decode(Self.batch(empty)).isEmpty)
  }

  @Test func anyLengthAndAnyBytesAreAccepted() {
    var random = SplitMix64(seed: 7)
    for length in 0..<130 {
      let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      for type in [0x0A, 0x21] as [UInt8] {
        for id in [0x10, 0x11, 0x32] as [UInt8] {
          let fixes = decode(ubx(type, id, payload))
          #expect(fixes.isEmpty || type == 0x21 && id == 0x11 && length == 100)
        }
      }
    }
    for _ in 0..<2000 {
      let payload = [0] + (1..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
      for fix in decode(ubx(0x21, 0x11, payload)) {
        #expect((fix.latitude ?? 0).magnitude <= 90 && (fix.longitude ?? 0).magnitude <= 180)
      }
    }
    var other = [UInt8](Self.batch(PVT())[6..<106])
    other[0] = 1
    #expect(decode(ubx(0x21, 0x11, other)).isEmpty, "another version")
  }
}
