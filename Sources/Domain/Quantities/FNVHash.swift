/// The 64-bit FNV-1a hash. It is the same for all builds of the program, and it is not cryptographic.
public struct FNVHash: Equatable, Sendable {
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  public init() {}

  public init(_ text: String) { take(text.utf8) }

  public mutating func take(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
