import Glibc
import Quantities

/// Draws of chance from one seed; the same seed gives the same draws.
struct Chance: Sendable {
  private var generator: SplitMix64

  /// `stream` keeps the draws of one purpose apart from those of another.
  init(seed: UInt64, stream: UInt64) {
    var mixer = SplitMix64(seed: seed ^ (stream &* 0xD1B5_4A32_D192_ED03))
    generator = SplitMix64(seed: mixer.next())
  }

  /// 0..<1.
  mutating func share() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  /// Of mean 0 and spread 1.
  mutating func normal() -> Double {
    let radius = (-2 * log(max(share(), 1e-300))).squareRoot()
    return radius * cos(2 * Double.pi * share())
  }

  mutating func logNormal(median: Double, spread: Double) -> Double { median * exp(spread * normal()) }

  /// Until the next event of a process with so many events a second.
  mutating func wait(rate: Double) -> Double { -log(max(1 - share(), 1e-300)) / rate }
}
