/// The periodicity of the acceleration's length over the last seconds, by autocorrelation.
struct Rhythm: Equatable, Sendable {
  /// The height of the highest peak of the autocorrelation, 0...1; 0 if there is none.
  var strength: Float = 0
  /// The frequency of that peak in Hz; 0 if there is none.
  var frequency: Float = 0
  /// The steps per second if the person walks; 0 if the rhythm does not fit.
  var walkingCadence: Float = 0
  /// The steps per second if the person runs; 0 if the rhythm does not fit.
  var runningCadence: Float = 0

  /// The lags of one walking step: 1.2 to 2.5 Hz.
  static let walkingSteps = 10...21
  /// The lags of one running step: 2.1 to 3.6 Hz.
  static let runningSteps = 7...12

  /// The examined lags in grid steps: 0.24 to 1.6 s.
  static let lags = 6...40

  init() {}

  /// Computes the rhythm of the newest `count` samples; `scratch` has room for as many.
  init(of ring: SampleRing, count: Int, scratch: inout [Float], correlations: inout [Float]) {
    guard count >= 30, count <= scratch.count, correlations.count > Self.lags.upperBound + 1 else { return }
    var mean: Float = 0
    for age in 0..<count {
      scratch[age] = ring[age].w
      mean += scratch[age]
    }
    mean /= Float(count)
    for age in 0..<count { scratch[age] -= mean }
    // A lag is used if the window contains it at least one and a half times.
    let last = min(Self.lags.upperBound, count * 2 / 3 - 1)
    for lag in 2...last + 1 {
      var (product, early, late): (Float, Float, Float) = (0, 0, 0)
      for index in 0..<count - lag {
        let (a, b) = (scratch[index], scratch[index + lag])
        product += a * b
        early += a * a
        late += b * b
      }
      let norm = (early * late).squareRoot()
      correlations[lag] = norm > 1e-9 ? product / norm : 0
    }
    guard let best = Self.peak(correlations, Self.lags.lowerBound...last) else { return }
    strength = correlations[best]
    frequency = Float(GridStream.rate) / (Float(best) + Self.vertex(correlations, best))
    let period = Self.refined(best, correlations, until: last)
    walkingCadence =
      Self.stepsInPeriod(best, Self.walkingSteps, correlations, until: last)
      * Float(GridStream.rate) / period
    runningCadence =
      Self.stepsInPeriod(best, Self.runningSteps, correlations, until: last)
      * Float(GridStream.rate) / period
  }

  /// Returns the number of steps in one period of a gait whose steps have one of the given lags; 0 if none fits.
  ///
  /// In a pocket and on a wrist the stride of two steps is stronger than the single step. Of the possible numbers, the
  /// one with the highest mean correlation at all multiples is selected.
  private static func stepsInPeriod(
    _ period: Int, _ steps: ClosedRange<Int>, _ values: [Float], until last: Int
  ) -> Float {
    var (best, height): (Float, Float) = (0, -.infinity)
    for count in 1...4 {
      let step = Float(period) / Float(count)
      guard steps.contains(Int(step.rounded())) else { continue }
      var (sum, terms): (Float, Float) = (0, 0)
      var lag = step
      while lag < Float(last) + 0.5 {
        let around = min(Int(lag.rounded()), last)
        sum += max(values[around - 1], values[around], values[min(around + 1, last)])
        terms += 1
        lag += step
      }
      if sum / terms > height { (best, height) = (Float(count), sum / terms) }
    }
    return best
  }

  /// Returns the lag of the highest peak above zero.
  private static func peak(_ values: [Float], _ lags: ClosedRange<Int>) -> Int? {
    var best: Int?
    var height: Float = 0
    for lag in lags
    where values[lag] > height && values[lag] >= values[lag - 1] && values[lag] >= values[lag + 1] {
      (best, height) = (lag, values[lag])
    }
    return best
  }

  /// Returns the period of a peak, from its largest multiple that is a peak, too. The error is divided by the multiple.
  private static func refined(_ peak: Int, _ values: [Float], until last: Int) -> Float {
    var refined = Float(peak) + vertex(values, peak)
    for multiple in 2...6 {
      let around = Int((refined * Float(multiple)).rounded())
      for lag in around - 1...around + 1
      where lag > 2 && lag < last && values[lag] > 0.3 && values[lag] >= values[lag - 1]
        && values[lag] >= values[lag + 1]
      {
        refined = (Float(lag) + vertex(values, lag)) / Float(multiple)
      }
    }
    return refined
  }

  /// Returns the vertex of the parabola through a peak and its neighbours, relative to the peak, -0.5...0.5.
  private static func vertex(_ values: [Float], _ peak: Int) -> Float {
    let bend = values[peak - 1] - 2 * values[peak] + values[peak + 1]
    guard bend < -1e-6 else { return 0 }
    return max(-0.5, min(0.5, 0.5 * (values[peak - 1] - values[peak + 1]) / bend))
  }
}
