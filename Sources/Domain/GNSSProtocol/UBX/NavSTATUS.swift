/// UBX NAV-STATUS (class 01, id 03), 16 bytes: kind of fix, time since the start.
struct NavSTATUS: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  let fix: GPSFix
  /// The flag towSet.
  let isTimeSet: Bool
  /// Milliseconds to the first fix, 0 before it.
  let ttff: UInt32
  /// Milliseconds since the start of the receiver.
  let msss: UInt32

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 16 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    fix = GPSFix(gpsFix: fields.u1(4), flags: fields.u1(5))
    isTimeSet = fields.u1(5) & 0b1000 != 0
    ttff = fields.u4(8)
    msss = fields.u4(12)
  }
}
