import EventLoop
import Settings

/// What all controllers of the logger share: the event loop, the log lines, and the configuration in force.
final class LoggerContext {
  let loop: EventLoop
  private(set) var journal: Journal
  private(set) var configuration: Configuration

  init(loop: EventLoop, journal: Journal, configuration: Configuration) {
    self.loop = loop
    self.journal = journal
    self.configuration = configuration
    self.journal.threshold = configuration.logLevel
  }

  /// Puts a configuration in force; its settings that require a restart must have their previous values.
  func adopt(_ configuration: Configuration) {
    self.configuration = configuration
    journal.threshold = configuration.logLevel
  }
}
