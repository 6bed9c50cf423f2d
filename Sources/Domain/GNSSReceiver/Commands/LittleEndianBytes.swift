/// Encodes a binary payload, least significant byte first.
public struct LittleEndianBytes: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func u1(_ value: UInt8) { bytes.append(value) }

  public mutating func u2(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  public mutating func u4(_ value: UInt32) {
    u2(UInt16(truncatingIfNeeded: value))
    u2(UInt16(truncatingIfNeeded: value >> 16))
  }

  public mutating func i4(_ value: Int32) { u4(UInt32(bitPattern: value)) }

  public mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
}
