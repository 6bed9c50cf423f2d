/// UBX NAV-EOE (class 01, id 61), 4 bytes, protocol 18 and later: the end of the epoch.
struct NavEOE: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 4 else { return nil }
    iTOW = LittleEndian(bytes: payload).u4(0)
  }
}
