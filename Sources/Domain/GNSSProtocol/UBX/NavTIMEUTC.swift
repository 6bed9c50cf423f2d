import Quantities

/// UBX NAV-TIMEUTC (class 01, id 21), 20 bytes: the date and time of an iTOW.
struct NavTIMEUTC: Equatable {
  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  /// The time rounded to the millisecond; nil for an invalid date or time.
  let utc: Timestamp?
  /// Accuracy of the time in nanoseconds.
  let tAcc: UInt32
  /// True if the week and the leap seconds are known; otherwise the date is not used.
  let isWeekValid: Bool
  let isTimeValid: Bool
  let isUTCValid: Bool

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 20 else { return nil }
    let fields = LittleEndian(bytes: payload)
    iTOW = fields.u4(0)
    tAcc = fields.u4(4)
    utc = Timestamp(
      date: CalendarDate(
        ofReceiver: Int(fields.u2(12)), month: Int(fields.u1(14)), day: Int(fields.u1(15))),
      hour: fields.u1(16), minute: fields.u1(17), second: fields.u1(18), nanosecond: fields.i4(8))
    isTimeValid = fields.u1(19) & 0b001 != 0
    isWeekValid = fields.u1(19) & 0b010 != 0
    isUTCValid = fields.u1(19) & 0b100 != 0
  }
}

extension Timestamp {
  /// Converts date and time. `nanosecond` is signed: the true time may be in the previous second (or day).
  /// Second 60 becomes the first of the next minute. Fails for an invalid time.
  init?(date: CalendarDate?, hour: UInt8, minute: UInt8, second: UInt8, nanosecond: Int32) {
    guard let date, hour < 24, minute < 60, second <= 60, nanosecond.magnitude <= 1_000_000_000
    else { return nil }
    let nanoseconds = Int64(nanosecond)
    let milliseconds = (nanoseconds + (nanoseconds < 0 ? -500_000 : 500_000)) / 1_000_000
    let seconds = (Int64(hour) * 60 + Int64(minute)) * 60 + Int64(second)
    self.init(date, millisecondOfDay: seconds * 1000 + milliseconds)
  }
}
