/// A source of evidence that the device moves.
public enum MotionSource: Int, Hashable, Sendable, CaseIterable {
  case accelerometer
  /// The receiver's speed, above its own uncertainty.
  case speed
  /// A fix farther from the last stationary position than both uncertainties.
  case displacement
  case ignition
  /// The supply voltage: a running alternator.
  case voltage
  /// A charger is connected.
  case charger
  /// The name of the joined network changed.
  case network
}
