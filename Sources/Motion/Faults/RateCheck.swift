import Quantities

/// Compares the rate that is told with the one at which bursts come.
struct RateCheck: Sendable {
  /// As a fraction; the clocks of parts are off by a tenth at most.
  static let tolerance = 0.2
  /// Bursts in a row that must agree before the told rate is not believed.
  static let proof = 3

  private var last: (first: Moment, count: Int)?
  private var strikes = 0
  private var measured: Double?

  /// The rate to go by. `count` samples came, told to be at `rate`, the first at `first`.
  mutating func rate(told rate: Double, count: Int, first: Moment, isAfterGap: Bool) -> (
    rate: Double, isNews: Bool
  ) {
    defer { last = (first, count) }
    guard let last, !isAfterGap, last.count >= 8 else { return (measured ?? rate, false) }
    let seconds = (first - last.first).inSeconds
    guard seconds > 0, seconds < 30 else { return (measured ?? rate, false) }
    let actual = Double(last.count) / seconds
    // Too few for the time may be a gap; half of them is what a part does that counts wrongly.
    guard abs(actual / rate - 1) > Self.tolerance, actual / rate > 0.4, actual / rate < 2.5 else {
      (strikes, measured) = (0, nil)
      return (rate, false)
    }
    strikes += 1
    guard strikes >= Self.proof else { return (measured ?? rate, false) }
    measured = actual
    return (actual, strikes == Self.proof)
  }
}
