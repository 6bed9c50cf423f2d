import Settings
import Store
import Uplink

// Values of single components, from the configuration.

extension RetentionLimits {
  init(_ storage: StorageSettings) { self.init(age: storage.retention, bytes: storage.limitBytes) }
}

extension Journal.Level {
  init(_ level: LogLevel) {
    switch level {
    case .error: self = .error
    case .warning: self = .warning
    case .notice: self = .notice
    case .debug: self = .debug
    }
  }
}

extension Configuration {
  /// This configuration, with the values of `running` for settings that require a restart.
  func keepingWhatNeedsARestart(of running: Configuration) -> Configuration {
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
