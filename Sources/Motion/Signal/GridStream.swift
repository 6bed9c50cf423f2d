/// Brings samples of any rate onto one grid of 25 a second, so that all that follows knows only one rate.
///
/// The samples are low-passed at their own rate and interpolated by a cubic through four of them, at the time that they
/// were really taken. The grid is that of the boot-time clock, whose whole seconds begin a block.
struct GridStream: Sendable {
  static let rate = 25
  /// Nanoseconds of a step.
  static let step: Int64 = 1_000_000_000 / Int64(rate)

  /// One sample on the grid.
  struct Sample: Equatable, Sendable {
    /// Steps since the zero of the clock.
    var index: Int64
    /// g.
    var acceleration: SIMD3<Float>
  }

  private var lowPass: LowPass?
  private var filterRate: Float = 0
  /// The newest filtered samples, oldest first, and when they were taken, in nanoseconds.
  private var values: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = (.zero, .zero, .zero, .zero)
  private var times: (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
  private var known = 0
  private var next: Int64 = 0
  /// How often the newest sample is still to be repeated at the end.
  private var remaining = 0

  /// Forgets what was; the next sample begins anew.
  mutating func restart() { (known, remaining, lowPass) = (0, 0, nil) }

  /// `rate` in Hz, as measured. What it completes on the grid is taken by ``pop()``.
  mutating func push(_ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float) {
    // A filter that is retuned loses its settled state; a few percent do not matter to it.
    if lowPass == nil || abs(rate - filterRate) > 0.04 * filterRate {
      lowPass = LowPass(rate: rate, from: known > 0 ? values.3 : sample)
      filterRate = rate
    }
    guard let filtered = lowPass?.filter(sample) else { return }
    shift(filtered, nanoseconds)
    guard known == 1 else { return }
    next = Self.firstIndex(from: nanoseconds)
    // What lies before the first sample is as the first.
    (values.0, values.1, values.2) = (filtered, filtered, filtered)
  }

  /// Makes what is left up to the newest sample ready for ``pop()``.
  mutating func finish() { remaining = known >= 2 ? 2 : 0 }

  /// The next sample on the grid; nil while it is not complete.
  mutating func pop() -> Sample? {
    while true {
      let (begin, end) = (times.1, times.2)
      let (time, overflow) = next.multipliedReportingOverflow(by: Self.step)
      guard known >= 3, !overflow, time < end else {
        guard remaining > 0 else { return nil }
        // The newest sample goes on, so that the grid reaches it.
        remaining -= 1
        shift(values.3, times.3 &+ 1)
        continue
      }
      defer { next &+= 1 }
      guard time >= begin else { continue }
      let part = Float(time &- begin) / Float(end &- begin)
      return Sample(index: next, acceleration: Self.cubic(values, at: part))
    }
  }

  private mutating func shift(_ value: SIMD3<Float>, _ time: Int64) {
    values = (values.1, values.2, values.3, value)
    times = (times.1, times.2, times.3, time)
    if known < 4 { known += 1 }
  }

  private static func cubic(
    _ p: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>, SIMD3<Float>), at part: Float
  ) -> SIMD3<Float> {
    let linear = p.2 - p.0
    let square = 2 * p.0 - 5 * p.1 + 4 * p.2 - p.3
    let cube = 3 * (p.1 - p.2) + p.3 - p.0
    return p.1 + 0.5 * part * (linear + part * (square + part * cube))
  }

  /// The first step of the grid not before a time.
  private static func firstIndex(from nanoseconds: Int64) -> Int64 {
    let quotient = nanoseconds / step
    return nanoseconds % step > 0 ? quotient + 1 : quotient
  }
}
