import Testing

import Chips

@Suite struct BQ27441Tests {
  private let address = I2CAddress(0x55)

  private func script(_ flags: UInt16, current: (UInt8, UInt8) = (0, 0)) -> [ScriptedBus.Transaction] {
    [
      .read(0x55, 0x04, 0x3C, 0x0F), .read(0x55, 0x06, UInt8(flags & 0xFF), UInt8(flags >> 8)),
      .read(0x55, 0x10, current.0, current.1), .read(0x55, 0x1C, 0x50, 0x00), .read(0x55, 0x1E, 0x5E, 0x0A),
    ]
  }

  private func reading(_ gauge: inout BQ27441) throws -> GaugeReading {
    guard case .reading(let reading) = try gauge.read() else {
      throw ChipError.cannot(try #require(address), "read")
    }
    return reading
  }

  @Test func wordsAreLittleEndianAndTheCurrentIsSigned() throws {
    let bus = ScriptedBus(script(0x0001, current: (0x88, 0xFF)))
    var gauge = BQ27441(bus: bus, address: try #require(address), wiring: GaugeWiring())
    let reading = try reading(&gauge)
    #expect(reading.voltage == 3.9 && reading.current == -120 && reading.stateOfCharge == 80)
    #expect(abs((reading.temperature ?? 0) + 7.75) < 0.01, "below zero")
    #expect(reading.temperatureSource == .die && reading.rate == nil && reading.isPlugged == nil)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [(0x0200, true), (0x0201, false), (0x0100, false), (0x0000, false)] as [(UInt16, Bool)])
  func fullRequiresTheFlagWithoutDischarging(_ flags: UInt16, _ isFull: Bool) throws {
    var gauge = BQ27441(
      bus: ScriptedBus(script(flags)), address: try #require(address), wiring: GaugeWiring())
    #expect(try reading(&gauge).isFull == isFull)
  }

  @Test func lostConfigurationIsReportedOnce() throws {
    let bus = ScriptedBus(script(0x0020) + script(0x0020) + script(0x0000) + script(0x0020))
    var gauge = BQ27441(bus: bus, address: try #require(address), wiring: GaugeWiring())
    let resets = try (0..<4).map { _ in try reading(&gauge).wasReset }
    #expect(resets == [true, false, false, true])
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func theDeviceTypeIsReadByASubcommand() throws {
    let bus = ScriptedBus(
      .read(0x55, 0x04, 0x3C, 0x0F), .read(0x55, 0x1C, 0x50, 0x00), .read(0x55, 0x1E, 0xA5, 0x0B),
      .write(0x55, 0x00, 0x01, 0x00), .read(0x55, 0x00, 0x21, 0x04))
    try BQ27441(bus: bus, address: try #require(address), wiring: GaugeWiring()).identify()
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aRelatedChipIsRejectedByItsType() throws {
    let address = try #require(address)
    let bus = ScriptedBus(
      .read(0x55, 0x04, 0x3C, 0x0F), .read(0x55, 0x1C, 0x50, 0x00), .read(0x55, 0x1E, 0xA5, 0x0B),
      .write(0x55, 0x00, 0x01, 0x00), .read(0x55, 0x00, 0x26, 0x04))
    #expect(throws: ChipError.wrongIdentity(address, register: 0x00, expected: [0x0421], got: 0x0426)) {
      try BQ27441(bus: bus, address: address, wiring: GaugeWiring()).identify()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aForeignChipIsNotWrittenTo() throws {
    let address = try #require(address)
    let bus = ScriptedBus(.read(0x55, 0x04, 0x3C, 0x0F), .read(0x55, 0x1C, 0xFF, 0x00))
    #expect(throws: ChipError.wrongIdentity(address, register: 0x1C, expected: [0, 120], got: 255)) {
      try BQ27441(bus: bus, address: address, wiring: GaugeWiring()).identify()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }
}
