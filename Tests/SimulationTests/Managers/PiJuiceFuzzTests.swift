import Chips
import Quantities
import Simulation
import Testing

/// The block protocol of the PiJuice with bytes of any kind. A seed repeats a run.
@Suite struct PiJuiceFuzzTests {
  static let seeds: [UInt64] = Array(1...20)

  /// Everything that a driver can be asked.
  static let calls: [@Sendable (PiJuice) throws -> Void] = [
    { _ = try $0.identify() }, { _ = try $0.seconds() }, { _ = try $0.setWake(in: .seconds(3600)) },
    { try $0.verifyWake(at: 841_003_600) }, { try $0.clearWake() }, { try $0.armCut(after: .seconds(30)) },
    { try $0.disarmCut() }, { _ = try $0.isCutArmed() }, { _ = try $0.setDeadMan(.seconds(7200)) },
    { _ = try $0.setDeadMan(nil) }, { _ = try $0.startReason() },
  ]

  @Test(arguments: seeds) func anyBytesEndInAValueOrAChipError(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bench = PiJuiceBench()
    bench.change = { bytes in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
      if random.next() % 8 == 0, !bytes.isEmpty { bytes.removeLast() }
      if random.next() % 8 == 0 {
        bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: bytes.count)
      }
    }
    let gauge = PiJuiceGauge(bus: bench, address: PiJuice.addresses[0], wiring: GaugeWiring())
    for _ in 0..<200 {
      for call in Self.calls {
        do { try call(bench.chip) } catch { #expect(error is ChipError, "seed \(seed): \(error)") }
      }
      _ = try? gauge.read()
    }
  }

  /// The top bit of the sum cannot be told from that of the first byte: the clock has no such value.
  @Test(arguments: seeds) func aChangedByteIsNoticedAndALostTopBitRepaired(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bench = PiJuiceBench()
    let truth = try bench.chip.seconds()
    var noticed = 0
    for _ in 0..<500 {
      bench.change = { bytes in
        guard !bytes.isEmpty else { return }
        bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 + random.next() % 255)
      }
      do {
        let seconds = try bench.chip.seconds()
        #expect(seconds == truth, "seed \(seed)")
      } catch { noticed += 1 }
      bench.change = { if !$0.isEmpty { $0[0] &= 0x7F } }
      #expect(try !bench.chip.isCutArmed(), "seed \(seed): 255 without its top bit")
    }
    #expect(noticed == 500, "seed \(seed): \(noticed)")
  }

  /// Writes with a wrong sum change nothing, and no frame traps.
  @Test(arguments: seeds) func theBoardTakesOnlyFramesWithTheirSum(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var board = VirtualPiJuice()
    var now = Moment.zero
    for _ in 0..<2000 {
      let length = Int(random.next() % 14)
      var frame = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let sum = frame.dropFirst().dropLast().reduce(0xFF, ^)
      if random.next() % 2 == 0, length > 2 { frame[length - 1] = sum }
      let (before, count) = (board.writes, Int(random.next() % 12))
      #expect(board.transfer(write: frame, readCount: count).count == count)
      #expect((board.writes != before) == (length > 2 && frame.last == sum), "seed \(seed): \(frame)")
      now = now + .milliseconds(Int64(random.next() % 100_000))
      board.advance(to: now)
    }
  }

  /// The whole sequence, with a bus that changes and misses some answers.
  @Test(arguments: seeds) func aNoisyBusStrandsNoHost(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bench = PiJuiceBench()
    let request = PowerDown.Request(time: .seconds(3600), cutAfter: .seconds(90), deadMan: .seconds(7200))
    for night in 0..<20 {
      let starts = bench.board.starts
      bench.change = { bytes in
        guard random.next() % 20 == 0, !bytes.isEmpty else { return }
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let action = bench.run(request) { _ in
        (bench.failsAfter, bench.failures) = (Int(random.next() % 20), 1)
      }
      bench.repair()
      bench.pass(7300)
      let text = "seed \(seed), night \(night): \(String(describing: action))"
      #expect(bench.board.isHostPowered, "\(text)")
      if case .goDown = action { #expect(bench.board.starts > starts, "\(text)") }
      #expect(throws: Never.self, "\(text)") {
        try bench.chip.disarmCut()
        try bench.chip.clearWake()
        _ = try bench.chip.setDeadMan(nil)
      }
    }
  }
}
