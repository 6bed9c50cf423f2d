import CLinux
import Glibc
import Quantities

/// The clocks of the system. Only the loop and the programs around it read them.
public enum SystemClock {
  /// Time since the kernel started, suspended time included (`CLOCK_BOOTTIME`).
  public static func moment() -> Moment {
    Moment(nanoseconds: read(CLOCK_BOOTTIME))
  }

  /// For how long the system has been suspended since the kernel started: what ``moment()`` is ahead of
  /// `CLOCK_MONOTONIC` (clock_gettime(2)).
  public static func suspended() -> Duration {
    let running = read(CLOCK_MONOTONIC)
    return Duration(wholeNanoseconds: max(read(CLOCK_BOOTTIME) - running, 0))
  }

  /// What the operating system takes for UTC (`CLOCK_REALTIME`).
  public static func timestamp() -> Timestamp {
    Timestamp(milliseconds: read(CLOCK_REALTIME) / 1_000_000)
  }

  /// How far off ``timestamp()`` can be, by whoever disciplines the clock (ntp_adjtime(3)); nil while nobody does.
  public static func error() -> Duration? {
    var state = timex()
    guard adjtimex(&state) >= 0, state.status & STA_UNSYNC == 0 else { return nil }
    return .microseconds(max(state.maxerror, 0))
  }

  /// What the calling thread has had of the processor (`CLOCK_THREAD_CPUTIME_ID`): for measurements.
  public static func threadTime() -> Duration { Duration(wholeNanoseconds: read(CLOCK_THREAD_CPUTIME_ID)) }

  /// What the whole process has had of it (`CLOCK_PROCESS_CPUTIME_ID`).
  public static func processTime() -> Duration { Duration(wholeNanoseconds: read(CLOCK_PROCESS_CPUTIME_ID)) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
