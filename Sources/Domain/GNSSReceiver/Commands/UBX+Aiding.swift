import Quantities

/// Aiding with time and position: MGA-INI from protocol 15 on, AID-INI before.
extension UBX {
  /// MGA-INI-TIME_UTC (13 40, type 10), valid on receipt.
  static func aidTime(_ time: Timestamp, accuracy: Duration) -> ReceiverCommand {
    let date = time.date
    let ofDay = time.millisecondOfDay
    let error = max(accuracy.wholeMilliseconds, 0)
    let bytes = UBXFrame.bytes(class: 0x13, id: 0x40) {
      $0.u1(0x10)
      $0.u1(0)
      $0.u1(0)
      // Leap seconds unknown: -128.
      $0.u1(0x80)
      $0.u2(UInt16(clamping: date.year))
      $0.u1(UInt8(clamping: date.month))
      $0.u1(UInt8(clamping: date.day))
      $0.u1(UInt8(clamping: ofDay / 3_600_000))
      $0.u1(UInt8(clamping: ofDay / 60_000 % 60))
      $0.u1(UInt8(clamping: ofDay / 1000 % 60))
      $0.u1(0)
      $0.u4(UInt32(clamping: ofDay % 1000 * 1_000_000))
      $0.u2(UInt16(clamping: error / 1000))
      $0.u2(0)
      $0.u4(UInt32(clamping: error % 1000 * 1_000_000))
    }
    return ReceiverCommand(name: "MGA-INI-TIME_UTC", bytes: bytes, reply: .aiding(id: 0x40))
  }

  /// MGA-INI-POS_LLH (13 40, type 01).
  ///
  /// The message has no flag for an unknown altitude; the error is then set to 10 km, which covers it.
  static func aidPosition(_ position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand {
    let error = altitude == nil ? max(accuracy, 10_000) : accuracy
    let bytes = UBXFrame.bytes(class: 0x13, id: 0x40) {
      $0.u1(0x01)
      $0.zeros(3)
      $0.i4(position.latitudeE7)
      $0.i4(position.longitudeE7)
      $0.i4(centimetres(altitude ?? 0))
      $0.u4(UInt32(clamping: centimetres(error)))
    }
    return ReceiverCommand(name: "MGA-INI-POS_LLH", bytes: bytes, reply: .aiding(id: 0x40))
  }

  private enum AidFlag {
    static let position: UInt32 = 1
    static let time: UInt32 = 1 << 1
    static let geodetic: UInt32 = 1 << 5
    static let withoutAltitude: UInt32 = 1 << 6
  }

  /// AID-INI (0B 01) with the time as GPS week and time of week; never answered.
  static func aidTimeBeforeMGA(_ time: Timestamp, accuracy: Duration) -> ReceiverCommand? {
    // GPS time began on 1980-01-06 and has been 18 s ahead of UTC since 2017.
    let (sinceStart, overflow) = time.milliseconds.subtractingReportingOverflow(315_964_800_000 - 18_000)
    guard !overflow, sinceStart >= 0, let week = UInt16(exactly: sinceStart / 604_800_000) else { return nil }
    return aidBeforeMGA {
      $0.zeros(18)
      $0.u2(week)
      $0.u4(UInt32(clamping: sinceStart % 604_800_000))
      $0.i4(0)
      $0.u4(UInt32(clamping: max(accuracy.wholeMilliseconds, 1)))
      $0.zeros(12)
      $0.u4(AidFlag.time)
    }
  }

  /// AID-INI (0B 01) with a position only.
  static func aidPositionBeforeMGA(
    _ position: Coordinate, altitude: Double?, accuracy: Double
  ) -> ReceiverCommand {
    aidBeforeMGA {
      $0.i4(position.latitudeE7)
      $0.i4(position.longitudeE7)
      $0.i4(centimetres(altitude ?? 0))
      $0.u4(UInt32(clamping: centimetres(accuracy)))
      $0.zeros(28)
      $0.u4(AidFlag.position | AidFlag.geodetic | (altitude == nil ? AidFlag.withoutAltitude : 0))
    }
  }

  private static func aidBeforeMGA(_ write: (inout LittleEndianBytes) -> Void) -> ReceiverCommand {
    ReceiverCommand(
      name: "AID-INI", bytes: UBXFrame.bytes(class: 0x0B, id: 0x01, write), reply: .none(pause: pause))
  }

  /// Metres in whole centimetres, clamped to ±20 000 km; 0 if not a number.
  private static func centimetres(_ metres: Double) -> Int32 {
    guard metres.isFinite else { return 0 }
    return Int32((min(max(metres, -20_000_000), 20_000_000) * 100).rounded())
  }
}
