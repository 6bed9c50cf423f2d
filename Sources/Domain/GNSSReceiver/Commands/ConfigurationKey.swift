/// Keys of UBX-CFG-VALSET, as the interface descriptions of generations 9 and 10 name them.
enum ConfigurationKey {
  static let rateMeas: UInt32 = 0x3021_0001
  static let rateNav: UInt32 = 0x3021_0002
  static let dynModel: UInt32 = 0x2011_0021
  static let ackAiding: UInt32 = 0x1011_0025

  static let uart1Baudrate: UInt32 = 0x4052_0001
  static let uart1OutUBX: UInt32 = 0x1074_0001
  static let uart1OutNMEA: UInt32 = 0x1074_0002
  static let usbOutUBX: UInt32 = 0x1078_0001
  static let usbOutNMEA: UInt32 = 0x1078_0002

  static let pvtUART1: UInt32 = 0x2091_0007
  static let pvtUSB: UInt32 = 0x2091_0009
  static let satUART1: UInt32 = 0x2091_0016
  static let satUSB: UInt32 = 0x2091_0018
  static let eoeUART1: UInt32 = 0x2091_0160
  static let eoeUSB: UInt32 = 0x2091_0162

  static let batchEnable: UInt32 = 0x1026_0013
  static let batchPIO: UInt32 = 0x1026_0014
  static let batchEntries: UInt32 = 0x3026_0015
  static let batchExtraPVT: UInt32 = 0x1026_001A
  static let batchExtraOdometer: UInt32 = 0x1026_001B

  static let operateMode: UInt32 = 0x20D0_0001
  static let posUpdatePeriod: UInt32 = 0x40D0_0002
  static let acqPeriod: UInt32 = 0x40D0_0003
  static let doNotEnterOff: UInt32 = 0x10D0_0008
  static let updateEPH: UInt32 = 0x10D0_000A
}

/// UBX-CFG-VALSET (06 8A).
enum ValSet {
  /// The memory layers of a setting.
  struct Layers: OptionSet {
    let rawValue: UInt8
    static let ram = Layers(rawValue: 1)
    static let batteryBacked = Layers(rawValue: 2)
  }

  /// Maximum number of pairs in one message; more are rejected.
  static let mostPairs = 64

  /// The frame with these pairs. One wrong key makes the receiver reject the whole message, so optional keys
  /// are sent separately.
  static func bytes(_ pairs: [(key: UInt32, value: UInt64)], layers: Layers) -> [UInt8] {
    UBXFrame.bytes(class: 0x06, id: 0x8A) { payload in
      payload.u1(0)
      payload.u1(layers.rawValue)
      payload.zeros(2)
      for (key, value) in pairs.prefix(mostPairs) {
        payload.u4(key)
        for byte in 0..<size(of: key) { payload.u1(UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))) }
      }
    }
  }

  /// The size of a value in bytes, from bits 28 to 30 of its key.
  private static func size(of key: UInt32) -> Int {
    switch key >> 28 & 7 {
    case 3: 2
    case 4: 4
    case 5: 8
    case _: 1
    }
  }
}
