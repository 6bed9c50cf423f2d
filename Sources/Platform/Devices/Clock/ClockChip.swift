import CLinux
import Glibc
import Quantities
import System

/// A clock that keeps time without the supply, and whose alarm wakes the host if it is wired for that.
public protocol WakeClock {
  /// The time in seconds since 1970 according to the clock. Differences are valid even if the clock is wrong.
  func seconds() throws(SystemError) -> Int64
  /// Sets the alarm to fire once, `time` from now.
  func wake(in time: Duration) throws(SystemError)
  /// Clears the alarm.
  func cancel() throws(SystemError)
}

/// A real-time clock of the kernel, `/dev/rtcN` (rtc(4), linux/rtc.h).
///
/// The alarm is computed from the chip's own time. A wrong chip or a wrong system clock therefore does not
/// shift it. The ioctls are used instead of `wakealarm` of sysfs because one call replaces an alarm that is
/// already set, and the error is the driver's.
public struct ClockChip: WakeClock {
  public let path: String

  public init(path: String) { self.path = path }

  /// Reads the time with `RTC_RD_TIME`.
  public func seconds() throws(SystemError) -> Int64 { try Self.seconds(open(), path) }

  /// Sets the alarm with `RTC_WKALM_SET`. Throws the driver's error: EINVAL or ERANGE if the chip has no alarm or none
  /// that far ahead.
  public func wake(in time: Duration) throws(SystemError) {
    let chip = try open()
    let due = try Self.seconds(chip, path) + max(time.components.seconds, 1)
    var alarm = rtc_wkalrm()
    alarm.enabled = 1
    alarm.time = rtc_time(seconds: due)
    try check("RTC_WKALM_SET", on: path, ioctl(chip.raw, outrider_RTC_WKALM_SET, &alarm))
  }

  /// Cancels the alarm with `RTC_AIE_OFF`.
  public func cancel() throws(SystemError) {
    try check("RTC_AIE_OFF", on: path, ioctl(open().raw, outrider_RTC_AIE_OFF))
  }

  /// Opens the chip for one request. Only one program at a time may have it open; closing it keeps the alarm. A path that
  /// is a pipe does not block, and the request fails.
  private func open() throws(SystemError) -> Descriptor {
    Descriptor(
      owning: try check(
        "open", on: path, Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)))
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

/// The result of a test of an alarm; times are in seconds since 1970 according to the clock.
public enum AlarmTest: Equatable, Sendable {
  /// It raised this number of interrupts at the time set.
  case works(interrupts: Int)
  /// An alarm was set already. It was left as it is.
  case occupied(until: Int64)
  /// The clock reads back another alarm than the one set; nil if it is off.
  case changed(expected: Int64, got: Int64?)
  /// No interrupt within this number of seconds.
  case silent(seconds: Int64)
}

extension ClockChip {
  /// Sets the alarm to `seconds` from now, reads it back with `RTC_WKALM_RD`, and waits for its interrupt (read(2) of
  /// rtc(4)). Afterwards the alarm is off. Blocks for up to `seconds` and two more, or for a minute with a clock that
  /// knows only minutes.
  public func testAlarm(in seconds: Int64 = 5) throws(SystemError) -> AlarmTest {
    let chip = try open()
    var alarm = rtc_wkalrm()
    try check("RTC_WKALM_RD", on: path, ioctl(chip.raw, outrider_RTC_WKALM_RD, &alarm))
    if alarm.enabled != 0 { return .occupied(until: alarm.time.seconds ?? 0) }
    let now = try Self.seconds(chip, path)
    let due = now + max(seconds, 1)
    alarm.enabled = 1
    alarm.time = rtc_time(seconds: due)
    try check("RTC_WKALM_SET", on: path, ioctl(chip.raw, outrider_RTC_WKALM_SET, &alarm))
    defer { _ = ioctl(chip.raw, outrider_RTC_AIE_OFF) }
    alarm = rtc_wkalrm()
    try check("RTC_WKALM_RD", on: path, ioctl(chip.raw, outrider_RTC_WKALM_RD, &alarm))
    guard alarm.enabled != 0, let stored = alarm.time.seconds, (due...due + 60).contains(stored) else {
      return .changed(expected: due, got: alarm.enabled == 0 ? nil : alarm.time.seconds)
    }
    let longest = stored - now + 2
    var waited = pollfd(fd: chip.raw, events: Int16(POLLIN), revents: 0)
    guard try check("poll", on: path, poll(&waited, 1, Int32(clamping: longest * 1000))) > 0 else {
      return .silent(seconds: longest)
    }
    // The lowest byte is the kind of interrupt, the rest is the number since the last read.
    var interrupts: UInt = 0
    _ = try check("read", on: path, read(chip.raw, &interrupts, MemoryLayout<UInt>.size))
    return .works(interrupts: Int(interrupts >> 8))
  }
}

extension rtc_time {
  /// Converts to the kernel's counting: years from 1900, months from 0.
  init(seconds: Int64) {
    self.init()
    let time = Timestamp(milliseconds: 0) + .seconds(seconds)
    let (date, secondOfDay) = (time.date, Int32(time.millisecondOfDay / 1000))
    (tm_year, tm_mon, tm_mday) = (Int32(clamping: date.year - 1900), Int32(date.month - 1), Int32(date.day))
    (tm_hour, tm_min, tm_sec) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
  }

  /// Seconds since 1970; nil for an impossible date or time.
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
