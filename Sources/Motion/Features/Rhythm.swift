/// What repeats itself in the length of the acceleration over the last seconds.
struct Rhythm: Equatable, Sendable {
  /// Height of the best peak of the autocorrelation, 0...1; 0 where there is none.
  var strength: Float = 0
  /// Hz of that peak; 0 where there is none.
  var frequency: Float = 0
  /// The same, as exactly as the window allows.
  var fineFrequency: Float = 0
  /// The autocorrelation at half the period: high where every second beat is only a little stronger.
  var half: Float = 0

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
    var best = 0
    for lag in Self.lags.lowerBound...last
    where correlations[lag] > strength && correlations[lag] >= correlations[lag - 1]
      && correlations[lag] >= correlations[lag + 1]
    {
      (best, strength) = (lag, correlations[lag])
    }
    guard best > 0 else { return }
    let period = Float(best) + Self.vertex(correlations, best)
    frequency = Float(GridStream.rate) / period
    fineFrequency = Float(GridStream.rate) / Self.refined(period, correlations, until: last)
    half = best / 2 >= 2 ? correlations[best / 2] : 0
    if best % 2 == 1, best / 2 >= 2 { half = (half + correlations[best / 2 + 1]) / 2 }
  }

  /// The period, from the furthest of its multiples that still is a peak: an error there is shared by all of them.
  private static func refined(_ period: Float, _ values: [Float], until last: Int) -> Float {
    var refined = period
    for multiple in 2...6 {
      let around = Int((refined * Float(multiple)).rounded())
      var peak = 0
      for lag in around - 1...around + 1
      where lag > 2 && lag < last && values[lag] >= values[lag - 1] && values[lag] >= values[lag + 1] {
        peak = lag
      }
      guard peak > 0, values[peak] > 0.3 else { break }
      refined = (Float(peak) + vertex(values, peak)) / Float(multiple)
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
