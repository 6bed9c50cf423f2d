/// When a changed setting comes into force.
public enum Applies: Sendable {
  /// In the running logger.
  case atOnce
  /// With the next start of the logger.
  case afterRestart
}

/// What becomes of a setting that a server sends with its answer.
public enum FromServer: Sendable {
  /// It is left out, with a note.
  case never
  /// It is taken for the device.
  case device
  /// It is taken for the destination whose server sent it.
  case destination
}
