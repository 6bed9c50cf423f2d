/// A time of the boot clock, which includes suspended time.
///
/// Deadlines and timeouts use moments; only the rules between two fixes use the times of the fixes. The zero point is
/// the start of the kernel, so a moment is meaningful only together with its boot.
public struct Moment: Comparable, Hashable, Sendable {
  /// Time in nanoseconds since the kernel started (`CLOCK_BOOTTIME`).
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Moment(nanoseconds: 0)

  public static func < (a: Moment, b: Moment) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Adds a duration; saturates at the ends of the range instead of trapping.
  public static func + (moment: Moment, duration: Duration) -> Moment {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    guard overflow else { return Moment(nanoseconds: sum) }
    return Moment(nanoseconds: duration < .zero ? .min : .max)
  }

  public static func - (moment: Moment, duration: Duration) -> Moment {
    let (difference, overflow) = moment.nanoseconds.subtractingReportingOverflow(duration.wholeNanoseconds)
    guard overflow else { return Moment(nanoseconds: difference) }
    return Moment(nanoseconds: duration < .zero ? .max : .min)
  }

  /// The duration from `b` to `a`; saturates at ±292 years.
  public static func - (a: Moment, b: Moment) -> Duration {
    let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
    return Duration(wholeNanoseconds: overflow ? (a < b ? .min : .max) : difference)
  }
}

// A duration has 128 bits of attoseconds. The standard library splits it by generic division, which is too slow for two
// dozen uses per epoch. The two halves are public, and their division takes one instruction.
extension Duration {
  private static let attosecondsPerNanosecond: Int64 = 1_000_000_000

  /// Creates a duration from nanoseconds.
  public init(wholeNanoseconds nanoseconds: Int64) {
    let (high, low) = nanoseconds.multipliedFullWidth(by: Self.attosecondsPerNanosecond)
    self.init(_high: high, low: low)
  }

  /// The duration in nanoseconds, truncated; saturates at ±292 years.
  public var wholeNanoseconds: Int64 {
    // The quotient fits in 64 bits if the upper half is smaller than half the divisor.
    guard _high.magnitude < UInt64(Self.attosecondsPerNanosecond / 2) else { return _high < 0 ? .min : .max }
    return Self.attosecondsPerNanosecond.dividingFullWidth((_high, _low)).quotient
  }

  /// The duration in milliseconds, truncated; saturates at ±292 years.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

  /// The duration in seconds, truncated.
  public var wholeSeconds: Int64 { components.seconds }

  /// The duration in seconds.
  public var inSeconds: Double {
    // By nanoseconds if they are sufficient, because this is used for every fix.
    guard _high.magnitude < UInt64(Self.attosecondsPerNanosecond / 2) else {
      let (seconds, attoseconds) = components
      return Double(seconds) + Double(attoseconds) * 1e-18
    }
    return Double(wholeNanoseconds) / 1e9
  }
}

extension Moment {
  /// The earlier of two deadlines; nil means none.
  package static func earliest(_ a: Moment?, _ b: Moment?) -> Moment? {
    guard let a else { return b }
    return b.map { min(a, $0) } ?? a
  }
}
