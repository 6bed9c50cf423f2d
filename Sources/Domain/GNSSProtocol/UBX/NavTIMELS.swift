/// UBX NAV-TIMELS (class 01, id 26), 24 bytes: leap second information.
struct NavTIMELS: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  /// GPS − UTC in seconds; nil if not valid.
  let currLs: Int?
  /// Source of `currLs`: 0 the firmware's built-in value, 1 and above the satellites or the host.
  let srcOfCurrLs: UInt8

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 24 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    srcOfCurrLs = fields.u1(8)
    let seconds = Int(fields.i1(9))
    currLs = fields.u1(23) & 1 != 0 && LeapSeconds.plausible.contains(seconds) ? seconds : nil
  }
}
