/// Reads the fields of a binary payload, least significant byte first. Every offset must lie inside.
struct LittleEndian {
  let bytes: UnsafeRawBufferPointer

  @inline(__always)
  func u1(_ offset: Int) -> UInt8 { bytes[offset] }
  @inline(__always)
  func u2(_ offset: Int) -> UInt16 { UInt16(littleEndian: load(offset)) }
  @inline(__always)
  func u4(_ offset: Int) -> UInt32 { UInt32(littleEndian: load(offset)) }
  @inline(__always)
  func i4(_ offset: Int) -> Int32 { Int32(littleEndian: load(offset)) }

  @inline(__always)
  private func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
    bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }
}
