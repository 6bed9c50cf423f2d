/// How the device sits: where down is, and in a fixed mount where forward is.
public enum Mount: Equatable, Sendable {
  /// It was not at rest yet, or it was turned since.
  case uncalibrated
  /// Gravity at rest, a unit vector in the axes of the device that points up, as an accelerometer sees it.
  case level(up: SIMD3<Float>)
  /// And the direction in which the vehicle goes, a unit vector across it.
  case calibrated(up: SIMD3<Float>, forward: SIMD3<Float>)

  /// Acceleration along and across the vehicle, in g: braking is negative, a curve to the right pushes to the left and is
  /// negative. Nil until forward is known.
  public func resolve(_ acceleration: SIMD3<Float>) -> (forward: Float, left: Float)? {
    guard case .calibrated(let up, let forward) = self else { return nil }
    let left = SIMD3(
      up.y * forward.z - up.z * forward.y, up.z * forward.x - up.x * forward.z,
      up.x * forward.y - up.y * forward.x)
    return ((acceleration * forward).sum(), (acceleration * left).sum())
  }
}
