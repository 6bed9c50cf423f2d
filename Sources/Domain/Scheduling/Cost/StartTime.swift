/// A smoothed time to first fix: an exponential mean and the mean deviation from it.
struct StartTime: Equatable, Sendable {
  /// Milliseconds, 0...`longest`.
  private(set) var mean: Int64
  /// Milliseconds, 0...`longest`.
  private(set) var deviation: Int64
  /// Number of recorded starts, 0...`countLimit`; 0 means that this is still the initial value.
  private(set) var count: Int64

  /// Longest time that is learned, 5 minutes in milliseconds. Longer times count as that, so that one bad start does
  /// not distort the mean for long.
  static let longest: Int64 = 300_000
  static let countLimit: Int64 = 1000
  /// The weight of a new start is 1/2, 1/3, then 1/4 permanently.
  private static let steadyDivisor: Int64 = 4

  init(prior mean: Int64) {
    self.mean = mean
    // Mean deviation of a log-normal time with s = 0.5 (suburban reception), at least one second.
    deviation = max(mean * 2 / 5, 1000)
    count = 0
  }

  /// Creates learned values; nil if one is out of range.
  init?(mean: Int64, deviation: Int64, count: Int64) {
    guard (0...Self.longest).contains(mean), (0...Self.longest).contains(deviation),
      (1...Self.countLimit).contains(count)
    else { return nil }
    self.mean = mean
    self.deviation = deviation
    self.count = count
  }

  mutating func learn(_ milliseconds: Int64) {
    let observed = min(max(milliseconds, 0), Self.longest)
    let divisor = min(count + 2, Self.steadyDivisor)
    let error = observed - mean
    mean += error / divisor
    deviation += (Int64(error.magnitude) - deviation) / divisor
    count = min(count + 1, Self.countLimit)
  }
}
