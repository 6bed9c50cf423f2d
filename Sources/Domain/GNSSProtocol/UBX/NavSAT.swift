/// UBX NAV-SAT (class 01, id 35): satellites in view, 12 bytes each after a header of 8.
///
/// It refers to the payload and must not outlive the frame.
struct NavSAT {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  let numSvs: Int
  private let fields: LittleEndian

  /// Decodes the payload; nil if the length does not match the number of satellites.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count >= 8 else { return nil }
    fields = LittleEndian(bytes: payload)
    numSvs = Int(fields.u1(5))
    guard payload.count == 8 + 12 * numSvs else { return nil }
    iTOW = fields.u4(0)
  }

  /// The satellite at `index`, 0..<numSvs; nil if its number does not exist in any system.
  func satellite(_ index: Int) -> Satellite? {
    let block = 8 + 12 * index
    guard let id = SatelliteID(gnssID: fields.u1(block), svID: fields.u1(block + 1)) else { return nil }
    let signal = fields.u1(block + 2)
    let elevation = fields.i1(block + 3)
    let hasDirection = (-90...90).contains(elevation)
    return Satellite(
      id: id, elevation: hasDirection ? elevation : nil,
      azimuth: hasDirection ? Satellite.azimuth(Int(fields.i2(block + 4))) : nil,
      signal: signal == 0 ? nil : signal, isUsed: fields.u1(block + 8) & 0b1000 != 0)
  }
}
