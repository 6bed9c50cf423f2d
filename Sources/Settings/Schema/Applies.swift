/// When a changed setting comes into force.
public enum Applies: Sendable {
  /// In the running logger.
  case atOnce
  /// With the next start of the logger.
  case afterRestart
}

/// Whether anything heeds a setting yet.
public enum Effect: Sendable {
  case now
  /// Understood and kept, but nothing acts on it yet; the logger says so when it is set.
  case later
}
