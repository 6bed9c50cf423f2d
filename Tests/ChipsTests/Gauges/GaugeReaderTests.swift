import Quantities
import Testing

import Chips

@Suite struct GaugeReaderTests {
  /// A MAX17048 at register level, which can vanish.
  private final class Bus: I2CBus {
    /// VCELL 3.9 V, SOC 80 %, CRATE 0, VERSION.
    var words: [UInt8: UInt16] = [0x02: 49_920, 0x04: 80 << 8, 0x08: 0x0012, 0x16: 0, 0x1A: 0]
    var isGone = false
    private(set) var transactions = 0

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      transactions += 1
      guard !isGone, address.rawValue == 0x36 else { throw .noAcknowledge(address) }
      guard let register = write.first else { return [] }
      if write.count == 3 { words[register] = UInt16(write[1]) << 8 | UInt16(write[2]) }
      return (0..<readCount).map { index in
        let word = words[(register &+ UInt8(index)) & 0xFE] ?? 0
        return UInt8(truncatingIfNeeded: (Int(register) + index) % 2 == 0 ? word >> 8 : word)
      }
    }
  }

  private func reader(
    _ bus: @escaping () throws(I2CError) -> any I2CBus
  ) throws -> GaugeReader<PartGauge> {
    let gauge = PartGauge(
      part: try #require(GaugePart.named("max17048")), address: try #require(I2CAddress(0x36)),
      wiring: GaugeWiring(), bus: bus)
    return GaugeReader(gauge, monitor: BatteryMonitor(measuring: .battery()), now: .zero)
  }

  @Test func aGaugeIsReadOnceAMinute() throws {
    let bus = Bus()
    var reader = try reader { () throws(I2CError) in bus }
    var now = Moment.zero
    while now < .zero + .seconds(3600) {
      _ = reader.step(now: now)
      now = reader.nextTimeout
    }
    #expect(bus.transactions <= 60 * 5 + 10, "\(bus.transactions)")
    let percent = try #require(reader.condition.percent)
    #expect(abs(percent - 80) < 1)
    #expect(reader.tolerance == .seconds(15) && !reader.isLost)
    #expect(reader.lastReading.map { $0 + .seconds(60) } == reader.nextTimeout)
  }

  @Test func aVanishedGaugeIsReportedOnceAndFoundAgain() throws {
    let bus = Bus()
    var reader = try reader { () throws(I2CError) in bus }
    var now = Moment.zero
    var notices: [GaugeReader<PartGauge>.Notice] = []
    func run(until end: Moment) {
      while now < end {
        notices += reader.step(now: now)
        now = reader.nextTimeout
      }
    }
    run(until: .zero + .seconds(300))
    #expect(notices.isEmpty)
    bus.isGone = true
    run(until: .zero + .seconds(3600))
    let address = try #require(I2CAddress(0x36))
    let losses = notices.filter { if case .lost = $0 { true } else { false } }
    #expect(losses == [.lost(.bus(.noAcknowledge(address)))])
    #expect(reader.isLost && reader.condition.percent == nil)
    bus.isGone = false
    run(until: .zero + .seconds(7200))
    let returns = notices.filter { if case .returned = $0 { true } else { false } }
    #expect(returns.count == 1 && !reader.isLost && reader.condition.percent != nil)
  }

  @Test func aBusThatCannotBeOpenedIsAFault() throws {
    let address = try #require(I2CAddress(0x36))
    var reader = try reader { () throws(I2CError) -> any I2CBus in throw .system(address, errno: 2) }
    var now = Moment.zero
    var notices: [GaugeReader<PartGauge>.Notice] = []
    for _ in 0..<5 {
      notices += reader.step(now: now)
      now = reader.nextTimeout
    }
    #expect(reader.loss?.failure == .bus(.system(address, errno: 2)))
    #expect(notices == [.lost(.bus(.system(address, errno: 2)))])
  }
}
