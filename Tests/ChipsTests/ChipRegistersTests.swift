import Testing

@testable import Chips

@Suite struct ChipRegistersTests {
  @Test func onlyDeviceAddressesAreValid() throws {
    #expect(I2CAddress(0x07) == nil && I2CAddress(0x78) == nil)
    #expect(try #require(I2CAddress(0x08)).description == "0x08")
    #expect(try #require(I2CAddress(0x77)).description == "0x77")
  }

  @Test func bytesAreCombinedInTheByteOrderOfTheChip() throws {
    let bus = ScriptedBus(.read(0x36, 0x02, 0x12, 0x34), .read(0x36, 0x02, 0x12, 0x34))
    let registers = ChipRegisters(bus: bus, address: try #require(I2CAddress(0x36)))
    #expect(try registers.readBigEndian(0x02) == 0x1234)
    #expect(try registers.readLittleEndian(0x02) == 0x3412)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aSettingThatDoesNotReadBackIsDetected() throws {
    let address = try #require(I2CAddress(0x18))
    let bus = ScriptedBus(.write(0x18, 0x20, 0x37), .read(0x18, 0x20, 0x07))
    let registers = ChipRegisters(bus: bus, address: address)
    #expect(throws: ChipError.settingLost(address, register: 0x20, expected: 0x37, got: 0x07)) {
      try registers.set(0x20, to: 0x37)
    }
  }

  @Test func aBusFaultIsPassedOnUnchanged() throws {
    let address = try #require(I2CAddress(0x18))
    let bus = ScriptedBus(.fail(0x18, 0x0F, .timedOut(address)))
    let registers = ChipRegisters(bus: bus, address: address)
    #expect(throws: ChipError.bus(.timedOut(address))) { try registers.expect(0x0F, isOneOf: [0x33]) }
  }
}
