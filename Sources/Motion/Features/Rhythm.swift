/// What repeats itself in the length of the acceleration over the last seconds.
struct Rhythm: Equatable, Sendable {
  /// Height of the best peak of the autocorrelation, 0...1; 0 where there is none.
  var strength: Float = 0
  /// Hz of that peak; 0 where there is none.
  var frequency: Float = 0
  /// Steps a second if somebody walks or runs; 0 where the rhythm is that of no step.
  var walkingCadence: Float = 0
  var runningCadence: Float = 0

  /// Lags of one step: 1.2 to 2.5 Hz, and 2.1 to 3.6 Hz.
  static let walkingSteps = 10...21
  static let runningSteps = 7...12

  /// Steps of the grid: 0.24 to 1.6 s.
  static let lags = 6...40

  init() {}

  /// Of the newest `count` samples; `scratch` has room for as many.
  init(of ring: SampleRing, count: Int, scratch: inout [Float], correlations: inout [Float]) {
    guard count >= 30, count <= scratch.count, correlations.count > Self.lags.upperBound + 1 else { return }
    var mean: Float = 0
    for age in 0..<count {
      scratch[age] = ring[age].w
      mean += scratch[age]
    }
    mean /= Float(count)
    for age in 0..<count { scratch[age] -= mean }
    // A lag is believed when it fits in one and a half times.
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

  /// How many steps lie in what repeats itself, if this is a gait whose steps are so many lags apart; 0 if it cannot be.
  ///
  /// In a pocket and on a wrist the stride, of two steps, is the stronger line. Of the numbers that are possible the one
  /// counts whose multiples all come back.
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

  /// The lag of the highest peak above zero.
  private static func peak(_ values: [Float], _ lags: ClosedRange<Int>) -> Int? {
    var best: Int?
    var height: Float = 0
    for lag in lags
    where values[lag] > height && values[lag] >= values[lag - 1] && values[lag] >= values[lag + 1] {
      (best, height) = (lag, values[lag])
    }
    return best
  }

  /// The period of a peak, from the furthest of its multiples that still is one: an error there is shared by all of them.
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

  /// Where between the lags the parabola through a peak and its neighbours is highest, -0.5...0.5.
  private static func vertex(_ values: [Float], _ peak: Int) -> Float {
    let bend = values[peak - 1] - 2 * values[peak] + values[peak + 1]
    guard bend < -1e-6 else { return 0 }
    return max(-0.5, min(0.5, 0.5 * (values[peak - 1] - values[peak + 1]) / bend))
  }
}
