/// UBX HNR-PVT (class 28, id 00), 72 bytes: the solution extrapolated at a high rate.
///
/// Decoded so that it is never mistaken for a fix: it repeats the epochs of NAV-PVT, and in between it is
/// dead reckoning.
struct HNRPVT: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 72 else { return nil }
    iTOW = LittleEndian(bytes: payload).u4(0)
  }
}
