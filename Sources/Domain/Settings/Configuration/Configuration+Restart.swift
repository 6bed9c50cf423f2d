extension Configuration {
  /// This configuration, with the values of `running` for settings that require a restart.
  public func keepingWhatNeedsARestart(of running: Configuration) -> Configuration {
    var kept = self
    kept.board = running.board
    kept.receiver = running.receiver
    kept.api = running.api
    kept.network = running.network
    kept.clock = running.clock
    kept.storage.directory = running.storage.directory
    kept.storage.allowsVolatile = running.storage.allowsVolatile
    return kept
  }
}
