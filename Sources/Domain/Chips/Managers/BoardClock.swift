import Quantities

/// The clock and alarm registers of a board, in BCD and in seconds since 2000.
enum BoardClock {
  /// 2000-01-01, in days since 1970.
  private static let epoch = 10_957

  /// The time of second, minute, hour, day, month and year; nil for an impossible date.
  static func seconds(_ fields: [UInt8]) -> Int64? {
    let values = fields.compactMap(number)
    guard fields.count == 6, values.count == 6, values[0] < 60, values[1] < 60, values[2] < 24,
      let date = CalendarDate(year: 2000 + values[5], month: values[4], day: values[3])
    else { return nil }
    return Int64(date.daysSince1970 - epoch) * 86_400 + Int64(values[2] * 3600 + values[1] * 60 + values[0])
  }

  /// Second, minute, hour and day of the month.
  static func alarm(_ time: Int64) -> [UInt8] {
    let (days, second) = time.quotientAndRemainder(dividingBy: 86_400)
    let day = CalendarDate(daysSince1970: Int(clamping: days) + epoch).day
    return [Int(second) % 60, Int(second) / 60 % 60, Int(second) / 3600, day].map(bcd)
  }

  private static func bcd(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: (value / 10) << 4 | value % 10) }

  /// The value of a number in BCD; nil for another pattern.
  private static func number(_ byte: UInt8) -> Int? {
    let (tens, ones) = (Int(byte >> 4), Int(byte & 0x0F))
    return tens < 10 && ones < 10 ? tens * 10 + ones : nil
  }
}
