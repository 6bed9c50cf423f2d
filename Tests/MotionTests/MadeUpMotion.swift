import Foundation
import Quantities

import Motion

/// Synthetic signals with a known result: functions of time that yield an acceleration in g, including gravity.
struct MadeUpMotion: Sendable {
  var acceleration: @Sendable (_ seconds: Double) -> SIMD3<Double>

  /// Gravity only, with the offset of a cheap accelerometer.
  static let stationary = MadeUpMotion { _ in SIMD3(0.02, -0.01, 1.03) }

  /// Steps: vertical oscillation with the harmonics of the heel, and lateral sway at half the rate.
  static func gait(_ cadence: Double, amplitude: Double, impact: Double) -> MadeUpMotion {
    MadeUpMotion { t in
      let phase = 2 * Double.pi * cadence * t
      let up = amplitude * sin(phase) + impact * sin(2 * phase + 0.7) + impact / 2 * sin(3 * phase + 1.1)
      return SIMD3(
        0.4 * amplitude * sin(phase + 0.4), 0.25 * amplitude * sin(phase / 2),
        1 + up + 0.05 * amplitude * sin(0.37 * phase))
    }
  }

  static let walk = gait(1.9, amplitude: 0.3, impact: 0.12)
  static let run = gait(2.8, amplitude: 1.1, impact: 0.3)

  /// A person who sways slowly in all directions, as in a train on welded rails.
  static let train = MadeUpMotion { t in
    let sway = 0.02 * sin(2 * .pi * 1.1 * t) + 0.012 * sin(2 * .pi * 0.63 * t + 1)
    return SIMD3(
      sway + 0.03 * sin(2 * .pi * 0.03 * t), 0.025 * sin(2 * .pi * 0.83 * t),
      1 + 0.012 * sin(2 * .pi * 1.37 * t) + 0.008 * sin(2 * .pi * 4.3 * t))
  }

  /// A vehicle on its springs, and the road under it.
  static let road = MadeUpMotion { t in
    let bounce = 0.05 * sin(2 * .pi * 1.4 * t) * (1 + 0.6 * sin(2 * .pi * 0.11 * t))
    return SIMD3(
      0.03 * sin(2 * .pi * 0.21 * t), 0.02 * sin(2 * .pi * 0.53 * t + 1),
      1 + bounce + 0.03 * sin(2 * .pi * 5.3 * t) + 0.02 * sin(2 * .pi * 6.7 * t + 2))
  }

  /// An idling engine: 10 mg at 25 Hz, of which an accelerometer without filter measures an alias.
  static let idle = MadeUpMotion { t in
    SIMD3(0.003, 0.01 * sin(2 * .pi * 25.3 * t), 1 + 0.01 * sin(2 * .pi * 25.3 * t))
  }

  /// Returns a signal that changes to another one after some seconds.
  func then(_ next: MadeUpMotion, at seconds: Double) -> MadeUpMotion {
    MadeUpMotion { t in t < seconds ? acceleration(t) : next.acceleration(t) }
  }

  /// Returns samples at a rate in Hz, with noise in g and a resolution of 4 mg.
  func samples(
    seconds: Double, rate: Double, noise: Double = 0.004, seed: UInt64 = 1,
    turned: (SIMD3<Double>) -> SIMD3<Double> = { $0 }
  ) -> [SIMD3<Float>] {
    var random = SplitMix64(seed: seed)
    let width = noise * 12.0.squareRoot()
    return (0..<Int(seconds * rate)).map { index in
      let a = turned(acceleration(Double(index) / rate))
      let n = SIMD3<Double>.random(in: -0.5...0.5, using: &random) * width
      return SIMD3<Float>(((a + n) / 0.004).rounded(.toNearestOrEven) * 0.004)
    }
  }
}

/// The answers of a classifier to samples in bursts.
func classify(
  _ samples: [SIMD3<Float>], rate: Double, burst: Int = 25, speed: ((Int) -> Float?)? = nil,
  classifier: inout MotionClassifier
) -> [MotionAnswer] {
  var answers: [MotionAnswer] = []
  var begin = 0
  while begin < samples.count {
    let end = min(begin + burst, samples.count)
    let seconds = Double(begin) / rate
    let first = Moment(nanoseconds: Int64((seconds * 1e9).rounded()))
    if let speed = speed?(Int(seconds)) { classifier.take(SpeedReading(speed: speed, at: first)) }
    classifier.take(samples[begin..<end], first: first, rate: rate) { answers.append($0) }
    begin = end
  }
  classifier.finish { answers.append($0) }
  return answers
}

func classify(_ samples: [SIMD3<Float>], rate: Double, burst: Int = 25, speed: ((Int) -> Float?)? = nil)
  -> [MotionAnswer]
{
  var classifier = MotionClassifier()
  return classify(samples, rate: rate, burst: burst, speed: speed, classifier: &classifier)
}

/// Returns the share of answers that contain a state.
func share(_ state: MotionStates, _ answers: some Collection<MotionAnswer>) -> Double {
  Double(answers.count { $0.states.contains(state) }) / Double(max(answers.count, 1))
}

/// Returns a rotation about an axis by Rodrigues' formula.
func turn(about axis: SIMD3<Double>, by angle: Double) -> (SIMD3<Double>) -> SIMD3<Double> {
  let k = axis / (axis * axis).sum().squareRoot()
  return { v in
    let cross = SIMD3(k.y * v.z - k.z * v.y, k.z * v.x - k.x * v.z, k.x * v.y - k.y * v.x)
    return v * cos(angle) + cross * sin(angle) + k * ((k * v).sum() * (1 - cos(angle)))
  }
}
