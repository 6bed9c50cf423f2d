import Quantities

import Chips

/// A chip that only stores what is written to it; its bus can be made to fail.
final class RegisterFileBus: I2CBus {
  /// Values of registers that were not written.
  var registers: [UInt8: UInt8] = [:]
  /// Registers over which the address of a burst wraps.
  var round: ClosedRange<UInt8>?
  /// The failing transaction, counted from 0, and its error.
  var failure: (at: Int, error: I2CError)?
  /// Source of the bytes of unwritten registers; zero without it. With noise some readings are truncated.
  private var noise: SplitMix64
  private let isNoisy: Bool
  /// Mask for the register address, which removes flags such as that for bursts.
  let mask: UInt8
  private(set) var count = 0
  private(set) var bytesRead = 0
  var longestRead = Int.max
  /// Total time at 100 kHz: nine bits per byte, including addresses.
  private(set) var time = Duration.zero
  private var written: [UInt8: UInt8] = [:]

  init(mask: UInt8 = 0x7F, noiseSeed: UInt64? = nil) {
    self.mask = mask
    isNoisy = noiseSeed != nil
    noise = SplitMix64(seed: noiseSeed ?? 0)
  }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    defer { count += 1 }
    if let failure, failure.at == count { throw failure.error }
    guard let first = write.first else { return [] }
    for (offset, byte) in write.dropFirst().enumerated() { written[(first &+ UInt8(offset)) & mask] = byte }
    bytesRead += readCount
    time += .microseconds(90 * (1 + write.count + (readCount > 0 ? 1 : 0) + readCount))
    guard readCount > 0 else { return [] }
    if isNoisy, noise.next() % 64 == 0 { return [UInt8](repeating: 0, count: readCount - 1) }
    var bytes: [UInt8] = []
    var register = first & mask
    for _ in 0..<readCount {
      let unwritten = isNoisy ? UInt8(truncatingIfNeeded: noise.next()) : 0
      bytes.append(registers[register] ?? written[register] ?? unwritten)
      register = register == round?.upperBound ? round?.lowerBound ?? 0 : (register &+ 1) & mask
    }
    return bytes
  }
}
