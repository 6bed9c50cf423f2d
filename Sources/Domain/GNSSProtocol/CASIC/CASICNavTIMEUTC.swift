import Quantities

/// CASIC NAV-TIMEUTC (class 01, id 10), 24 bytes: date and time.
struct CASICNavTIMEUTC: Equatable {
  /// Milliseconds since the start of the receiver, as in NAV-PV of the same epoch.
  let runTime: UInt32
  /// UTC; nil for an invalid date or time.
  let utc: Timestamp?
  /// True if the time comes from satellites.
  let isTimeValid: Bool
  /// True if the date is certain.
  let isDateValid: Bool

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 24 else { return nil }
    let fields = LittleEndian(bytes: payload)
    runTime = fields.u4(0)
    let millisecond = fields.u2(12)
    let date = CalendarDate(
      ofReceiver: Int(fields.u2(14)), month: Int(fields.u1(16)), day: Int(fields.u1(17)))
    let second = Timestamp(
      date: date, hour: fields.u1(18), minute: fields.u1(19), second: fields.u1(20), nanosecond: 0)
    utc =
      millisecond < 1000 ? second.map { Timestamp(milliseconds: $0.milliseconds + Int64(millisecond)) } : nil
    isTimeValid = fields.u1(21) & 1 != 0
    isDateValid = fields.u1(23) > 0
  }
}
