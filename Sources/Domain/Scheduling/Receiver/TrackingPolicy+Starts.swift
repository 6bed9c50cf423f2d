import Quantities

/// The requirements of the policy for a start of the receiver.
extension TrackingPolicy {
  /// Distance in metres that counts as moved on a device without motion sensor.
  private static let metresWithoutSensor = 30.0
  /// Horizontal accuracy in metres that a position check requires.
  private static let checkAccuracy = 60.0
  /// Horizontal accuracy in metres that a position check requires if nothing else detects motion.
  private static let checkAccuracyWithoutSensor = 12.0

  /// The horizontal accuracy in metres that a start requires. For a requested position it is at least that of the
  /// policy.
  func requiredAccuracy(for wakeReason: WakeReason, hasMotionSensor: Bool, isRequested: Bool) -> Double {
    let own =
      switch wakeReason {
      case .check: hasMotionSensor ? Self.checkAccuracy : Self.checkAccuracyWithoutSensor
      case .departure, .arrival: edgeAccuracy
      case .first, .moving: requiredAccuracy
      }
    return isRequested ? min(own, requiredAccuracy) : own
  }

  /// The distance in metres from the last record beyond which a position check resumes recording; nil if the receiver
  /// does not sleep while stationary.
  func moveDistance(hasMotionSensor: Bool) -> Double? {
    guard case .asleep(_, _, let metres) = stationary else { return nil }
    let distance = hasMotionSensor ? max(metres, Self.metresWithoutSensor) : Self.metresWithoutSensor
    return min(distance, resumeDistance ?? .infinity)
  }

  /// The state of a receiver whose start a known location replaced.
  enum KnownPositionSleep: Equatable, Sendable {
    /// The position is valid until the next position check.
    case stationary
    /// The position is valid until the next fix is due by the clock, moving or not.
    case between(Duration)
  }

  /// The state after the known location of a stationary device was used; nil if it does not replace this start.
  func sleep(withKnownPositionFor wakeReason: WakeReason) -> KnownPositionSleep? {
    guard self != .off else { return nil }
    switch stationary {
    case .asleep: return wakeReason.isInMotion ? nil : .stationary
    case .asMoving:
      guard case .sparse(_, let shortest, let check) = moving else { return nil }
      return .between(max(shortest, check))
    }
  }
}
