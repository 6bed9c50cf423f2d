import Quantities

/// Determines the orientation of the device in a vehicle from stops, accelerations and braking.
///
/// While stationary, the mean vector is gravity. While driving, its horizontal part correlates with the change of the
/// GNSS speed in one direction only, which is forward. Curves act in both directions and cancel out.
struct MountCalibration: Sendable {
  /// The cosine of the angle by which gravity may differ between two stops in the same mount: 15°.
  static let sameMount: Float = 0.966
  /// The change of the speed in m/s² that counts as braking or accelerating.
  static let leastChange: Float = 0.5
  /// The required sum of squared changes, in (m/s²)² · s.
  static let proof: Float = 25
  /// The required correlation of the horizontal acceleration with the change of the speed.
  static let coherence: Float = 0.6

  private(set) var mount = Mount.uncalibrated
  private var up: SIMD3<Float>?
  /// The length of gravity as the accelerometer measures it, in g.
  private(set) var scale: Float = 1
  private var last: SpeedReading?
  private var product = SIMD3<Float>.zero
  private var changes: Float = 0
  private var pushes: Float = 0

  /// Processes one second with its mean vector in g.
  mutating func take(_ mean: SIMD3<Float>, isStationary: Bool, isDriving: Bool, speed: SpeedReading?) {
    if isStationary { learnGravity(mean) }
    defer { last = speed }
    guard isDriving, let up, let speed, let last, speed.moment > last.moment else { return }
    let seconds = Float((speed.moment - last.moment).inSeconds)
    guard seconds < 2.5 else { return }
    let change = (speed.speed - last.speed) / seconds
    guard abs(change) >= Self.leastChange, abs(change) < 10 else { return }
    let offset = mean - up * scale
    let across = offset - up * (offset * up).sum()
    product += across * change
    changes += change * change
    pushes += (across * across).sum()
    learnForward(up)
  }

  private mutating func learnGravity(_ mean: SIMD3<Float>) {
    let length = (mean * mean).sum().squareRoot()
    guard abs(length - 1) < 0.1 else { return }
    let direction = mean / length
    if let up, (up * direction).sum() < Self.sameMount {
      (product, changes, pushes) = (.zero, 0, 0)
      self.up = nil
    }
    let sum = (up ?? direction) * 0.95 + direction * 0.05
    let learnt = sum / (sum * sum).sum().squareRoot()
    up = learnt
    scale += ((mean * learnt).sum() - scale) * 0.05
    if case .calibrated(_, let forward) = mount, changes > 0 {
      mount = .calibrated(up: learnt, forward: forward)
    } else {
      mount = .level(up: learnt)
    }
  }

  private mutating func learnForward(_ up: SIMD3<Float>) {
    let length = (product * product).sum().squareRoot()
    guard changes >= Self.proof, length > Self.coherence * (changes * pushes).squareRoot() else { return }
    mount = .calibrated(up: up, forward: product / length)
    // Older drives lose weight, so that a device that was shifted is recalibrated.
    if changes > 8 * Self.proof { (product, changes, pushes) = (product / 2, changes / 2, pushes / 2) }
  }
}
