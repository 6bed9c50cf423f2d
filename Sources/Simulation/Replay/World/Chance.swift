import Glibc
import Quantities

/// Random numbers from a seed; the same seed gives the same numbers.
struct Chance: Sendable {
  private var generator: SplitMix64

  /// Creates a generator. `stream` separates the numbers of different purposes.
  init(seed: UInt64, stream: UInt64) {
    var mixer = SplitMix64(seed: seed ^ (stream &* 0xD1B5_4A32_D192_ED03))
    generator = SplitMix64(seed: mixer.next())
  }

  /// A uniformly distributed number in 0..<1.
  mutating func share() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  /// A normally distributed number with mean 0 and standard deviation 1.
  mutating func normal() -> Double {
    let radius = (-2 * log(max(share(), 1e-300))).squareRoot()
    return radius * cos(2 * Double.pi * share())
  }

  mutating func logNormal(median: Double, spread: Double) -> Double { median * exp(spread * normal()) }

  /// The time until the next event of a Poisson process with `rate` events per second.
  mutating func wait(rate: Double) -> Double { -log(max(1 - share(), 1e-300)) / rate }
}
