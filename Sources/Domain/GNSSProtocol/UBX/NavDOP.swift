/// UBX NAV-DOP (class 01, id 04), 18 bytes: dilutions of precision.
///
/// Kept as sent, until the solution of its iTOW arrives.
struct NavDOP: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  private let position: UInt16
  private let vertical: UInt16
  private let horizontal: UInt16

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 18 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    position = fields.u2(6)
    vertical = fields.u2(10)
    horizontal = fields.u2(12)
  }

  var pDOP: Double? { Self.dilution(position) }
  var vDOP: Double? { Self.dilution(vertical) }
  var hDOP: Double? { Self.dilution(horizontal) }
  /// The horizontal dilution; infinite from 99 on, nil for 0.
  var unboundedHDOP: Double? { Accuracy.dilution(Double(horizontal) / 100) }

  /// Converts units of 0.01; 0 and values from 99 mean unknown.
  static func dilution(_ raw: UInt16) -> Double? { raw > 0 && raw < 9900 ? Double(raw) / 100 : nil }
}
