/// UBX NAV-DOP (class 01, id 04), 18 bytes: dilutions of precision.
struct NavDOP: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  let gDOP: Double?
  let pDOP: Double?
  let tDOP: Double?
  let vDOP: Double?
  let hDOP: Double?
  let nDOP: Double?
  let eDOP: Double?

  /// Fails for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 18 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    gDOP = Self.dilution(fields.u2(4))
    pDOP = Self.dilution(fields.u2(6))
    tDOP = Self.dilution(fields.u2(8))
    vDOP = Self.dilution(fields.u2(10))
    hDOP = Self.dilution(fields.u2(12))
    nDOP = Self.dilution(fields.u2(14))
    eDOP = Self.dilution(fields.u2(16))
  }

  /// From units of 0.01; 0 and 99 upwards mean unknown.
  static func dilution(_ raw: UInt16) -> Double? { raw > 0 && raw < 9900 ? Double(raw) / 100 : nil }
}
