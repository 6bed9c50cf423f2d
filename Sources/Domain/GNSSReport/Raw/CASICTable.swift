extension BinaryLayout {
  /// The CASIC messages with named fields; the names are those of the CASIC protocol specification. `hAcc`,
  /// `vAcc`, `sAcc` and `cAcc` of NAV-PV are variances.
  static let casic: [BinaryLayout] = [
    BinaryLayout(
      0x01, 0x01, "NAV-DOP", length: 28,
      [
        .u4(0, "runTime"), .r4(4, "pDop"), .r4(8, "hDop"), .r4(12, "vDop"), .r4(16, "nDop"),
        .r4(20, "eDop"), .r4(24, "tDop"),
      ]),
    BinaryLayout(
      0x01, 0x03, "NAV-PV", length: 80,
      [
        .u4(0, "runTime"), .u1(4, "posValid"), .u1(5, "velValid"), .x1(6, "system"), .u1(7, "numSV"),
        .u1(8, "numSVGPS"), .u1(9, "numSVBDS"), .u1(10, "numSVGLN"), .r4(12, "pDop"), .r8(16, "lon"),
        .r8(24, "lat"), .r4(32, "height"), .r4(36, "sepGeoid"), .r4(40, "hAcc"), .r4(44, "vAcc"),
        .r4(48, "velN"), .r4(52, "velE"), .r4(56, "velU"), .r4(60, "speed3D"), .r4(64, "speed2D"),
        .r4(68, "heading"), .r4(72, "sAcc"), .r4(76, "cAcc"),
      ]),
    BinaryLayout(
      0x01, 0x10, "NAV-TIMEUTC", length: 24,
      [
        .u4(0, "runTime"), .r4(4, "tAcc"), .r4(8, "msErr"), .u2(12, "ms"), .u2(14, "year"),
        .u1(16, "month"), .u1(17, "day"), .u1(18, "hour"), .u1(19, "min"), .u1(20, "sec"), .x1(21, "valid"),
        .u1(22, "timeSrc"), .u1(23, "dateValid"),
      ]),
    BinaryLayout(0x05, 0x00, "NAK", length: 4, [.x1(0, "clsID"), .x1(1, "msgID")]),
    BinaryLayout(0x05, 0x01, "ACK", length: 4, [.x1(0, "clsID"), .x1(1, "msgID")]),
  ]
}
