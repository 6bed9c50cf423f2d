/// The orientation of the device: the vertical, and in a vehicle the forward direction.
public enum Mount: Equatable, Sendable {
  /// Unknown: the device was not stationary yet, or it was turned since.
  case uncalibrated
  /// The vertical is known: a unit vector in the axes of the device that points up, as an accelerometer measures
  /// gravity.
  case level(up: SIMD3<Float>)
  /// The forward direction of the vehicle is known, too: a unit vector perpendicular to the vertical.
  case calibrated(up: SIMD3<Float>, forward: SIMD3<Float>)

  /// Returns the acceleration along and across the vehicle in g: braking is negative, and so is a curve to the right.
  /// Nil until the forward direction is known.
  public func resolve(_ acceleration: SIMD3<Float>) -> (forward: Float, left: Float)? {
    guard case .calibrated(let up, let forward) = self else { return nil }
    let left = SIMD3(
      up.y * forward.z - up.z * forward.y, up.z * forward.x - up.x * forward.z,
      up.x * forward.y - up.y * forward.x)
    return ((acceleration * forward).sum(), (acceleration * left).sum())
  }
}
