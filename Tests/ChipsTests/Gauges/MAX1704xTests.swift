import Testing

import Chips

@Suite struct MAX1704xTests {
  private let address = I2CAddress(0x36)

  private func reading(_ step: GaugeStep) throws -> GaugeReading {
    guard case .reading(let reading) = step else { throw ChipError.cannot(try #require(address), "read") }
    return reading
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let vcell: (UInt8, UInt8), soc: (UInt8, UInt8), crate: (UInt8, UInt8)
    let volts: Double, percent: Double, rate: Double
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "discharging is negative", vcell: (0xC3, 0x50), soc: (0x50, 0x80), crate: (0xFF, 0xEC),
      volts: 3.90625, percent: 80.5, rate: -4.16),
    Row(
      name: "charging", vcell: (0xD2, 0x00), soc: (0x61, 0x00), crate: (0x00, 0x64), volts: 4.2, percent: 97,
      rate: 20.8),
    Row(
      name: "more than full is passed on", vcell: (0xD2, 0x00), soc: (0x73, 0x00), crate: (0, 0),
      volts: 4.2,
      percent: 115, rate: 0),
    Row(
      name: "ends of the range", vcell: (0xFF, 0xFF), soc: (0xFF, 0xFF), crate: (0x80, 0x00),
      volts: 5.119921875,
      percent: 255.99609375, rate: -6815.744),
    Row(
      name: "nothing", vcell: (0, 0), soc: (0, 0), crate: (0x7F, 0xFF), volts: 0, percent: 0, rate: 6815.536),
  ]

  @Test(arguments: rows) func aMAX17048IsConverted(_ row: Row) throws {
    let bus = ScriptedBus(
      .read(0x36, 0x02, row.vcell.0, row.vcell.1), .read(0x36, 0x04, row.soc.0, row.soc.1),
      .read(0x36, 0x16, row.crate.0, row.crate.1), .read(0x36, 0x1A, 0x00, 0x00))
    var gauge = MAX17048(bus: bus, address: try #require(address), wiring: GaugeWiring())
    let reading = try reading(gauge.read())
    #expect(abs((reading.voltage ?? -1) - row.volts) < 1e-9)
    #expect(reading.stateOfCharge == row.percent)
    #expect(abs((reading.rate ?? 0.5) - row.rate) < 1e-9)
    #expect(reading.current == nil && reading.temperature == nil && !reading.wasReset && reading.cells == 1)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func theResetIndicatorIsClearedAndTheAlertsAreNot() throws {
    let bus = ScriptedBus(
      .read(0x36, 0x02, 0, 0), .read(0x36, 0x04, 0, 0), .read(0x36, 0x16, 0, 0),
      .read(0x36, 0x1A, 0x35, 0x7A),
      .write(0x36, 0x1A, 0x34, 0x7A))
    var gauge = MAX17048(bus: bus, address: try #require(address), wiring: GaugeWiring())
    #expect(try reading(gauge.read()).wasReset)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func theVoltageOfTwoCellsIsTheirSum() throws {
    let newer = ScriptedBus(
      .read(0x36, 0x02, 0xC3, 0x50), .read(0x36, 0x04, 0, 0), .read(0x36, 0x16, 0, 0), .read(0x36, 0x1A, 0, 0)
    )
    var max17049 = MAX17049(bus: newer, address: try #require(address), wiring: GaugeWiring())
    let first = try reading(max17049.read())
    #expect(first.voltage == 7.8125 && first.cells == 2 && newer.isExhausted)

    let older = ScriptedBus(.read(0x36, 0x02, 0xC3, 0x50), .read(0x36, 0x04, 0x50, 0x80))
    var max17044 = MAX17044(bus: older, address: try #require(address), wiring: GaugeWiring())
    let second = try reading(max17044.read())
    #expect(
      second.voltage == 7.8125 && second.cells == 2 && second.stateOfCharge == 80.5 && older.isExhausted)
  }

  @Test func aMAX17043CountsItsVoltageInTwelveBits() throws {
    let bus = ScriptedBus(
      .read(0x36, 0x02, 0xFF, 0xF0), .read(0x36, 0x04, 0x73, 0x00), .read(0x36, 0x02, 0x00, 0x10),
      .read(0x36, 0x04, 0x00, 0x01))
    var gauge = MAX17043(bus: bus, address: try #require(address), wiring: GaugeWiring())
    let full = try reading(gauge.read())
    #expect(full.voltage == 5.11875 && full.stateOfCharge == 115 && full.rate == nil)
    let least = try reading(gauge.read())
    #expect(least.voltage == 1.25e-3 && least.stateOfCharge == 1.0 / 256)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [0x0010, 0x0011, 0x0012, 0x001F] as [UInt16]) func newerChipsAreRecognisedByTheirVersion(
    _ version: UInt16
  )
    throws
  {
    let bus = ScriptedBus(
      .read(0x36, 0x08, UInt8(version >> 8), UInt8(version & 0xFF)), .read(0x36, 0x06, 0x10, 0x00))
    try MAX17048(bus: bus, address: try #require(address), wiring: GaugeWiring()).identify()
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// A MAX17055 has a temperature of 18.0 °C at the address of VERSION, and 50 % at that of MODE.
  @Test func aTemperatureIsNoVersion() throws {
    let bus = ScriptedBus(.read(0x36, 0x08, 0x00, 0x12), .read(0x36, 0x06, 0x00, 0x32))
    let address = try #require(address)
    #expect(
      throws: ChipError.wrongIdentity(address, register: 0x06, expected: [0x0000, 0x1000], got: 0x0032)
    ) {
      try MAX17048(bus: bus, address: address, wiring: GaugeWiring()).identify()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func olderAndNewerChipsAreDistinguished() throws {
    let address = try #require(address)
    #expect(
      throws: ChipError.wrongIdentity(address, register: 0x08, expected: [0x0011, 0x0012], got: 0x0003)
    ) {
      try MAX17048(bus: ScriptedBus(.read(0x36, 0x08, 0x00, 0x03)), address: address, wiring: GaugeWiring())
        .identify()
    }
    #expect(
      throws: ChipError.wrongIdentity(address, register: 0x08, expected: [0x0002, 0x0003], got: 0x0012)
    ) {
      try MAX17043(bus: ScriptedBus(.read(0x36, 0x08, 0x00, 0x12)), address: address, wiring: GaugeWiring())
        .identify()
    }
  }

  @Test func aSleepingChipIsWokenAndOtherBitsOfCONFIGAreUnchanged() throws {
    let bus = ScriptedBus(
      .read(0x36, 0x0C, 0x97, 0xBC), .write(0x36, 0x0C, 0x97, 0x3C), .read(0x36, 0x1A, 0x00, 0x00))
    var gauge = MAX17048(bus: bus, address: try #require(address), wiring: GaugeWiring())
    #expect(try gauge.start() == .seconds(1))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anAwakeChipIsNotConfigured() throws {
    let bus = ScriptedBus(
      .read(0x36, 0x0C, 0x97, 0x1C), .read(0x36, 0x1A, 0x10, 0x00), .read(0x36, 0x0C, 0x97, 0x1C))
    var newer = MAX17048(bus: bus, address: try #require(address), wiring: GaugeWiring())
    #expect(try newer.start() == .zero)
    var older = MAX17043(bus: bus, address: try #require(address), wiring: GaugeWiring())
    #expect(try older.start() == .zero)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }
}
