import Glibc

/// A fourth-order Butterworth low-pass filter for three axes.
///
/// It passes the motion of people and vehicle springs. It removes frequencies that would alias when the stream is
/// resampled to the grid: rattling mounts, engines, tyres.
struct LowPass: Sendable {
  /// The corner frequency in Hz. Gait, pedalling and springs are below.
  static let corner: Float = 8

  private var stages: (Stage, Stage)
  /// True if the samples are not filtered, because their rate is too low for frequencies above the corner.
  private let passes: Bool

  /// Creates a filter for samples at `rate` in Hz, settled on `start`.
  init(rate: Float, from start: SIMD3<Float>) {
    passes = rate < Self.corner * 2.2
    // The two pole pairs of the fourth order.
    stages = (
      Stage(rate: rate, quality: 0.541_196_1, from: start), Stage(rate: rate, quality: 1.306_563, from: start)
    )
  }

  mutating func filter(_ sample: SIMD3<Float>) -> SIMD3<Float> {
    passes ? sample : stages.1.filter(stages.0.filter(sample))
  }

  /// A pole pair by the bilinear transform, in the transposed direct form.
  private struct Stage: Sendable {
    private let forward: Float
    private let back1: Float
    private let back2: Float
    private var first: SIMD3<Float>
    private var second: SIMD3<Float>

    init(rate: Float, quality: Float, from start: SIMD3<Float>) {
      let warped = tan(Float.pi * min(LowPass.corner / rate, 0.46))
      let scale = 1 / (1 + warped / quality + warped * warped)
      forward = warped * warped * scale
      back1 = 2 * (warped * warped - 1) * scale
      back2 = (1 - warped / quality + warped * warped) * scale
      first = start * (1 - forward)
      second = start * (forward - back2)
    }

    mutating func filter(_ sample: SIMD3<Float>) -> SIMD3<Float> {
      let fed = sample * forward
      let out = fed + first
      first = 2 * fed - out * back1 + second
      second = fed - out * back2
      return out
    }
  }
}
