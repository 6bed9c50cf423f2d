import Foundation
import Quantities
import Testing

@testable import Motion

@Suite struct SignalTests {
  /// Returns the samples on the grid for a function that is sampled at a rate.
  func grid(rate: Double, seconds: Double, _ value: (Double) -> Float) -> [GridStream.Sample] {
    var stream = GridStream()
    var samples: [GridStream.Sample] = []
    for index in 0..<Int(rate * seconds) {
      let time = Double(index) / rate
      stream.push(SIMD3(value(time), 0, 1), at: Int64((time * 1e9).rounded()), rate: Float(rate))
      while let sample = stream.pop() { samples.append(sample) }
    }
    stream.finish()
    while let sample = stream.pop() { samples.append(sample) }
    return samples
  }

  @Test(arguments: [10.0, 12.5, 20, 23.7, 25, 50, 100]) func theGridKeepsAStepAtEveryRate(rate: Double) {
    let samples = grid(rate: rate, seconds: 8) { Float(sin(2 * .pi * 1.9 * $0)) }
    let last = Int64((Double(Int(rate * 8) - 1) / rate * 25 + 1e-6).rounded(.down))
    #expect(samples.map { $0.index } == Array(0...last))
    let tail = samples.dropFirst(50)
    let power = tail.map { $0.acceleration.x * $0.acceleration.x }.reduce(0, +) / Float(tail.count)
    #expect(abs(power - 0.5) < 0.06, "\(power)")
  }

  @Test func aliasesAreRemoved() {
    // 24 Hz has an alias at 1 Hz on a grid of 25 Hz.
    let samples = grid(rate: 100, seconds: 8) { Float(sin(2 * .pi * 24 * $0)) }.dropFirst(50)
    #expect(samples.allSatisfy { abs($0.acceleration.x) < 0.03 })
  }

  @Test(arguments: [0.9, 1.9, 3.1]) func theSpectrumContainsThePowerOfALine(frequency: Double) {
    var ring = SampleRing()
    for index in 0..<128 {
      let wave = Float(0.2 * sin(2 * .pi * frequency * Double(index) / 25))
      ring.append(SIMD3(wave, 0, 1 + wave), length: 1 + wave)
    }
    var spectrum = Spectrum()
    spectrum.measure(ring, count: 128)
    let line = Int((frequency / Double(Spectrum.resolution)).rounded())
    let near = line - 3...line + 3
    #expect(abs(near.reduce(0) { $0 + spectrum.length[$1] } - 0.02) < 0.001)
    #expect(abs(near.reduce(0) { $0 + spectrum.vector[$1] } - 0.04) < 0.002)
    let others = (1..<64).filter { !near.contains($0) }.reduce(0) { $0 + spectrum.vector[$1] }
    #expect(others < 0.0005)
  }

  @Test func blocksAddUpToTheVarianceOfTheirSamples() {
    var random = SplitMix64(seed: 4)
    let samples = (0..<50).map { _ in SIMD3<Float>.random(in: 0.2...1.2, using: &random) }
    var (first, second) = (MotionBlock(), MotionBlock())
    for (index, a) in samples.enumerated() {
      let n = (a * a).sum().squareRoot()
      if index < 25 { first.add(a, length: n) } else { second.add(a, length: n) }
    }
    first += second
    let mean = samples.reduce(.zero, +) / 50
    let up = mean / (mean * mean).sum().squareRoot()
    let vector = samples.map { (($0 - mean) * ($0 - mean)).sum() }.reduce(0, +) / 50
    let vertical = samples.map { (($0 - mean) * up).sum() }.map { $0 * $0 }.reduce(0, +) / 50
    #expect(abs(first.vectorVariance - vector) < 1e-4)
    #expect(abs(first.verticalVariance - vertical) < 1e-4)
  }

  @Test(arguments: [0.7, 0.95, 1.4, 1.9, 2.4, 3.1]) func aRhythmIsDetectedWithinOnePercent(frequency: Double)
  {
    var ring = SampleRing()
    for index in 0..<128 {
      ring.append(.zero, length: 1 + Float(sin(2 * .pi * frequency * Double(index) / 25)))
    }
    var (scratch, correlations) = ([Float](repeating: 0, count: 128), [Float](repeating: 0, count: 42))
    let rhythm = Rhythm(of: ring, count: 128, scratch: &scratch, correlations: &correlations)
    #expect(rhythm.strength > 0.9)
    let multiple = frequency / Double(rhythm.frequency)
    #expect(abs(multiple - multiple.rounded()) < 0.02, "\(rhythm.frequency)")
  }
}
