import CLinux
import Glibc
import Quantities

/// The clocks of the kernel. Only the loop and the programs around it read them.
public struct SystemClock: LoopClock {
  public init() {}

  public func moment() -> Moment { Self.moment() }
  public func timestamp() -> Timestamp { Self.timestamp() }
  public func error() -> Duration? { Self.error() }
  public func suspended() -> Duration { Self.suspended() }

  /// Time since the kernel started, including suspended time (`CLOCK_BOOTTIME`).
  public static func moment() -> Moment {
    Moment(nanoseconds: read(CLOCK_BOOTTIME))
  }

  /// Total suspended time since the kernel started: the difference between ``moment()`` and `CLOCK_MONOTONIC`
  /// (clock_gettime(2)).
  public static func suspended() -> Duration {
    let running = read(CLOCK_MONOTONIC)
    return max(moment() - Moment(nanoseconds: running), .zero)
  }

  /// The operating system's UTC (`CLOCK_REALTIME`); the start of 1970, which counts as not set, outside 1970 to 2199.
  public static func timestamp() -> Timestamp { timestamp(of: time(CLOCK_REALTIME)) }

  /// The UTC of a time of the kernel.
  static func timestamp(of time: timespec) -> Timestamp {
    Timestamp(clockSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
      ?? Timestamp(milliseconds: 0)
  }

  /// The operating system's UTC in nanoseconds since 1970, and the moment at which it was read: at most some
  /// microseconds apart, because the two clocks are read one after the other. Nil if the clock shows no time of 1970 to
  /// 2199.
  public static func nanosecondsWithMoment() -> (nanoseconds: Int64, moment: Moment)? {
    let time = time(CLOCK_REALTIME)
    guard Timestamp(clockSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) != nil else {
      return nil
    }
    return (nanoseconds(of: time), moment())
  }

  /// The maximum error of ``timestamp()`` according to the program that disciplines the clock
  /// (ntp_adjtime(3)); nil if there is none.
  public static func error() -> Duration? {
    var state = timex()
    guard adjtimex(&state) >= 0, state.status & STA_UNSYNC == 0 else { return nil }
    return .microseconds(max(state.maxerror, 0))
  }

  /// Processor time of the calling thread (`CLOCK_THREAD_CPUTIME_ID`), for measurements.
  public static func threadTime() -> Duration { Duration(wholeNanoseconds: read(CLOCK_THREAD_CPUTIME_ID)) }

  /// Processor time of the whole process (`CLOCK_PROCESS_CPUTIME_ID`).
  public static func processTime() -> Duration { Duration(wholeNanoseconds: read(CLOCK_PROCESS_CPUTIME_ID)) }

  private static func read(_ clock: clockid_t) -> Int64 { nanoseconds(of: time(clock)) }

  private static func time(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }

  /// A time of the kernel in nanoseconds; saturates at ±292 years.
  static func nanoseconds(of time: timespec) -> Int64 {
    let (whole, isFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = whole.addingReportingOverflow(Int64(time.tv_nsec))
    return isFar || overflow ? (time.tv_sec < 0 ? .min : .max) : sum
  }
}
