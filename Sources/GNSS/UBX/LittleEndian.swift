/// Reads the fields of a binary payload, least significant byte first. Every offset must lie inside.
struct LittleEndian {
  let bytes: UnsafeRawBufferPointer

  func u1(_ offset: Int) -> UInt8 { bytes[offset] }
  func u2(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 }
  func u4(_ offset: Int) -> UInt32 { UInt32(u2(offset)) | UInt32(u2(offset + 2)) << 16 }
  func i4(_ offset: Int) -> Int32 { Int32(bitPattern: u4(offset)) }
}
