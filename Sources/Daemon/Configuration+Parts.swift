import Settings
import Store
import Tracking
import Uplink

// What the parts want to know, out of the one configuration.

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
  /// This configuration, but with what only a start can change as it is in `running`.
  func keepingWhatNeedsARestart(of running: Configuration) -> Configuration {
    var kept = self
    kept.board = running.board
    kept.receiver = running.receiver
    kept.api = running.api
    kept.network = running.network
    kept.storage.directory = running.storage.directory
    kept.storage.allowsVolatile = running.storage.allowsVolatile
    return kept
  }
}
