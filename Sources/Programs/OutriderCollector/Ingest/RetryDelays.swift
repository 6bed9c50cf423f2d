import Quantities

/// The delays of `Retry-After`: at random, so that the devices of a fleet do not come back at the same time.
struct RetryDelays {
  /// The limits in seconds.
  static let range = 10...120

  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The next delay in whole seconds, at least `least`.
  mutating func next(atLeast least: Duration = .zero) -> Int {
    let seconds = Int.random(in: Self.range, using: &random)
    // Rounded up: a client that comes too early would be turned away again.
    let needed = (least.components.seconds) + (least.components.attoseconds > 0 ? 1 : 0)
    return needed > Int64(seconds) ? Int(clamping: needed) : seconds
  }
}
