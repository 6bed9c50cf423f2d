import Quantities

/// Compares the reported sample rate with the rate at which bursts arrive.
struct RateCheck: Sendable {
  /// The tolerated relative deviation; the clocks of accelerometers deviate by at most a tenth.
  static let tolerance = 0.2
  /// The number of consecutive deviating bursts after which the measured rate is used.
  static let proof = 3

  private var last: (first: Moment, count: Int)?
  private var strikes = 0
  private var measured: Double?

  /// Returns the rate to use, and true when a deviation is first detected.
  ///
  /// `count` samples arrived at the reported `rate`, the first at `first`.
  mutating func rate(reportedRate rate: Double, count: Int, first: Moment, isAfterGap: Bool) -> (
    rate: Double, isNews: Bool
  ) {
    defer { last = (first, count) }
    guard let last, !isAfterGap, last.count >= 8 else { return (measured ?? rate, false) }
    let seconds = (first - last.first).inSeconds
    guard seconds > 0, seconds < 30 else { return (measured ?? rate, false) }
    let actual = Double(last.count) / seconds
    // Too few samples may be a gap. Half or twice the number is a wrong rate.
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
