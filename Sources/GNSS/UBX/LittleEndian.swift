/// Reads the fields of a binary payload, least significant byte first. Every offset must lie inside.
struct LittleEndian {
  let bytes: UnsafeRawBufferPointer

  func u1(_ offset: Int) -> UInt8 { bytes[offset] }
  func i1(_ offset: Int) -> Int8 { Int8(bitPattern: bytes[offset]) }
  func u2(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 }
  func i2(_ offset: Int) -> Int16 { Int16(bitPattern: u2(offset)) }
  func u4(_ offset: Int) -> UInt32 { UInt32(u2(offset)) | UInt32(u2(offset + 2)) << 16 }
  func i4(_ offset: Int) -> Int32 { Int32(bitPattern: u4(offset)) }

  /// IEEE 754 single precision; nil for what is no finite number.
  func r4(_ offset: Int) -> Double? {
    let value = Float(bitPattern: u4(offset))
    return value.isFinite ? Double(value) : nil
  }

  /// IEEE 754 double precision; nil for what is no finite number.
  func r8(_ offset: Int) -> Double? {
    let value = Double(bitPattern: UInt64(u4(offset)) | UInt64(u4(offset + 4)) << 32)
    return value.isFinite ? value : nil
  }
}
