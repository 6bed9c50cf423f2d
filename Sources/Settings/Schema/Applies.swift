/// The time at which a changed setting takes effect.
public enum Applies: Sendable {
  /// Immediately, in the running logger.
  case atOnce
  /// After a restart of the logger.
  case afterRestart
}

/// The treatment of a setting that a server sends with its response.
public enum FromServer: Sendable {
  /// It is ignored, with a message.
  case never
  /// It is set for the device.
  case device
  /// It is set for the destination whose server sent it.
  case destination
}
