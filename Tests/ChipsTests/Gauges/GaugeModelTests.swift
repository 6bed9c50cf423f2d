import Quantities
import Testing

import Chips

/// Drivers against the rig's models, which were written independently from the data sheets.
@Suite(
  .enabled(
    if: GaugeModelBus.isPresent,
    "recordings and rig are missing: put them in ../shared, or set OUTRIDER_SHARED to their folder"))
struct GaugeModelTests {
  /// One reading, with delays skipped.
  private func reading(_ gauge: inout some Gauge) throws -> GaugeReading {
    for _ in 0..<5 {
      if case .reading(let reading) = try gauge.read() { return reading }
    }
    throw GaugeModelBus.Broken()
  }

  @Test func aMAX17048ReadsTheSimulatedCell() throws {
    let bus = try GaugeModelBus("max17048")
    var gauge = MAX17048(bus: bus, address: bus.address, wiring: GaugeWiring())
    try gauge.identify()
    #expect(try gauge.start() == .seconds(1))
    for (volts, percent, rate) in [(3.9, 80, -4), (4.2, 103.5, 25.4), (3.02, 0, -61.2), (3.7, 41.25, 0)] {
      bus.world(volts, percent, rate)
      let reading = try reading(&gauge)
      #expect(abs((reading.voltage ?? 0) - volts) < 100e-6)
      #expect(abs((reading.stateOfCharge ?? -1) - percent) < 0.005)
      #expect(abs((reading.rate ?? 99) - rate) < 0.11)
    }
    #expect(try gauge.start() == .zero)
  }

  @Test func aMAX17048ReportsAResetOnce() throws {
    let bus = try GaugeModelBus("max17048")
    var gauge = MAX17048(bus: bus, address: bus.address, wiring: GaugeWiring())
    #expect(try reading(&gauge).wasReset)
    #expect(try !reading(&gauge).wasReset)
    bus.losesSupply()
    #expect(try reading(&gauge).wasReset)
    #expect(try !reading(&gauge).wasReset)
  }

  @Test func aSimulatedBatteryIsEvaluatedThroughItsGauge() throws {
    let bus = try GaugeModelBus("max17048")
    var gauge = MAX17048(bus: bus, address: bus.address, wiring: GaugeWiring(capacity: 2000))
    var monitor = BatteryMonitor(measuring: .battery(capacity: 2000))
    var now = Moment.zero
    var events: [BatteryEvent] = []
    func minute(_ volts: Double, _ percent: Double, _ rate: Double) throws {
      bus.world(volts, percent, rate)
      now = now + .seconds(60)
      events += monitor.take(try reading(&gauge), at: now)
    }
    _ = try gauge.start()
    for minutes in 0..<60 { try minute(3.9 - Double(minutes) * 1e-3, 60 - Double(minutes) / 10, -6.03) }
    #expect(monitor.condition.state == .unplugged && monitor.condition.percent == 54.09765625)
    #expect(monitor.condition.current?.source == .estimated)
    #expect(abs((monitor.condition.current?.milliamperes ?? 0) + 120) < 5)
    bus.losesSupply()
    try minute(3.84, 0, 0)
    #expect(monitor.condition.percent == nil)
    for _ in 0..<3 { try minute(4.0, 55, 30) }
    #expect(monitor.condition.state == .charging && monitor.condition.percent == 55)
    #expect(
      events
        == [
          .gaugeWasReset, .gaugeWasReset, .gaugeContradictsItself(percent: 0, cellVoltage: 3.84),
          .chargerAttached,
        ])
  }

  @Test func anINA219ReadsTheSimulatedSupply() throws {
    let bus = try GaugeModelBus("ina219")
    var monitor = INA219(bus: bus, address: bus.address, wiring: GaugeWiring(shunt: 0.1))
    try monitor.identify()
    _ = try monitor.start()
    for (volts, millivolts) in [(3.9, -12.0), (12.6, 250.0), (0, 0), (31.9, -319.9)] {
      bus.world(volts, millivolts)
      let reading = try reading(&monitor)
      #expect(abs((reading.voltage ?? -1) - volts) <= 4.1e-3)
      #expect(abs((reading.current ?? 9999) - millivolts / 0.1) < 0.11)
    }
    #expect(try bus.transfer(to: bus.address, write: [0x00], readCount: 2)[1] & 0x07 == 0, "powered down")
  }

  @Test func aBQ27441ReadsTheSimulatedCell() throws {
    let bus = try GaugeModelBus("bq27441")
    var gauge = BQ27441(bus: bus, address: bus.address, wiring: GaugeWiring())
    try gauge.identify()
    _ = try gauge.start()
    for (volts, percent, milliamperes) in [(3.9, 80.0, -120.0), (4.19, 99, 850), (3.1, 2, -1500)] {
      bus.world(volts, percent, milliamperes)
      let reading = try reading(&gauge)
      #expect(abs((reading.voltage ?? 0) - volts) <= 1.001e-3)
      #expect(reading.stateOfCharge == percent && reading.current == milliamperes)
      #expect(abs((reading.temperature ?? -99) - 24.95) < 0.01 && reading.temperatureSource == .die)
    }
  }

  @Test func anLC709203FReadsTheSimulatedCellWithItsCRC() throws {
    let bus = try GaugeModelBus("lc709203f")
    var gauge = LC709203F(bus: bus, address: bus.address, wiring: GaugeWiring(capacity: 1500))
    try gauge.identify()
    #expect(try gauge.start() == .zero)
    for (volts, percent) in [(3.9, 80.0), (4.2, 100), (3.3, 0.5)] {
      bus.world(volts, percent)
      let reading = try reading(&gauge)
      #expect(abs((reading.voltage ?? 0) - volts) <= 1.001e-3)
      #expect(abs((reading.stateOfCharge ?? -1) - percent) < 0.11)
      #expect(reading.temperature == nil, "a value written by a host is not a measurement")
    }
  }

  @Test(arguments: ["max17048", "ina219", "bq27441", "lc709203f"])
  func aGaugeIsFoundByItsIdentity(_ chip: String) throws {
    let bus = try GaugeModelBus(chip)
    let names = try GaugePart.candidates(on: bus, at: bus.address).map(\.name)
    #expect(names.first == chip)
    #expect(names == (chip == "max17048" ? ["max17048", "max17049"] : [chip]))
  }
}
