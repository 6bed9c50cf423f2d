extension BinaryLayout {
  /// The UBX messages with named fields; the names are those of the u-blox interface descriptions. If a
  /// message has two rows, the one with the length of the payload counts, else the first.
  static let ubx: [BinaryLayout] = navigation + monitoring + configuration

  private static let navigation: [BinaryLayout] = [
    BinaryLayout(
      0x01, 0x01, "NAV-POSECEF", length: 20,
      [.u4(0, "iTOW"), .i4(4, "ecefX"), .i4(8, "ecefY"), .i4(12, "ecefZ"), .u4(16, "pAcc")]),
    BinaryLayout(
      0x01, 0x02, "NAV-POSLLH", length: 28,
      [
        .u4(0, "iTOW"), .i4(4, "lon", decimals: 7), .i4(8, "lat", decimals: 7), .i4(12, "height"),
        .i4(16, "hMSL"), .u4(20, "hAcc"), .u4(24, "vAcc"),
      ]),
    BinaryLayout(
      0x01, 0x03, "NAV-STATUS", length: 16,
      [
        .u4(0, "iTOW"), .u1(4, "gpsFix"), .x1(5, "flags"), .x1(6, "fixStat"), .x1(7, "flags2"),
        .u4(8, "ttff"), .u4(12, "msss"),
      ]),
    BinaryLayout(
      0x01, 0x04, "NAV-DOP", length: 18,
      [
        .u4(0, "iTOW"), .u2(4, "gDOP", decimals: 2), .u2(6, "pDOP", decimals: 2),
        .u2(8, "tDOP", decimals: 2), .u2(10, "vDOP", decimals: 2), .u2(12, "hDOP", decimals: 2),
        .u2(14, "nDOP", decimals: 2), .u2(16, "eDOP", decimals: 2),
      ]),
    BinaryLayout(
      0x01, 0x06, "NAV-SOL", length: 52,
      [
        .u4(0, "iTOW"), .i4(4, "fTOW"), .i2(8, "week"), .u1(10, "gpsFix"), .x1(11, "flags"),
        .i4(12, "ecefX"), .i4(16, "ecefY"), .i4(20, "ecefZ"), .u4(24, "pAcc"), .i4(28, "ecefVX"),
        .i4(32, "ecefVY"), .i4(36, "ecefVZ"), .u4(40, "sAcc"), .u2(44, "pDOP", decimals: 2),
        .u1(47, "numSV"),
      ]),
    BinaryLayout(
      0x01, 0x07, "NAV-PVT", length: 92,
      [
        .u4(0, "iTOW"), .u2(4, "year"), .u1(6, "month"), .u1(7, "day"), .u1(8, "hour"), .u1(9, "min"),
        .u1(10, "sec"), .x1(11, "valid"), .u4(12, "tAcc"), .i4(16, "nano"), .u1(20, "fixType"),
        .x1(21, "flags"), .x1(22, "flags2"), .u1(23, "numSV"), .i4(24, "lon", decimals: 7),
        .i4(28, "lat", decimals: 7), .i4(32, "height"), .i4(36, "hMSL"), .u4(40, "hAcc"), .u4(44, "vAcc"),
        .i4(48, "velN"), .i4(52, "velE"), .i4(56, "velD"), .i4(60, "gSpeed"),
        .i4(64, "headMot", decimals: 5), .u4(68, "sAcc"), .u4(72, "headAcc", decimals: 5),
        .u2(76, "pDOP", decimals: 2), .x2(78, "flags3"), .i4(84, "headVeh", decimals: 5),
        .i2(88, "magDec", decimals: 2), .u2(90, "magAcc", decimals: 2),
      ]),
    BinaryLayout(
      0x01, 0x11, "NAV-VELECEF", length: 20,
      [.u4(0, "iTOW"), .i4(4, "ecefVX"), .i4(8, "ecefVY"), .i4(12, "ecefVZ"), .u4(16, "sAcc")]),
    BinaryLayout(
      0x01, 0x12, "NAV-VELNED", length: 36,
      [
        .u4(0, "iTOW"), .i4(4, "velN"), .i4(8, "velE"), .i4(12, "velD"), .u4(16, "speed"),
        .u4(20, "gSpeed"), .i4(24, "heading", decimals: 5), .u4(28, "sAcc"), .u4(32, "cAcc", decimals: 5),
      ]),
    BinaryLayout(
      0x01, 0x20, "NAV-TIMEGPS", length: 16,
      [
        .u4(0, "iTOW"), .i4(4, "fTOW"), .i2(8, "week"), .i1(10, "leapS"), .x1(11, "valid"), .u4(12, "tAcc"),
      ]),
    BinaryLayout(
      0x01, 0x21, "NAV-TIMEUTC", length: 20,
      [
        .u4(0, "iTOW"), .u4(4, "tAcc"), .i4(8, "nano"), .u2(12, "year"), .u1(14, "month"), .u1(15, "day"),
        .u1(16, "hour"), .u1(17, "min"), .u1(18, "sec"), .x1(19, "valid"),
      ]),
    BinaryLayout(
      0x01, 0x22, "NAV-CLOCK", length: 20,
      [.u4(0, "iTOW"), .i4(4, "clkB"), .i4(8, "clkD"), .u4(12, "tAcc"), .u4(16, "fAcc")]),
    BinaryLayout(
      0x01, 0x26, "NAV-TIMELS", length: 24,
      [
        .u4(0, "iTOW"), .u1(4, "version"), .u1(8, "srcOfCurrLs"), .i1(9, "currLs"),
        .u1(10, "srcOfLsChange"), .i1(11, "lsChange"), .i4(12, "timeToLsEvent"), .u2(16, "dateOfLsGpsWn"),
        .u2(18, "dateOfLsGpsDn"), .x1(23, "valid"),
      ]),
    BinaryLayout(
      0x01, 0x30, "NAV-SVINFO", length: 8, [.u4(0, "iTOW"), .u1(4, "numCh"), .x1(5, "globalFlags")],
      tail: .blocks(
        "channels", size: 12,
        [
          .u1(0, "chn"), .u1(1, "svid"), .x1(2, "flags"), .x1(3, "quality"), .u1(4, "cno"), .i1(5, "elev"),
          .i2(6, "azim"), .i4(8, "prRes"),
        ])),
    BinaryLayout(
      0x01, 0x35, "NAV-SAT", length: 8, [.u4(0, "iTOW"), .u1(4, "version"), .u1(5, "numSvs")],
      tail: .blocks(
        "satellites", size: 12,
        [
          .u1(0, "gnssId"), .u1(1, "svId"), .u1(2, "cno"), .i1(3, "elev"), .i2(4, "azim"),
          .i2(6, "prRes", decimals: 1), .x4(8, "flags"),
        ])),
    BinaryLayout(0x01, 0x61, "NAV-EOE", length: 4, [.u4(0, "iTOW")]),
    BinaryLayout(
      0x28, 0x00, "HNR-PVT", length: 72,
      [
        .u4(0, "iTOW"), .u2(4, "year"), .u1(6, "month"), .u1(7, "day"), .u1(8, "hour"), .u1(9, "min"),
        .u1(10, "sec"), .x1(11, "valid"), .i4(12, "nano"), .u1(16, "gpsFix"), .x1(17, "flags"),
        .i4(20, "lon", decimals: 7), .i4(24, "lat", decimals: 7), .i4(28, "height"), .i4(32, "hMSL"),
        .i4(36, "gSpeed"), .i4(40, "speed"), .i4(44, "headMot", decimals: 5),
        .i4(48, "headVeh", decimals: 5), .u4(52, "hAcc"), .u4(56, "vAcc"), .u4(60, "sAcc"),
        .u4(64, "headAcc", decimals: 5),
      ]),
  ]

  private static let monitoring: [BinaryLayout] = [
    BinaryLayout(
      0x0A, 0x04, "MON-VER", length: 40, [.ch(0, 30, "swVersion"), .ch(30, 10, "hwVersion")],
      tail: .texts("extension", size: 30)),
    BinaryLayout(
      0x0A, 0x09, "MON-HW", length: 60,
      hardware + [
        .raw(28, 17, "VP"), .u1(45, "jamInd"), .x4(48, "pinIrq"), .x4(52, "pullH"), .x4(56, "pullL"),
      ]),
    BinaryLayout(
      0x0A, 0x09, "MON-HW", length: 68,
      hardware + [
        .raw(28, 25, "VP"), .u1(53, "jamInd"), .x4(56, "pinIrq"), .x4(60, "pullH"), .x4(64, "pullL"),
      ]),
    BinaryLayout(
      0x0A, 0x32, "MON-BATCH", length: 12,
      [
        .u1(0, "version"), .u2(4, "fillLevel"), .u2(6, "dropsAll"), .u2(8, "dropsSinceMon"),
        .u2(10, "nextMsgCnt"),
      ]),
    BinaryLayout(
      0x21, 0x10, "LOG-RETRIEVEBATCH", length: 4, [.u1(0, "version"), .x1(1, "flags")]),
    BinaryLayout(
      0x21, 0x11, "LOG-BATCH", length: 100,
      [
        .u1(0, "version"), .x1(1, "contentValid"), .u2(2, "msgCnt"), .u4(4, "iTOW"), .u2(8, "year"),
        .u1(10, "month"), .u1(11, "day"), .u1(12, "hour"), .u1(13, "min"), .u1(14, "sec"), .x1(15, "valid"),
        .u4(16, "tAcc"), .i4(20, "fracSec"), .u1(24, "fixType"), .x1(25, "flags"), .x1(26, "flags2"),
        .u1(27, "numSV"), .i4(28, "lon", decimals: 7), .i4(32, "lat", decimals: 7), .i4(36, "height"),
        .i4(40, "hMSL"), .u4(44, "hAcc"), .u4(48, "vAcc"), .i4(52, "velN"), .i4(56, "velE"), .i4(60, "velD"),
        .i4(64, "gSpeed"), .i4(68, "headMot", decimals: 5), .u4(72, "sAcc"), .u4(76, "headAcc", decimals: 5),
        .u2(80, "pDOP", decimals: 2), .u4(84, "distance"), .u4(88, "totalDistance"), .u4(92, "distanceStd"),
      ]),
    BinaryLayout(
      0x0A, 0x38, "MON-RF", length: 4, [.u1(0, "version"), .u1(1, "nBlocks")],
      tail: .blocks(
        "blocks", size: 24,
        [
          .u1(0, "blockId"), .x1(1, "flags"), .u1(2, "antStatus"), .u1(3, "antPower"), .u4(4, "postStatus"),
          .u2(12, "noisePerMS"), .u2(14, "agcCnt"), .u1(16, "jamInd"), .i1(17, "ofsI"), .u1(18, "magI"),
          .i1(19, "ofsQ"), .u1(20, "magQ"),
        ])),
  ]

  /// The common fields of MON-HW in its two lengths: 60, and 68 on u-blox 5 and 6.
  private static let hardware: [BinaryField] = [
    .x4(0, "pinSel"), .x4(4, "pinBank"), .x4(8, "pinDir"), .x4(12, "pinVal"), .u2(16, "noisePerMS"),
    .u2(18, "agcCnt"), .u1(20, "aStatus"), .u1(21, "aPower"), .x1(22, "flags"), .x4(24, "usedMask"),
  ]

  private static let configuration: [BinaryLayout] = [
    BinaryLayout(0x05, 0x00, "ACK-NAK", length: 2, [.x1(0, "clsID"), .x1(1, "msgID")]),
    BinaryLayout(0x05, 0x01, "ACK-ACK", length: 2, [.x1(0, "clsID"), .x1(1, "msgID")]),
    BinaryLayout(
      0x06, 0x8A, "CFG-VALSET", length: 4, [.u1(0, "version"), .x1(1, "layers"), .x1(2, "transaction")],
      tail: .configuration(valuesFromVersion: 0)),
    BinaryLayout(
      0x06, 0x8B, "CFG-VALGET", length: 4, [.u1(0, "version"), .u1(1, "layer"), .u2(2, "position")],
      tail: .configuration(valuesFromVersion: 1)),
    BinaryLayout(
      0x06, 0x8C, "CFG-VALDEL", length: 4, [.u1(0, "version"), .x1(1, "layers"), .x1(2, "transaction")],
      tail: .configuration(valuesFromVersion: .max)),
    BinaryLayout(0x09, 0x14, "UPD-SOS", length: 8, [.u1(0, "cmd"), .u1(4, "response")]),
    BinaryLayout(
      0x13, 0x60, "MGA-ACK", length: 8,
      [.u1(0, "type"), .u1(1, "version"), .u1(2, "infoCode"), .x1(3, "msgId"), .raw(4, 4, "msgPayloadStart")]),
  ]
}
