extension Acceleration {
  /// Decodes three signed words, x first, less significant byte first; `scale` is g per LSB. `bytes` holds
  /// six bytes from `offset` onwards.
  init(littleEndian bytes: [UInt8], at offset: Int, scale: Float) {
    self.init(
      x: Self.word(bytes[offset + 1], bytes[offset]) * scale,
      y: Self.word(bytes[offset + 3], bytes[offset + 2]) * scale,
      z: Self.word(bytes[offset + 5], bytes[offset + 4]) * scale)
  }

  /// Decodes three signed words as above, more significant byte first.
  init(bigEndian bytes: [UInt8], at offset: Int, scale: Float) {
    self.init(
      x: Self.word(bytes[offset], bytes[offset + 1]) * scale,
      y: Self.word(bytes[offset + 2], bytes[offset + 3]) * scale,
      z: Self.word(bytes[offset + 4], bytes[offset + 5]) * scale)
  }

  private static func word(_ high: UInt8, _ low: UInt8) -> Float {
    Float(Int16(bitPattern: UInt16(high) << 8 | UInt16(low)))
  }
}
