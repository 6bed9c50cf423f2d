/// UBX NAV-SVINFO (class 01, id 30), u-blox 5 to 8: satellites in view, 12 bytes each after a header of 8.
///
/// It refers to the payload and must not outlive the frame.
struct NavSVINFO {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  let numCh: Int
  private let fields: LittleEndian

  /// Decodes the payload; nil if the length does not match the number of channels.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count >= 8 else { return nil }
    fields = LittleEndian(bytes: payload)
    numCh = Int(fields.u1(4))
    guard payload.count == 8 + 12 * numCh else { return nil }
    iTOW = fields.u4(0)
  }

  /// The satellite of the channel at `index`, 0..<numCh; nil for an idle channel or an unknown number.
  func satellite(_ index: Int) -> Satellite? {
    let block = 8 + 12 * index
    guard let id = SatelliteID(legacySvid: fields.u1(block + 1)) else { return nil }
    let signal = fields.u1(block + 4)
    let elevation = fields.i1(block + 5)
    let hasDirection = (-90...90).contains(elevation)
    return Satellite(
      id: id, elevation: hasDirection ? elevation : nil,
      azimuth: hasDirection ? Satellite.azimuth(Int(fields.i2(block + 6))) : nil,
      signal: signal == 0 ? nil : signal, isUsed: fields.u1(block + 2) & 1 != 0)
  }
}
