import Quantities

/// Learns how the device sits from what every drive does: it rests, and it speeds up and brakes.
///
/// At rest the mean vector is gravity. While driving, the part of it across gravity goes with the change of the GNSS
/// speed in one direction only, and that is forward; curves push to both sides and cancel out.
struct MountCalibration: Sendable {
  /// Cosine of the angle by which gravity may differ from one rest to the next in the same mount: 15°.
  static let sameMount: Float = 0.966
  /// m/s² of the speed from which on it is braking or accelerating.
  static let leastChange: Float = 0.5
  /// (m/s²)² seconds of braking and accelerating that are needed.
  static let proof: Float = 25
  /// Share of the horizontal acceleration that must go with the speed.
  static let coherence: Float = 0.6

  private(set) var mount = Mount.uncalibrated
  private var up: SIMD3<Float>?
  /// g of gravity as the part sees it.
  private(set) var scale: Float = 1
  private var last: SpeedReading?
  private var product = SIMD3<Float>.zero
  private var changes: Float = 0
  private var pushes: Float = 0

  /// A second with the mean vector `mean`, in g.
  mutating func take(_ mean: SIMD3<Float>, isResting: Bool, isDriving: Bool, speed: SpeedReading?) {
    if isResting { learnGravity(mean) }
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
    // Old drives fade, so that a device that was shifted learns anew.
    if changes > 8 * Self.proof { (product, changes, pushes) = (product / 2, changes / 2, pushes / 2) }
  }
}
