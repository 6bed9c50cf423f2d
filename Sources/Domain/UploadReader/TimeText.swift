import Quantities

/// Reads times of ISO 8601 from the bytes of a string, as ``Timestamp/init(iso8601:)`` does from a text.
enum TimeText {
  /// The limits of the tables: 1980 to 2100.
  static let earliest = Timestamp(milliseconds: 315_532_800_000)
  static let latest = Timestamp(milliseconds: 4_133_980_799_999)

  /// Parses `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM|±HHMM)`; nil for other texts.
  static func read(_ text: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    guard text.count >= 20, text[4] == 0x2D, text[7] == 0x2D, text[10] | 0x20 == 0x74 || text[10] == 0x20,
      text[13] == 0x3A, text[16] == 0x3A, let century = pair(text, 0), let year = pair(text, 2),
      let month = pair(text, 5), let day = pair(text, 8), let hour = pair(text, 11),
      let minute = pair(text, 14),
      let second = pair(text, 17), hour < 24, minute < 60, second <= 60,
      let date = CalendarDate(year: century * 100 + year, month: month, day: day)
    else { return nil }
    var index = 19
    var millisecond = 0
    if text[index] == UInt8(ascii: ".") {
      var unit = 100
      index += 1
      let start = index
      while index < text.count, text[index] &- 0x30 < 10 {
        millisecond += Int(text[index] & 0xF) * unit
        unit /= 10
        index += 1
      }
      guard index > start else { return nil }
    }
    guard let offset = offset(text, index) else { return nil }
    let ofDay = ((hour * 60 + minute - offset) * 60 + second) * 1000 + millisecond
    return Timestamp(date, millisecondOfDay: Int64(ofDay))
  }

  /// The offset from UTC in minutes, in the rest of the text.
  private static func offset(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
    guard start < text.count else { return nil }
    let sign = text[start]
    if sign == UInt8(ascii: "Z") { return start + 1 == text.count ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = pair(text, start + 1),
      hours < 24
    else { return nil }
    let colon = start + 3 < text.count && text[start + 3] == UInt8(ascii: ":") ? 1 : 0
    guard start + 5 + colon == text.count, let minutes = pair(text, start + 3 + colon), minutes < 60 else {
      return nil
    }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
  }

  private static func pair(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    guard index + 1 < text.count else { return nil }
    let (tens, ones) = (text[index] &- 0x30, text[index + 1] &- 0x30)
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
  }
}
