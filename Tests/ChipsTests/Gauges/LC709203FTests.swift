import Testing

@testable import Chips

@Suite struct LC709203FTests {
  private let address = I2CAddress(0x0B)

  /// Data sheet LC709203F/D, "Communication Protocol": 3778 mV read, and a word written.
  @Test func theCRCMatchesTheExamplesOfTheDataSheet() {
    #expect(PacketErrorCode.of([0x16, 0x09, 0x17, 0xC2, 0x0E]) == 0x86)
    #expect(PacketErrorCode.of([0x16, 0x09, 0x55, 0xAA]) == 0x3B)
    #expect(PacketErrorCode.of([]) == 0)
    #expect(PacketErrorCode.of(Array("123456789".utf8)) == 0xF4, "the check value of CRC-8")
  }

  private func word(_ register: UInt8, _ value: UInt16) -> ScriptedBus.Transaction {
    let (low, high) = (UInt8(value & 0xFF), UInt8(value >> 8))
    return .read(0x0B, register, low, high, PacketErrorCode.of([0x16, register, 0x17, low, high]))
  }

  private func set(_ register: UInt8, _ value: UInt16) -> ScriptedBus.Transaction {
    let (low, high) = (UInt8(value & 0xFF), UInt8(value >> 8))
    return .write(0x0B, register, low, high, PacketErrorCode.of([0x16, register, low, high]))
  }

  @Test func aReadingWithAThermistor() throws {
    let bus = ScriptedBus(
      word(0x15, 1), .read(0x0B, 0x09, 0xC2, 0x0E, 0x86), word(0x0F, 805), word(0x16, 1), word(0x08, 0x09E4))
    var gauge = LC709203F(bus: bus, address: try #require(address), wiring: GaugeWiring())
    guard case .reading(let reading) = try gauge.read() else {
      Issue.record("no reading")
      return
    }
    #expect(reading.voltage == 3.778 && reading.stateOfCharge == 80.5)
    #expect(abs((reading.temperature ?? 0) + 19.95) < 0.01 && reading.temperatureSource == .battery)
    #expect(reading.current == nil && reading.rate == nil && !reading.wasReset)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aWrongCRCIsAnErrorAndTheNextReadingSucceeds() throws {
    let address = try #require(address)
    let bus = ScriptedBus(
      word(0x15, 1), .read(0x0B, 0x09, 0xC2, 0x0E, 0x87), word(0x15, 1), word(0x09, 3778), word(0x0F, 805),
      word(0x16, 0))
    var gauge = LC709203F(bus: bus, address: address, wiring: GaugeWiring())
    #expect(throws: ChipError.wrongChecksum(address, register: 0x09, expected: 0x86, got: 0x87)) {
      try gauge.read()
    }
    guard case .reading(let reading) = try gauge.read() else {
      Issue.record("no reading")
      return
    }
    #expect(reading.voltage == 3.778 && reading.temperature == nil)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aLossOfSupplyIsReportedAndTheChipConfiguredAgain() throws {
    let bus = ScriptedBus(
      word(0x15, 2), word(0x15, 2), set(0x15, 1), word(0x15, 1), word(0x0B, 0), set(0x0B, 0x2D),
      word(0x0B, 0x2D),
      word(0x15, 1), word(0x09, 3778), word(0x0F, 805), word(0x16, 0))
    var gauge = LC709203F(bus: bus, address: try #require(address), wiring: GaugeWiring(capacity: 2000))
    #expect(try gauge.read() == .wait(.seconds(2)))
    guard case .reading(let reading) = try gauge.read() else {
      Issue.record("no reading")
      return
    }
    #expect(reading.wasReset)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anInterruptedConfigurationIsRepeated() throws {
    let address = try #require(address)
    let bus = ScriptedBus(
      word(0x15, 2), word(0x15, 2), set(0x15, 1), word(0x15, 1), .fail(0x0B, 0x0B, .timedOut(address)),
      word(0x15, 1), word(0x0B, 0), set(0x0B, 0x2D), word(0x0B, 0x2D), word(0x15, 1), word(0x09, 3778),
      word(0x0F, 805), word(0x16, 0))
    var gauge = LC709203F(bus: bus, address: address, wiring: GaugeWiring(capacity: 2000))
    #expect(throws: ChipError.bus(.timedOut(address))) { try gauge.read() }
    #expect(try gauge.read() == .wait(.zero))
    guard case .reading(let reading) = try gauge.read() else {
      Issue.record("no reading")
      return
    }
    #expect(reading.wasReset)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aChipThatDoesNotWakeIsDetected() throws {
    let address = try #require(address)
    let bus = ScriptedBus(word(0x15, 2), set(0x15, 1), word(0x15, 2))
    var gauge = LC709203F(bus: bus, address: address, wiring: GaugeWiring())
    #expect(throws: ChipError.settingLost(address, register: 0x15, expected: 1, got: 2)) { try gauge.start() }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// The smart battery of a notebook uses 0x0B too; with a CRC it has its run time and its charging voltage
  /// there.
  @Test func aSmartBatteryIsRejected() throws {
    let address = try #require(address)
    let bus = ScriptedBus(word(0x11, 312), word(0x15, 12_600))
    #expect(throws: ChipError.wrongIdentity(address, register: 0x15, expected: [1, 2], got: 12_600)) {
      try LC709203F(bus: bus, address: address, wiring: GaugeWiring()).identify()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(
    arguments: [
      (100, 0x08), (150, 0x0A), (500, 0x10), (1000, 0x19), (1500, 0x23), (3000, 0x36), (99, nil), (3001, nil),
      (.nan, nil), (-1, nil),
    ] as [(Double, UInt16?)])
  func theAdjustmentFollowsTheTable(_ capacity: Double, _ adjustment: UInt16?) {
    #expect(LC709203F.adjustment(forCapacity: capacity) == adjustment)
  }
}
