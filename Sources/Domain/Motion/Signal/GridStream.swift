/// Resamples a stream of any rate to a grid of 25 Hz.
///
/// The samples are low-pass filtered at their own rate. A cubic through four of them, at their actual times, is
/// evaluated on the grid. The grid is aligned to the boot clock, whose whole seconds start a block.
struct GridStream: Sendable {
  /// The rate of the grid in Hz.
  static let rate = 25
  /// The length of a grid step in nanoseconds.
  static let step: Int64 = 1_000_000_000 / Int64(rate)

  /// One sample on the grid.
  struct Sample: Equatable, Sendable {
    /// The number of grid steps since the zero of the clock.
    var index: Int64
    /// The acceleration in g.
    var acceleration: SIMD3<Float>
  }

  private var lowPass: LowPass?
  private var filterRate: Float = 0
  /// The newest filtered samples, oldest first, and their times in nanoseconds.
  private var values: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = (.zero, .zero, .zero, .zero)
  private var times: (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
  private var known = 0
  private var next: Int64 = 0
  /// The number of repetitions of the newest sample that remain at the end.
  private var remaining = 0

  /// Resets the stream; the next sample is the first.
  mutating func restart() { (known, remaining, lowPass) = (0, 0, nil) }

  /// Processes a sample at the measured `rate` in Hz. ``pop()`` returns the samples of the grid that it completes.
  mutating func push(_ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float) {
    // A new filter must settle again, so a deviation of a few percent is tolerated.
    if lowPass == nil || abs(rate - filterRate) > 0.04 * filterRate {
      lowPass = LowPass(rate: rate, from: known > 0 ? values.3 : sample)
      filterRate = rate
    }
    guard let filtered = lowPass?.filter(sample) else { return }
    shift(filtered, nanoseconds)
    guard known == 1 else { return }
    next = Self.firstIndex(from: nanoseconds)
    // The first sample is extended into the past.
    (values.0, values.1, values.2) = (filtered, filtered, filtered)
  }

  /// Completes the grid up to the newest sample, for ``pop()``.
  mutating func finish() { remaining = known >= 2 ? 2 : 0 }

  /// Returns the next sample of the grid; nil while it is incomplete.
  mutating func pop() -> Sample? {
    while true {
      let (begin, end) = (times.1, times.2)
      let (time, overflow) = next.multipliedReportingOverflow(by: Self.step)
      guard known >= 3, !overflow, time < end else {
        guard remaining > 0 else { return nil }
        // The newest sample is repeated, so that the grid reaches it.
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

  /// Returns the first grid step that is not before a time.
  private static func firstIndex(from nanoseconds: Int64) -> Int64 {
    let quotient = nanoseconds / step
    return nanoseconds % step > 0 ? quotient + 1 : quotient
  }
}
