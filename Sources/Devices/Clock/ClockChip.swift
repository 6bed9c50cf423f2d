import CLinux
import Glibc
import Quantities
import SystemLoop

/// A clock that runs on without supply and whose alarm wakes the host, as far as it is wired for that.
public protocol WakeClock {
  /// Seconds since 1970, as the clock has it: good for differences, however wrong it is.
  func seconds() throws(SystemError) -> Int64
  /// Rings once, so long from now.
  func wake(in time: Duration) throws(SystemError)
  /// Does not ring.
  func cancel() throws(SystemError)
}

/// A clock chip of the kernel, `/dev/rtcN` (rtc(4), linux/rtc.h).
///
/// The alarm is reckoned from what the chip itself shows, so that neither a wrong chip nor a wrong system clock makes it
/// ring at another time. The ioctls are taken and not `wakealarm` of sysfs: one call replaces an alarm that is set
/// already, and the error is that of the driver.
public struct ClockChip: WakeClock {
  public let path: String

  public init(path: String) { self.path = path }

  /// `RTC_RD_TIME`.
  public func seconds() throws(SystemError) -> Int64 { try Self.seconds(open(), path) }

  /// `RTC_WKALM_SET`. Throws what the driver says: EINVAL or ERANGE for a chip that has no alarm, or none that far ahead.
  public func wake(in time: Duration) throws(SystemError) {
    let chip = try open()
    let due = try Self.seconds(chip, path) + max(time.components.seconds, 1)
    var alarm = rtc_wkalrm()
    alarm.enabled = 1
    alarm.time = rtc_time(seconds: due)
    try check("RTC_WKALM_SET", on: path, ioctl(chip.raw, outrider_RTC_WKALM_SET, &alarm))
  }

  /// `RTC_AIE_OFF`.
  public func cancel() throws(SystemError) {
    try check("RTC_AIE_OFF", on: path, ioctl(open().raw, outrider_RTC_AIE_OFF))
  }

  /// One program at a time may have it open: it is closed as soon as the chip has answered, and the alarm stays.
  private func open() throws(SystemError) -> Descriptor {
    Descriptor(owning: try check("open", on: path, Glibc.open(path, O_RDONLY | O_CLOEXEC)))
  }

  private static func seconds(_ chip: borrowing Descriptor, _ path: String) throws(SystemError) -> Int64 {
    var time = rtc_time()
    try check("RTC_RD_TIME", on: path, ioctl(chip.raw, outrider_RTC_RD_TIME, &time))
    guard let seconds = time.seconds else {
      throw SystemError(call: "RTC_RD_TIME", subject: path, number: EINVAL)
    }
    return seconds
  }
}

extension rtc_time {
  /// As the kernel counts: years from 1900, months from 0.
  init(seconds: Int64) {
    self.init()
    let time = Timestamp(milliseconds: 0) + .seconds(seconds)
    let (date, rest) = (time.date, Int32(time.millisecondOfDay / 1000))
    (tm_year, tm_mon, tm_mday) = (Int32(clamping: date.year - 1900), Int32(date.month - 1), Int32(date.day))
    (tm_hour, tm_min, tm_sec) = (rest / 3600, rest / 60 % 60, rest % 60)
  }

  /// Since 1970; nil for what no clock shows.
  var seconds: Int64? {
    guard
      let date = CalendarDate(
        year: Int(tm_year) + 1900, month: Int(tm_mon) + 1, day: Int(tm_mday)),
      (0..<24).contains(tm_hour), (0..<60).contains(tm_min), (0...60).contains(tm_sec)
    else { return nil }
    let secondOfDay = Int64(tm_hour) * 3600 + Int64(tm_min) * 60 + Int64(tm_sec)
    return Timestamp(date, millisecondOfDay: secondOfDay * 1000).wholeSeconds
  }
}
