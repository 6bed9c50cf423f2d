/// UBX HNR-PVT (class 28, id 00), 72 bytes: the solution carried on at a high rate.
///
/// Known so that it is never taken for a fix: it is a further product of the moments that NAV-PVT reports,
/// and in between it is dead reckoning.
struct HNRPVT: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32

  /// Fails for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 72 else { return nil }
    iTOW = LittleEndian(bytes: payload).u4(0)
  }
}
