/// FNV-1a with 64 bits: equal for equal bytes, for any build of the program. It keeps nobody from guessing what went in.
public struct FNVHash: Equatable, Sendable {
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  public init() {}

  public init(_ text: String) { take(text.utf8) }

  public mutating func take(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
