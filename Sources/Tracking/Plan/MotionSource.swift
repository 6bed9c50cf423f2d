/// What may tell that the box moves.
public enum MotionSource: Int, Hashable, Sendable, CaseIterable {
  case accelerometer
  /// The receiver's speed, above its own uncertainty.
  case speed
  /// A fix farther from the last rest than both uncertainties.
  case displacement
  case ignition
  /// The supply's voltage: an alternator at work.
  case voltage
  /// Something charges the box.
  case charger
  /// The name of the network around changed.
  case network
}
