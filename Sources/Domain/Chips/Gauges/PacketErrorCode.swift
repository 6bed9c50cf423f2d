/// The CRC-8 of SMBus: polynomial x⁸ + x² + x + 1, initial value zero (System Management Bus Specification
/// 3.2, section 6.4.1.3).
enum PacketErrorCode {
  /// The CRC of all bytes as sent on the wire, including the shifted address.
  static func of(_ bytes: [UInt8]) -> UInt8 {
    bytes.reduce(0) { code, byte in
      (0..<8).reduce(code ^ byte) { code, _ in code & 0x80 == 0 ? code << 1 : code << 1 ^ 0x07 }
    }
  }
}
