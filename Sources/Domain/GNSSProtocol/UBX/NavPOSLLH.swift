import Quantities

/// UBX NAV-POSLLH (class 01, id 02), 28 bytes: geodetic position with the receiver's own errors.
///
/// It has no status; NAV-STATUS or NAV-SOL of the same iTOW has.
struct NavPOSLLH: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  /// The position; nil outside ±90 and ±180 degrees.
  let position: Position?
  /// Heights in metres above the ellipsoid, and above mean sea level.
  let height: Double
  let hMSL: Double
  /// Horizontal accuracy in metres; infinite without an estimate, nil if unknown.
  let hAcc: Double?
  let vAcc: Double?

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 28 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    position = Position(latitudeE7: fields.i4(8), longitudeE7: fields.i4(4))
    height = Double(fields.i4(12)) / 1000
    hMSL = Double(fields.i4(16)) / 1000
    hAcc = Accuracy.horizontal(Double(fields.u4(20)) / 1000)
    vAcc = Accuracy.metres(Double(fields.u4(24)) / 1000)
  }
}

extension Position {
  /// Converts units of 1e-7 degrees; fails outside ±90 and ±180 degrees.
  init?(latitudeE7 latitude: Int32, longitudeE7 longitude: Int32) {
    guard Coordinate(latitudeE7: latitude, longitudeE7: longitude) != nil else { return nil }
    self.init(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
  }
}
