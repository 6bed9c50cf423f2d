import Testing

import Chips

@Suite struct PowerMonitorTests {
  private let address = I2CAddress(0x40)

  private func reading(_ step: GaugeStep) throws -> GaugeReading {
    guard case .reading(let reading) = step else { throw ChipError.cannot(try #require(address), "read") }
    return reading
  }

  struct Row: Sendable {
    let bus: (UInt8, UInt8), other: (UInt8, UInt8)
    let volts: Double, milliamperes: Double?
  }

  /// At 0.1 Ω: 4 mV and 10 µV per LSB.
  static let ina219 = [
    Row(bus: (0x1E, 0x7A), other: (0xFB, 0x50), volts: 3.9, milliamperes: -120),
    Row(bus: (0x62, 0x72), other: (0x27, 0x10), volts: 50.4 / 4, milliamperes: 1000),
    Row(bus: (0x00, 0x02), other: (0x00, 0x01), volts: 0, milliamperes: 0.1),
    Row(bus: (0xFF, 0xFA), other: (0x7C, 0xFF), volts: 32.764, milliamperes: 3199.9),
    Row(bus: (0xFF, 0xFA), other: (0x7D, 0x00), volts: 32.764, milliamperes: nil),
    Row(bus: (0xFF, 0xFA), other: (0x83, 0x00), volts: 32.764, milliamperes: nil),
    // OVF belongs to a calculation that is not used.
    Row(bus: (0x1E, 0x7B), other: (0xFB, 0x50), volts: 3.9, milliamperes: -120),
  ]

  @Test(arguments: ina219) func anINA219MeasuresOnceAndSleeps(_ row: Row) throws {
    let bus = ScriptedBus(
      .write(0x40, 0x00, 0x3E, 0xEB), .read(0x40, 0x02, row.bus.0, row.bus.1),
      .read(0x40, 0x01, row.other.0, row.other.1), .write(0x40, 0x00, 0x3E, 0xE8))
    var monitor = INA219(bus: bus, address: try #require(address), wiring: GaugeWiring(shunt: 0.1))
    #expect(try monitor.read() == .wait(.milliseconds(40)))
    let reading = try reading(monitor.read())
    #expect(abs((reading.voltage ?? -1) - row.volts) < 1e-9)
    #expect(reading.current.map { ($0 * 1e6).rounded() } == row.milliamperes.map { ($0 * 1e6).rounded() })
    #expect(reading.stateOfCharge == nil && reading.cells == nil)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// 40, 80, 160 or 320 mV across the shunt (SBOS448, table 4), in bits 12 and 11.
  @Test(
    arguments: [(0.39, 0x26), (0.4, 0x2E), (1.59, 0x36), (1.6, 0x3E), (50, 0x3E), (nil, 0x3E)]
      as [(Double?, UInt8)])
  func theRangeFitsTheLargestCurrent(_ largest: Double?, _ configuration: UInt8) throws {
    let bus = ScriptedBus(.write(0x40, 0x00, configuration, 0xE8), .read(0x40, 0x00, configuration, 0xE8))
    let wiring = GaugeWiring(shunt: 0.1, largestCurrent: largest)
    var monitor = INA219(bus: bus, address: try #require(address), wiring: wiring)
    #expect(try monitor.start() == .zero)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func withoutAShuntThereIsNoCurrent() throws {
    for shunt in [nil, 0, -0.1, .nan] as [Double?] {
      let bus = ScriptedBus(
        .write(0x40, 0x00, 0x3E, 0xEB), .read(0x40, 0x02, 0x1E, 0x7A), .read(0x40, 0x01, 0xFB, 0x50),
        .write(0x40, 0x00, 0x3E, 0xE8))
      var monitor = INA219(bus: bus, address: try #require(address), wiring: GaugeWiring(shunt: shunt))
      _ = try monitor.read()
      let reading = try reading(monitor.read())
      #expect(reading.voltage == 3.9 && reading.current == nil)
    }
  }

  @Test func anUnfinishedMeasurementIsPolledAndThenFails() throws {
    let address = try #require(address)
    let busy = ScriptedBus.Transaction.read(0x40, 0x02, 0x1E, 0x78)
    let trigger = ScriptedBus.Transaction.write(0x40, 0x00, 0x3E, 0xEB)
    let bus = ScriptedBus([trigger] + Array(repeating: busy, count: 4) + [trigger])
    var monitor = INA219(bus: bus, address: address, wiring: GaugeWiring(shunt: 0.1))
    for _ in 0..<4 { #expect(try monitor.read() == .wait(.milliseconds(40))) }
    #expect(throws: ChipError.cannot(address, "a measurement within the time limit")) { try monitor.read() }
    #expect(try monitor.read() == .wait(.milliseconds(40)), "it begins anew")
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anINA219ThatLosesItsConfigurationIsDetected() throws {
    let address = try #require(address)
    let bus = ScriptedBus(.write(0x40, 0x00, 0x3E, 0xE8), .read(0x40, 0x00, 0x39, 0x9F))
    var monitor = INA219(bus: bus, address: address, wiring: GaugeWiring())
    #expect(throws: ChipError.settingLost(address, register: 0x00, expected: 0x3EE8, got: 0x399F)) {
      try monitor.start()
    }
  }

  @Test func anINA219IsRecognisedByItsZeroBits() throws {
    let address = try #require(address)
    let good = ScriptedBus(
      .read(0x40, 0x00, 0x39, 0x9F), .read(0x40, 0x02, 0x1E, 0x7B), .read(0x40, 0x05, 0x10, 0x00),
      .read(0x40, 0xFE, 0xFF, 0xFF))
    try INA219(bus: good, address: address, wiring: GaugeWiring()).identify()
    #expect(good.isExhausted, "\(good.mismatches)")
    let successor = ScriptedBus(.read(0x40, 0x00, 0x41, 0x27))
    #expect(throws: ChipError.wrongIdentity(address, register: 0x00, expected: [0x0127], got: 0x4127)) {
      try INA219(bus: successor, address: address, wiring: GaugeWiring()).identify()
    }
    #expect(successor.isExhausted, "\(successor.mismatches)")
  }

  /// For an HTU21D at 0x40, 0xFE is the reset command.
  @Test func aSensorWithoutRegisterZeroIsNotReset() throws {
    let address = try #require(address)
    let bus = ScriptedBus(.fail(0x40, 0x00, .noAcknowledge(address)))
    #expect(throws: ChipError.bus(.noAcknowledge(address))) {
      try GaugePart.candidates(on: bus, at: address)
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// At 10 mΩ: 1.25 mV and 2.5 µV per LSB.
  static let ina226 = [
    Row(bus: (0x0C, 0x30), other: (0xFF, 0x38), volts: 3.9, milliamperes: -50),
    Row(bus: (0x26, 0x34), other: (0x10, 0x00), volts: 12.225, milliamperes: 1024),
    Row(bus: (0x7F, 0xFF), other: (0x7F, 0xFE), volts: 40.95875, milliamperes: 8191.5),
    Row(bus: (0x00, 0x00), other: (0x7F, 0xFF), volts: 0, milliamperes: nil),
    Row(bus: (0x00, 0x00), other: (0x80, 0x00), volts: 0, milliamperes: nil),
  ]

  @Test(arguments: ina226) func anINA226MeasuresOnceAndSleeps(_ row: Row) throws {
    let bus = ScriptedBus(
      .write(0x40, 0x00, 0x45, 0x23), .read(0x40, 0x06, 0x00, 0x08), .read(0x40, 0x02, row.bus.0, row.bus.1),
      .read(0x40, 0x01, row.other.0, row.other.1), .write(0x40, 0x00, 0x45, 0x20))
    var monitor = INA226(bus: bus, address: try #require(address), wiring: GaugeWiring(shunt: 0.01))
    #expect(try monitor.read() == .wait(.milliseconds(40)))
    let reading = try reading(monitor.read())
    #expect(abs((reading.voltage ?? -1) - row.volts) < 1e-9)
    #expect(reading.current.map { ($0 * 1e6).rounded() } == row.milliamperes.map { ($0 * 1e6).rounded() })
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// 1.25 mV and 1.25 mA per LSB; the wiring is irrelevant.
  static let ina260 = [
    Row(bus: (0x0C, 0x30), other: (0xFF, 0x9C), volts: 3.9, milliamperes: -125),
    Row(bus: (0x26, 0x34), other: (0x03, 0x20), volts: 12.225, milliamperes: 1000),
    Row(bus: (0x00, 0x01), other: (0x7F, 0xFF), volts: 1.25e-3, milliamperes: nil),
  ]

  @Test(arguments: ina260, [false, true]) func anINA260UsesItsInternalShunt(_ row: Row, _ isReversed: Bool)
    throws
  {
    let bus = ScriptedBus(
      .write(0x40, 0x00, 0x65, 0x23), .read(0x40, 0x06, 0x00, 0x08), .read(0x40, 0x02, row.bus.0, row.bus.1),
      .read(0x40, 0x01, row.other.0, row.other.1), .write(0x40, 0x00, 0x65, 0x20))
    let wiring = GaugeWiring(isReversed: isReversed)
    var monitor = INA260(bus: bus, address: try #require(address), wiring: wiring)
    _ = try monitor.read()
    let reading = try reading(monitor.read())
    #expect(abs((reading.voltage ?? -1) - row.volts) < 1e-9)
    #expect(reading.current == row.milliamperes.map { isReversed ? -$0 : $0 })
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func successorsAreRecognisedByManufacturerAndDieID() throws {
    let address = try #require(address)
    let bus = ScriptedBus(
      .read(0x40, 0x00, 0x41, 0x27), .read(0x40, 0xFE, 0x54, 0x49), .read(0x40, 0xFF, 0x22, 0x60))
    try INA226(bus: bus, address: address, wiring: GaugeWiring()).identify()
    #expect(bus.isExhausted, "\(bus.mismatches)")
    let relative = ScriptedBus(
      .read(0x40, 0x00, 0x41, 0x27), .read(0x40, 0xFE, 0x54, 0x49), .read(0x40, 0xFF, 0x22, 0x60))
    #expect(throws: ChipError.wrongIdentity(address, register: 0xFF, expected: [0x2270], got: 0x2260)) {
      try INA260(bus: relative, address: address, wiring: GaugeWiring()).identify()
    }
    let clone = ScriptedBus(.read(0x40, 0x00, 0x41, 0x27), .read(0x40, 0xFE, 0x55, 0x49))
    #expect(throws: ChipError.wrongIdentity(address, register: 0xFE, expected: [0x5449], got: 0x5549)) {
      try INA226(bus: clone, address: address, wiring: GaugeWiring()).identify()
    }
  }
}
