/// The registers of a PiSugar 3, one for each transaction, behind its write protection.
///
/// Nothing is written to a chip that does not identify itself as a PiSugar 3 in the transactions before: an EEPROM on a
/// clock module has the same address.
struct PiSugarRegisters {
  private static let type: UInt8 = 0x00
  /// 0x0F is the application; other values are the boot loader.
  private static let mode: UInt8 = 0x01
  private static let protection: UInt8 = 0x0B
  /// ASCII text with a zero at its end, as in 1.3.4.
  private static let version: UInt8 = 0xE2
  private static let longestVersion: UInt8 = 15
  private static let open: UInt8 = 0x29
  private static let closed: UInt8 = 0x00

  private let registers: ChipRegisters
  var address: I2CAddress { registers.address }

  init(bus: any I2CBus, address: I2CAddress) { registers = ChipRegisters(bus: bus, address: address) }

  func identify() throws(ChipError) {
    try registers.expect(Self.type, isOneOf: [3])
    try registers.expect(Self.mode, isOneOf: [0x0F])
  }

  /// The version of the firmware, 134 for 1.3.4. Throws `wrongIdentity` if it is none.
  func readFirmware() throws(ChipError) -> Int {
    var parts = [0]
    for offset in 0..<Self.longestVersion {
      let byte = try read(Self.version + offset)
      switch byte {
      case 0 where parts.count > 1: return Self.number(parts)
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        parts[parts.count - 1] = min(parts[parts.count - 1] * 10 + Int(byte - UInt8(ascii: "0")), 99)
      case UInt8(ascii: ".") where parts.count < 4: parts.append(0)
      case _ where offset > 4: return Self.number(parts)
      default:
        throw .wrongIdentity(
          address, register: Self.version + offset, expected: [UInt16(UInt8(ascii: "1"))], got: UInt16(byte))
      }
    }
    return Self.number(parts)
  }

  /// The first versions have two parts: 1.05 is 105.
  private static func number(_ parts: [Int]) -> Int {
    guard parts.count > 2 else { return parts[0] * 100 + parts[parts.count - 1] }
    return parts[0] * 100 + min(parts[1], 9) * 10 + min(parts[2], 9)
  }

  func read(_ register: UInt8) throws(ChipError) -> UInt8 { try registers.read(register) }

  func expect(_ register: UInt8, bits: UInt8 = 0xFF, toHold value: UInt8) throws(ChipError) {
    let got = try read(register)
    guard got & bits == value else {
      throw .settingLost(address, register: register, expected: UInt16(value), got: UInt16(got & bits))
    }
  }

  /// Changes some bits of a register unless they have the value, and reads them back.
  func set(_ register: UInt8, bits: UInt8 = 0xFF, to value: UInt8) throws(ChipError) {
    let present = try read(register)
    guard present & bits != value else { return }
    try identify()
    try registers.write(Self.protection, Self.open)
    try registers.write(register, present & ~bits | value)
    try registers.write(Self.protection, Self.closed)
    try expect(register, bits: bits, toHold: value)
  }
}
