/// UBX NAV-VELNED (class 01, id 12), 36 bytes: velocity in north, east, down.
struct NavVELNED: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  /// Vertical speed in m/s, up positive.
  let climb: Double
  /// Speed over ground in m/s.
  let gSpeed: Double
  /// Course in degrees, 0..<360.
  let heading: Double?
  /// Speed accuracy in m/s; nil if unknown.
  let sAcc: Double?
  /// Course accuracy in degrees; nil if unknown.
  let cAcc: Double?

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 36 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    climb = -Double(fields.i4(12)) / 100
    gSpeed = Double(fields.u4(20)) / 100
    heading = Velocity.course(Double(fields.i4(24)) / 1e5)
    sAcc = Accuracy.metres(Double(fields.u4(28)) / 100)
    let heading = Double(fields.u4(32)) / 1e5
    cAcc = heading > 0 && heading < 180 ? heading : nil
  }
}
