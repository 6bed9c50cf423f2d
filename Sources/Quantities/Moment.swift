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
    Duration(wholeNanoseconds: a.nanoseconds.subtractingReportingOverflow(b.nanoseconds).partialValue)
  }
}

// A duration is 128 bits of attoseconds. The standard library takes it apart by generic division, which an epoch a
// second cannot afford two dozen times; the halves are public and divide in one instruction.
extension Duration {
  private static let attosecondsPerNanosecond: Int64 = 1_000_000_000

  /// A whole number of nanoseconds.
  public init(wholeNanoseconds nanoseconds: Int64) {
    let (high, low) = nanoseconds.multipliedFullWidth(by: Self.attosecondsPerNanosecond)
    self.init(_high: high, low: low)
  }

  /// The duration in nanoseconds, fractions cut; saturates at ±292 years.
  public var wholeNanoseconds: Int64 {
    // The quotient fits in 64 bits while the upper half is smaller than half the divisor.
    guard _high.magnitude < UInt64(Self.attosecondsPerNanosecond / 2) else { return _high < 0 ? .min : .max }
    return Self.attosecondsPerNanosecond.dividingFullWidth((_high, _low)).quotient
  }

  /// The duration in milliseconds, fractions cut; saturates at ±292 years.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

  /// The duration in seconds, fractions cut.
  public var wholeSeconds: Int64 { components.seconds }

  /// The duration in seconds.
  public var inSeconds: Double {
    // By nanoseconds where they hold it: a fix a second asks.
    guard _high.magnitude < UInt64(Self.attosecondsPerNanosecond / 2) else {
      let (seconds, attoseconds) = components
      return Double(seconds) + Double(attoseconds) * 1e-18
    }
    return Double(wholeNanoseconds) / 1e9
  }
}
