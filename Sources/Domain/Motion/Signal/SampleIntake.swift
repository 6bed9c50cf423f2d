import Quantities

/// Turns the raw samples of an accelerometer into the samples of the grid, and counts their faults.
///
/// A sample is admitted, accepted and then drained: ``next()`` is called until it returns nil before the next sample is
/// accepted. After a gap, the stream ends first: ``finish()``, all of ``next()``, ``restart()``.
struct SampleIntake: Sendable {
  /// The result of the check of a sample's value and time.
  enum Admission {
    case rejected, following, afterGap
  }

  /// The counted faults of the samples.
  private(set) var faults = SampleFaults()
  /// The rate of the newest accepted sample in Hz.
  private(set) var rate: Float = 25
  private var rates = RateCheck()
  private var inspector = SampleInspector()
  private var clipping = ClippingRepair()
  private var grid = GridStream()
  /// The newest sample until the grid accepts it.
  private var waiting: RawSample?
  /// The time of the newest sample in nanoseconds; nil if none may precede the next one.
  private var last: Int64?

  /// The time of the newest sample.
  var newest: Moment? { last.map { Moment(nanoseconds: $0) } }

  /// Checks the rate in Hz that is reported for `count` samples, the first at `first`. Returns the rate to use; nil if
  /// the samples are unusable.
  mutating func rate(reported: Double, count: Int, first: Moment, isAfterGap: Bool) -> Double? {
    guard reported.isFinite, reported >= 0.5, reported <= 2000 else {
      faults.unreadable &+= UInt64(count)
      return nil
    }
    let (rate, isNews) = rates.rate(
      reportedRate: reported, count: count, first: first, isAfterGap: isAfterGap)
    if isNews { faults.wrongRates &+= 1 }
    return rate
  }

  /// Records that samples are missing before the next one.
  mutating func recordGap() {
    faults.gaps &+= 1
    last = nil
  }

  /// Checks a sample at a time in nanoseconds, and counts its fault.
  @inline(__always)
  mutating func admit(_ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float) -> Admission {
    guard SampleInspector.isReadable(sample) else {
      faults.unreadable &+= 1
      return .rejected
    }
    guard let last else { return .following }
    let pause = nanoseconds.subtractingReportingOverflow(last).partialValue
    guard pause > 0 else {
      faults.disordered &+= 1
      return .rejected
    }
    guard pause > Self.longestUnseen(at: rate) else { return .following }
    faults.gaps &+= 1
    return .afterGap
  }

  /// Returns the longest gap in nanoseconds that is interpolated.
  private static func longestUnseen(at rate: Float) -> Int64 { Int64(max(0.3, 2.5 / rate) * 1e9) }

  /// Accepts an admitted sample.
  @inline(__always)
  mutating func accept(_ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float) {
    (last, self.rate) = (nanoseconds, rate)
    let isClipped = inspector.inspect(sample)
    if isClipped { faults.clipped &+= 1 }
    let raw = RawSample(acceleration: sample, nanoseconds: nanoseconds, rate: rate)
    let passed = clipping.take(raw, isClipped: isClipped)
    if let earlier = passed.earlier { push(earlier) }
    waiting = passed.newest
  }

  /// Returns the next sample of the grid; nil while it is incomplete.
  @inline(__always)
  mutating func next() -> GridStream.Sample? {
    if let sample = grid.pop() { return sample }
    guard let raw = waiting else { return nil }
    waiting = nil
    push(raw)
    return grid.pop()
  }

  private mutating func push(_ raw: RawSample) {
    grid.push(raw.acceleration, at: raw.nanoseconds, rate: raw.rate)
  }

  /// Completes the grid up to the newest sample, for ``next()``.
  mutating func finish() {
    if let peak = clipping.release() { push(peak) }
    grid.finish()
  }

  /// Begins another stream.
  mutating func restart() { grid.restart() }

  /// Begins another stream after a time without samples that ended at `now`.
  mutating func restart(after now: Moment) {
    last = now.nanoseconds
    _ = clipping.release()
    grid.restart()
  }

  /// Ends a second of the grid and returns the findings. `isThin` is true if it lacks more than half of its samples.
  mutating func closeSecond(isThin: Bool) -> SampleInspector.Verdict {
    let verdict = inspector.closeSecond()
    if isThin { faults.thinSeconds &+= 1 }
    if verdict.isStuck { faults.stuckSeconds &+= 1 }
    return verdict
  }
}

/// A sample of the accelerometer in g, its time, and the rate in Hz at which it was measured.
private struct RawSample: Sendable {
  var acceleration: SIMD3<Float>
  var nanoseconds: Int64
  var rate: Float
}

/// Replaces clipped samples.
///
/// The true value of a clipped axis is unknown. At the end of the smallest range (2 g), which gait reaches, the clipped
/// value serves as the peak. In wider ranges the last sample before it is repeated.
private struct ClippingRepair: Sendable {
  /// A sample that may be clipped. The next sample shows if it is a peak.
  private var peak: RawSample?
  /// The newest sample well within the range.
  private var lastWithin: SIMD3<Float>?

  /// Processes a sample. Returns the samples that are certain: the one before it if that was not, and the newest one.
  @inline(__always)
  mutating func take(_ raw: RawSample, isClipped: Bool) -> (earlier: RawSample?, newest: RawSample?) {
    let isFar = SampleInspector.mayBeClippedFar(raw.acceleration)
    if isClipped, isFar, let lastWithin {
      peak?.acceleration = lastWithin
      var repaired = raw
      repaired.acceleration = lastWithin
      return (release(), repaired)
    }
    let earlier = release()
    if isFar {
      peak = raw
      return (earlier, nil)
    }
    lastWithin = raw.acceleration
    return (earlier, raw)
  }

  /// Returns and removes the sample that was not certain.
  @inline(__always)
  mutating func release() -> RawSample? {
    defer { peak = nil }
    return peak
  }
}
