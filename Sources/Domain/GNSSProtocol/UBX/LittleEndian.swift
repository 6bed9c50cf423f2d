/// Decodes the fields of a binary payload, least significant byte first. Every offset must be inside the
/// payload.
package struct LittleEndian {
  package let bytes: UnsafeRawBufferPointer

  package init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  @inline(__always)
  package func u1(_ offset: Int) -> UInt8 { bytes[offset] }
  @inline(__always)
  package func i1(_ offset: Int) -> Int8 { Int8(bitPattern: bytes[offset]) }
  @inline(__always)
  package func u2(_ offset: Int) -> UInt16 { UInt16(littleEndian: load(offset)) }
  @inline(__always)
  package func i2(_ offset: Int) -> Int16 { Int16(littleEndian: load(offset)) }
  @inline(__always)
  package func u4(_ offset: Int) -> UInt32 { UInt32(littleEndian: load(offset)) }
  @inline(__always)
  package func i4(_ offset: Int) -> Int32 { Int32(littleEndian: load(offset)) }

  /// IEEE 754 single precision; nil if not finite.
  package func r4(_ offset: Int) -> Double? {
    let value = Float(bitPattern: u4(offset))
    return value.isFinite ? Double(value) : nil
  }

  /// IEEE 754 double precision; nil if not finite.
  package func r8(_ offset: Int) -> Double? {
    let value = Double(bitPattern: UInt64(littleEndian: load(offset)))
    return value.isFinite ? value : nil
  }

  @inline(__always)
  private func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
    bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }
}
