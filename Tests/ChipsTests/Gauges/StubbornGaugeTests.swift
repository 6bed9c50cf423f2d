import Quantities
import Testing

import Chips

/// Chips that answer, but never usefully.
@Suite struct StubbornGaugeTests {
  /// A data line stuck low: every transaction is acknowledged, every byte is zero.
  private final class HeldLow: I2CBus {
    var part: PretendPart?
    private(set) var writes: [[UInt8]] = []

    init(_ part: PretendPart?) { self.part = part }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      if write.count > 1 { writes.append(write) }
      if let part { return try part.transfer(to: address, write: write, readCount: readCount) }
      return [UInt8](repeating: 0, count: readCount)
    }
  }

  private struct Bench {
    let bus: HeldLow
    var reader: GaugeReader<PartGauge>
    var now = Moment.zero
    var notices: [GaugeReader<PartGauge>.Notice] = []
    var steps = 0

    init(_ name: String) throws {
      let good = try #require(PretendPart.good(name))
      let bus = HeldLow(good)
      self.bus = bus
      let gauge = PartGauge(
        part: try #require(GaugePart.named(name)), address: try #require(I2CAddress(good.address)),
        wiring: GaugeWiring(shunt: 0.1)
      ) { () throws(I2CError) in bus }
      reader = GaugeReader(gauge, monitor: BatteryMonitor(measuring: .battery()), now: .zero)
    }

    mutating func run(until end: Moment) {
      while now < end, steps < 100_000 {
        steps += 1
        notices += reader.step(now: now)
        now = reader.nextTimeout
      }
    }

    var losses: Int { notices.filter { if case .lost = $0 { true } else { false } }.count }
    var returns: Int { notices.filter { if case .returned = $0 { true } else { false } }.count }
  }

  @Test(arguments: ["ina226", "ina260", "ina219"])
  func anEndlessMeasurementIsALossAndIsRetriedWithBackOff(_ name: String) throws {
    var bench = try Bench(name)
    bench.run(until: .zero + .seconds(300))
    bench.bus.part = nil
    bench.steps = 0
    bench.run(until: .zero + .seconds(3900))
    #expect(bench.losses == 1 && bench.returns == 0 && bench.reader.isLost)
    #expect(bench.steps < 300, "steps in an hour")
    bench.bus.part = PretendPart.good(name)
    bench.run(until: .zero + .seconds(4800))
    #expect(bench.returns == 1 && !bench.reader.isLost)
  }

  @Test(arguments: ["max17048", "max17043", "bq27441"])
  func zerosDoNotMeanAnEmptyBattery(_ name: String) throws {
    var bench = try Bench(name)
    bench.run(until: .zero + .seconds(300))
    #expect(bench.reader.condition.percent != nil)
    bench.bus.part = nil
    for minute in 6...60 {
      bench.run(until: .zero + .seconds(60 * minute))
      #expect(bench.reader.condition.percent != 0, "minute \(minute)")
    }
    #expect(
      !bench.notices.contains {
        if case .battery(.low) = $0 { true } else { false }
      })
  }

  @Test func aPermanentResetIndicatorIsReportedOnce() throws {
    final class ReadOnly: I2CBus {
      let part: PretendPart
      init(_ part: PretendPart) { self.part = part }
      func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
        write.count > 1 ? [] : try part.transfer(to: address, write: write, readCount: readCount)
      }
    }
    let bus = ReadOnly(try #require(PretendPart.good("max17048")))
    var gauge = MAX17048(bus: bus, address: try #require(I2CAddress(0x36)), wiring: GaugeWiring())
    var resets = 0
    for _ in 0..<10 {
      if case .reading(let reading) = try gauge.read(), reading.wasReset { resets += 1 }
    }
    #expect(resets == 1)
  }
}
