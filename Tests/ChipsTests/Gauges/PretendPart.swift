@testable import Chips

/// A chip that consists only of registers, on a bus that can fail at any transaction.
final class PretendPart: I2CBus {
  let address: UInt8
  private var memory: [UInt8: [UInt8]]
  /// True if each word has a CRC, as on an LC709203F.
  private let hasChecksum: Bool
  /// Registers that take commands and are not stored.
  private let commands: Set<UInt8>
  /// The failing transaction, counted from zero, and its error.
  var fault: (at: Int, error: I2CError)?
  private(set) var log: [[UInt8]] = []

  init(_ address: UInt8, _ words: [UInt8: [UInt8]], checksum: Bool = false, commands: Set<UInt8> = []) {
    (self.address, memory, hasChecksum, self.commands) = (address, words, checksum, commands)
  }

  var writes: [[UInt8]] { log.filter { $0.count > 1 } }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    defer { log.append(write) }
    if let fault, fault.at == log.count { throw fault.error }
    guard address.rawValue == self.address, let register = write.first else { throw .noAcknowledge(address) }
    if write.count > 1, !commands.contains(register) { memory[register] = Array(write[1...].prefix(2)) }
    var bytes = memory[register] ?? [0, 0]
    if hasChecksum {
      let shifted = self.address << 1
      bytes.append(PacketErrorCode.of([shifted, register, shifted | 1] + bytes))
    }
    return Array(bytes.prefix(readCount))
  }

  /// A working chip of each type.
  static func good(_ name: String) -> PretendPart? {
    switch name {
    case "max17048", "max17049":
      PretendPart(
        0x36,
        [
          0x02: [0xC3, 0x50], 0x04: [0x50, 0x80], 0x08: [0x00, 0x12], 0x0C: [0x97, 0x1C], 0x16: [0xFF, 0xEC],
          0x1A: [0x01, 0x00],
        ])
    case "max17043", "max17044":
      PretendPart(0x36, [0x02: [0xC3, 0x50], 0x04: [0x50, 0x80], 0x08: [0x00, 0x03], 0x0C: [0x97, 0x9C]])
    case "bq27441":
      PretendPart(
        0x55,
        [
          0x00: [0x21, 0x04], 0x04: [0x3C, 0x0F], 0x06: [0x21, 0x01], 0x10: [0x88, 0xFF], 0x1C: [80, 0],
          0x1E: [0xA5, 0x0B],
        ], commands: [0x00])
    case "lc709203f":
      PretendPart(
        0x0B,
        [
          0x08: [0xA6, 0x0B], 0x09: [0x3C, 0x0F], 0x0F: [0x20, 0x03], 0x11: [0x17, 0x27], 0x15: [2, 0],
          0x16: [1, 0],
        ], checksum: true)
    case "pijuice":
      PretendPart(
        0x14,
        [
          0x40: [0x00, 0xFF], 0x41: [80, 0xAF], 0x47: [21, 0xFF, 0x15], 0x49: [0x3C, 0x0F, 0xCC],
          0xFD: [0x16, 0x00, 0xE9],
        ])
    case "pisugar-3":
      PretendPart(
        0x57,
        [
          0x00: [3], 0x01: [0x0F], 0x02: [0x70], 0x04: [61], 0x22: [0x0F], 0x23: [0x3C], 0x2A: [80],
          0xE2: [0x31], 0xE3: [0x2E], 0xE4: [0x33], 0xE5: [0x2E], 0xE6: [0x34], 0xE7: [0],
        ])
    case "ina226":
      PretendPart(
        0x40,
        [
          0x01: [0xFF, 0x38], 0x02: [0x0C, 0x30], 0x06: [0x00, 0x08], 0xFE: [0x54, 0x49], 0xFF: [0x22, 0x60],
        ])
    case "ina260":
      PretendPart(
        0x40,
        [
          0x01: [0xFF, 0x9C], 0x02: [0x0C, 0x30], 0x06: [0x00, 0x08], 0xFE: [0x54, 0x49], 0xFF: [0x22, 0x70],
        ])
    case "ina219":
      PretendPart(0x40, [0x00: [0x39, 0x9F], 0x01: [0xFB, 0x50], 0x02: [0x1E, 0x7A]])
    default: nil
    }
  }
}
