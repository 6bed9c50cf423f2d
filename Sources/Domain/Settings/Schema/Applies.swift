/// The time at which a changed setting takes effect.
public enum Applies: Sendable {
  /// Immediately, in the running logger.
  case atOnce
  /// After a restart of the logger.
  case afterRestart
}

/// The treatment of a setting that a server sends with its response.
public enum FromServer: Sendable {
  /// The setting is ignored, with a message.
  case never
  /// The setting applies to the device.
  case device
  /// The setting applies to the destination whose server sent it.
  case destination
}
