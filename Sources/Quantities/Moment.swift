/// A point on the boot-time clock, which goes on counting while the system is suspended.
///
/// Deadlines and silences are measured with moments; only the rules between two fixes use the fixes' own
/// times. The zero point is the start of the kernel, so a moment means nothing without the boot it belongs to.
public struct Moment: Comparable, Hashable, Sendable {
  /// Nanoseconds since the kernel started (`CLOCK_BOOTTIME`).
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Moment(nanoseconds: 0)

  public static func < (a: Moment, b: Moment) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Saturates at the ends of the clock instead of trapping.
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

  public static func - (a: Moment, b: Moment) -> Duration {
    .nanoseconds(a.nanoseconds.subtractingReportingOverflow(b.nanoseconds).partialValue)
  }
}

extension Duration {
  /// The duration in nanoseconds, fractions cut; saturates at ±292 years.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard overflow || carried else { return sum }
    return seconds < 0 ? .min : .max
  }

  /// The duration in milliseconds, fractions cut; saturates at ±292 years.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

  /// The duration in seconds.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
