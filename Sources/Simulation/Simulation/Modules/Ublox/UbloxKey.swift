/// Configuration items by their key of CFG-VALSET. The older messages are mapped to the same items.
enum UbloxKey {
  static let baudRate: UInt32 = 0x4052_0001
  static let inUBX: UInt32 = 0x1073_0001
  static let inNMEA: UInt32 = 0x1073_0002
  static let outUBX: UInt32 = 0x1074_0001
  static let outNMEA: UInt32 = 0x1074_0002
  static let measurementRate: UInt32 = 0x3021_0001
  static let navigationRate: UInt32 = 0x3021_0002
  static let timeReference: UInt32 = 0x2021_0003
  static let dynamicModel: UInt32 = 0x2011_0021
  static let fixMode: UInt32 = 0x2011_0011
  static let acknowledgesAiding: UInt32 = 0x1011_0025
  static let operateMode: UInt32 = 0x20D0_0001
  static let updatePeriod: UInt32 = 0x40D0_0002
  static let onTime: UInt32 = 0x30D0_0005
  static let batchEnable: UInt32 = 0x1026_0013
  static let batchEntries: UInt32 = 0x3026_0015
  static let batchExtraPVT: UInt32 = 0x1026_001A
  static let batchExtraOdometer: UInt32 = 0x1026_001B

  /// NMEA sentences: id in class F0 and key of the rate on UART1.
  static let sentences: [(kind: SentenceKind, id: UInt8, key: UInt32)] = [
    (.rmc, 0x04, 0x2091_00AC), (.vtg, 0x05, 0x2091_00B1), (.gga, 0x00, 0x2091_00BB),
    (.gns, 0x0D, 0x2091_00B6), (.gsa, 0x02, 0x2091_00C0), (.gsv, 0x03, 0x2091_00C5),
    (.gll, 0x01, 0x2091_00CA), (.gst, 0x07, 0x2091_00D4), (.zda, 0x08, 0x2091_00D9),
  ]

  /// UBX-NAV messages and the keys of their rates on UART1. Rates that only CFG-MSG can set are stored under
  /// a number that is not a key.
  static let messages: [(message: UbloxMessage, key: UInt32)] = [
    (.sol, 0x0000_0106), (.posllh, 0x0000_0102), (.status, 0x2091_001B),
    (.dop, 0x2091_0039), (.pvt, 0x2091_0007), (.velned, 0x0000_0112),
    (.timeutc, 0x0000_0121), (.sat, 0x2091_0016), (.eoe, 0x2091_0160),
  ]

  /// The public items and their values at factory settings.
  static func factory(_ generation: UbloxGeneration) -> [UInt32: UInt64] {
    var items: [UInt32: UInt64] = [
      baudRate: UInt64(generation.speed), 0x2052_0002: 1, 0x2052_0003: 0, 0x2052_0004: 0, 0x1052_0005: 1,
      inUBX: 1, inNMEA: 1, 0x1073_0004: 1, outUBX: 1, outNMEA: 1, 0x1074_0004: 0,
      measurementRate: 1000, navigationRate: 1, timeReference: 1,
      dynamicModel: 0, fixMode: 3, 0x3011_0017: 0, acknowledgesAiding: 0, 0x1023_0001: 0,
      operateMode: 0, updatePeriod: 10, 0x40D0_0003: 10, 0x40D0_0004: 0, onTime: 0, 0x20D0_0006: 0,
      0x20D0_0007: 0,
      0x10D0_0008: 0, 0x10D0_0009: 0, 0x10D0_000A: 1, 0x20D0_000B: 0, 0x10D0_000C: 0, 0x10D0_000D: 0,
      0x10D0_000E: 0, 0x40D0_000F: 0, 0x10D0_0010: 0,
      0x1031_001F: 1, 0x1031_0020: 1, 0x1031_0021: 1, 0x1031_0022: 1, 0x1031_0024: 1, 0x1031_0025: 1,
      0x1005_0007: 1, 0x4005_0002: 1_000_000, 0x2005_000C: 0,
      0x2091_0006: 0, 0x2091_0009: 0, 0x2091_0162: 0, 0x2091_00DE: 0,
    ]
    // Enable, PIO enable, entries, warning, PIO low, PIO number, extra PVT, extra odometer.
    if generation == .ten {
      let batching: [UInt32] = [
        batchEnable, 0x1026_0014, batchEntries, 0x3026_0016, 0x1026_0018, 0x2026_0019, batchExtraPVT,
        batchExtraOdometer,
      ]
      for key in batching { items[key] = 0 }
    }
    let spoken: Set<SentenceKind> = [.rmc, .vtg, .gga, .gsa, .gsv, .gll]
    for row in sentences { items[row.key] = spoken.contains(row.kind) ? 1 : 0 }
    for row in messages { items[row.key] = 0 }
    return items
  }

  /// True if CFG-VALSET accepts the key.
  static func isPublic(_ key: UInt32) -> Bool { key >> 28 != 0 }

  /// Size of the value in bytes, by bits 28 to 30 of the key.
  static func size(_ key: UInt32) -> Int? {
    switch key >> 28 & 7 {
    case 1, 2: 1
    case 3: 2
    case 4: 4
    case 5: 8
    default: nil
    }
  }
}
