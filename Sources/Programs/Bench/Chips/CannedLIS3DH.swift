import Chips

/// A bus whose registers answer like a LIS3DH with a constant FIFO level. It has no simulation, so that only
/// the reading is measured.
final class CannedLIS3DH: I2CBus {
  /// Number of samples in the FIFO, below 32.
  var level: UInt8 = 0
  private var registers = [UInt8](repeating: 0, count: 128)
  private let samples: [UInt8]

  init() {
    registers[0x0F] = 0x33
    samples = (0..<192).map { UInt8(truncatingIfNeeded: $0 &* 37) }
  }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    guard let first = write.first else { throw .noAcknowledge(address) }
    let number = Int(first & 0x7F)
    for (offset, byte) in write.dropFirst().enumerated() where number + offset < registers.count {
      registers[number + offset] = byte
    }
    switch (number, readCount) {
    // FIFO_CTRL_REG and FIFO_SRC_REG.
    case (0x2E, 2): return [registers[0x2E], level == 0 ? 0x20 : level]
    // A single sample belongs to the self-test; the test force is bits 2 and 1 of CTRL_REG4.
    case (0x28, 6): return [UInt8](repeating: registers[0x23] & 0x06 == 0 ? 0 : 0x10, count: 6)
    case (0x28, let count) where count <= samples.count: return Array(samples[..<count])
    case (_, let count):
      return (0..<count).map { number + $0 < registers.count ? registers[number + $0] : 0 }
    }
  }
}
