import Quantities
import Testing

import Chips

/// Chips that answer, but never usefully.
@Suite struct StubbornAccelerometerTests {
  /// A chip with faulty answers, or a data line stuck low.
  private final class Bus: I2CBus {
    let part: RegisterFileBus
    /// Every transaction is acknowledged, every byte is zero.
    var isHeldLow = false
    /// Register whose answer is truncated.
    var short: UInt8?
    /// Number of further transactions that are not acknowledged.
    var refusals = 0
    /// Fixed content of bursts by first register, regardless of writes.
    var fixed: [UInt8: [UInt8]] = [:]

    init(_ part: RegisterFileBus) { self.part = part }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      if refusals > 0 {
        refusals -= 1
        throw .noAcknowledge(address)
      }
      if isHeldLow { return [UInt8](repeating: 0, count: readCount) }
      if let register = write.first, readCount > 1, let bytes = fixed[register] {
        return Array(bytes.prefix(readCount))
      }
      let bytes = try part.transfer(to: address, write: write, readCount: readCount)
      return short == write.first && readCount > 0 ? Array(bytes.dropLast()) : bytes
    }
  }

  private struct Bench {
    let bus: Bus
    var reader: AccelerometerReader
    var now = Moment.zero
    var notices: [AccelerometerNotice] = []
    var steps = 0

    init(_ name: String, hasLine: Bool = false) throws {
      bus = Bus(try AccelerometerPartTests.bus(of: name))
      let part = try #require(AccelerometerPart.named(name))
      reader = AccelerometerReader(
        part: part, address: try #require(part.addresses.first), hasLine: hasLine, now: .zero)
    }

    mutating func step(_ cause: AccelerometerReader.Cause) {
      let bus = bus
      notices += reader.step(on: { () throws(I2CError) in bus }, cause: cause, now: now)
    }

    mutating func run(until end: Moment) {
      while let next = reader.nextTimeout, next <= end, steps < 100_000 {
        now = max(now, next)
        steps += 1
        step(.deadline)
      }
      now = end
    }

    var losses: Int { notices.filter { if case .lost = $0 { true } else { false } }.count }
    var returns: Int { notices.filter { if case .returned = $0 { true } else { false } }.count }
  }

  static let samples = DesiredAccelerometerMode.samples(SamplingRequest(rate: 25), within: .seconds(2))

  @Test(arguments: AccelerometerPart.all.map(\.name))
  func aStuckDataLineDuringSamplingIsALoss(_ name: String) throws {
    var bench = try Bench(name)
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: .zero + .seconds(60))
    #expect(bench.losses == 0)
    bench.bus.isHeldLow = true
    bench.steps = 0
    bench.run(until: .zero + .seconds(3600))
    #expect(bench.losses == 1 && bench.returns == 0 && bench.reader.isLost)
    #expect(bench.steps < 200)
    bench.bus.isHeldLow = false
    bench.run(until: .zero + .seconds(4800))
    #expect(bench.returns == 1 && !bench.reader.isLost)
  }

  /// With a line nothing is read by deadline for half an hour; wake-ups from other causes are used.
  @Test(arguments: AccelerometerPart.all.map(\.name), [false, true])
  func aStuckDataLineDuringWakeOnMotionIsALossWithinMinutes(_ name: String, hasLine: Bool) throws {
    var bench = try Bench(name, hasLine: hasLine)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: .zero + .seconds(60))
    #expect(bench.reader.activity == .watching && bench.losses == 0)
    bench.bus.isHeldLow = true
    for second in 61..<125 {
      bench.run(until: .zero + .seconds(second))
      bench.step(.passing)
    }
    #expect(bench.losses == 1 && bench.reader.isLost)
    bench.bus.isHeldLow = false
    bench.run(until: .zero + .seconds(600))
    #expect(bench.returns == 1 && bench.reader.activity == .watching)
  }

  @Test(arguments: AccelerometerPart.all.map(\.name))
  func anOpportunisticCheckReadsOneByteAMinuteWithoutADeadline(_ name: String) throws {
    var bench = try Bench(name, hasLine: true)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: .zero + .seconds(60))
    bench.notices = []
    let (deadline, before) = (bench.reader.nextTimeout, bench.bus.part.count)
    for second in 61..<661 {
      bench.now = .zero + .seconds(second)
      bench.step(.passing)
    }
    #expect(bench.bus.part.count == before + 10)
    #expect(bench.reader.nextTimeout == deadline && bench.notices.isEmpty)
  }

  /// At its renewal wake-on-motion has detected motion, and the loop has not received the edge yet.
  @Test(
    arguments: [(true, nil), (false, .silent), (nil, .gone)] as [(Bool?, AccelerometerNotice.LineFault?)])
  func theLevelOfALineIsReadBeforeItCountsAsSilent(
    _ level: Bool?, _ fault: AccelerometerNotice.LineFault?
  ) throws {
    var bench = try Bench("lis3dh", hasLine: true)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: .zero + .seconds(60))
    bench.bus.part.registers[0x31] = 0x6A
    let renewal = try #require(bench.reader.nextTimeout)
    let (bus, before) = (bench.bus, bench.bus.part.count)
    var askedAt: [Int] = []
    let notices = bench.reader.step(
      on: { () throws(I2CError) in bus },
      line: {
        askedAt.append(bus.part.count)
        return level
      }, now: renewal)
    #expect(notices == (fault.map { [.lineUnusable($0)] } ?? []) + [.moved])
    #expect(bench.reader.hasLine == (fault == nil))
    // Read before the chip was queried, which lowers the line; wake-on-motion was checked first.
    #expect(askedAt == [before + 1])
  }

  @Test func impossibleSamplesAreCountedAndReportedOnceAnHour() throws {
    var bench = try Bench("adxl345")
    // As many samples as there are at 25 Hz at the time of reading.
    bench.bus.part.registers[0x39] = 28
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: .zero + .seconds(60))
    #expect(!bench.notices.contains { if case .doubtful = $0 { true } else { false } })
    bench.bus.part.registers[0x33] = 0x5A
    let before = bench.notices.count
    bench.run(until: .zero + .seconds(600))
    #expect(bench.notices.dropFirst(before) == [.doubtful(samples: 28)])
    #expect(bench.reader.losses.doubtful > 10_000 && bench.reader.losses.overruns == 0)
    bench.bus.part.registers[0x33] = 0
    bench.run(until: .zero + .seconds(660))
    #expect(bench.reader.losses.overruns == 0, "discarded samples were not read too late")
    #expect(bench.notices.filter { if case .burst = $0 { true } else { false } }.count > 100)
  }

  @Test func anEndlessSelfTestIsALoss() throws {
    var bench = try Bench("lis3dh")
    bench.bus.short = 0xA8
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: .zero + .seconds(3600))
    #expect(bench.losses == 1 && bench.returns == 0 && bench.reader.isLost)
    #expect(bench.steps < 200)
  }

  /// As in a copy of the chip without burst reads.
  @Test func aSettingThatIsLostRepeatedlyIsALoss() throws {
    var bench = try Bench("lis3dh")
    bench.bus.fixed[0xAE] = [0x00, 0x03]
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: .zero + .seconds(3600))
    #expect(bench.losses == 1 && bench.returns == 0 && bench.reader.isLost)
    #expect(bench.steps < 300)
  }

  @Test func aBusFaultWhenTheLineRisesIsNoFaultOfTheLine() throws {
    var bench = try Bench("lis3dh", hasLine: true)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: .zero + .seconds(60))
    #expect(bench.reader.activity == .watching)
    bench.bus.refusals = 1
    bench.bus.part.registers[0x31] = 0x6A
    bench.step(.line)
    bench.run(until: .zero + .seconds(70))
    #expect(bench.notices.filter { $0 == .moved } == [.moved])
    #expect(!bench.notices.contains(.lineUnusable(.silent)) && bench.reader.hasLine)
  }

  /// Random bytes, random errors, clocks at their limits: the work of a step is bounded, and all values are
  /// finite.
  @Test(arguments: AccelerometerPart.all.map(\.name), 0..<8)
  func noBusDataTrapsTheReader(_ name: String, seed: UInt64) throws {
    var random = SplitMix64(seed: seed ^ 0xA77AC)
    let part = try #require(AccelerometerPart.named(name))
    let address = try #require(part.addresses.first)
    let bus = RegisterFileBus(noiseSeed: seed)
    let identity = try #require(AccelerometerPartTests.registers[name])
    for (register, value) in identity where register < 0x10 || register == 0x75 {
      bus.registers[register] = value
    }
    var reader = AccelerometerReader(part: part, address: address, hasLine: true, now: .zero)
    let ends: [Int64] = [.min, -1, 0, 1, 1_000_000_000, .max - 1, .max]
    for step in 0..<2000 {
      let now = Moment(nanoseconds: step % 3 == 0 ? random.oneOf(ends) : Int64(step) * 700_000_000)
      switch random.byte() % 8 {
      case 0: reader.setDesiredMode(.motion(MotionWatch()), now: now)
      case 1: reader.setDesiredMode(.nothing, now: now)
      case 2, 3: reader.setDesiredMode(Self.samples, now: now)
      case _: break
      }
      if random.byte() % 8 == 0 {
        bus.failure = (bus.count + Int(random.byte() % 8), .timedOut(address))
      }
      let before = bus.count
      let cause: AccelerometerReader.Cause = random.byte() & 1 == 0 ? .line : .deadline
      for notice in reader.step(on: { () throws(I2CError) in bus }, cause: cause, now: now) {
        guard case .burst(let burst) = notice else { continue }
        #expect(!burst.samples.isEmpty && burst.samples.count <= 512 + 128 + 64 && burst.rate.isFinite)
        #expect(
          burst.samples.allSatisfy { abs($0.x) <= 128 && abs($0.y) <= 128 && abs($0.z) <= 128 })
        _ = burst.moment(of: burst.samples.count - 1)
        #expect(burst.samples.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite })
      }
      #expect(bus.count - before <= 64)
    }
  }
}
