import LocalAPI
import Quantities
import Records
import Store
import System

// The events of everything except receiver and chips.

extension EventRecord {
  /// Creates the event of a queue that the operator discarded.
  public init(dropped count: Int, waitingFor destination: String) {
    self.init(.queueDropped, [.destination: .text(destination), .count: .integer(Int64(count))])
  }

  /// Creates the event of an installation that is on another host.
  init(_ change: InstallationIdentity.Change) {
    self.init(
      .identityChanged, [.cause: .text(change.cause.rawValue), .previousIdentity: .text(change.previous)])
  }

  /// Creates the event of the outcome of a trial.
  init(_ outcome: UpdateOutcome) {
    self.init(
      outcome.reason == nil ? .updated : .updateRolledBack,
      [
        .version: .text(outcome.version), .previousVersion: .text(outcome.previousVersion),
        .reason: outcome.reason.map { .text($0) },
      ])
  }

  /// Creates the event of a trial of the operator's settings that ended with their previous values.
  init(rolledBack paths: [String], cause: String) {
    self.init(.settingsRolledBack, [.changes: .list(paths), .cause: .text(cause)])
  }

  /// Creates the event of a changed ignition line.
  init(ignition isOn: Bool) { self.init(isOn ? .ignitionOn : .ignitionOff) }

  /// Creates the event of an ignition line that cannot be read.
  init(ignitionLost error: SystemError) { self.init(.ignitionLost, [.reason: .text("\(error)")]) }

  /// The network cannot be switched, for this reason, or can be again if there is none. `failures` is their number so far.
  init(network reason: String?, failures: Int64?) {
    let count = failures.map { EventValue.integer($0) }
    if let reason {
      self.init(.networkFailing, [.reason: .text(reason), .failures: count])
    } else {
      self.init(.networkRecovered, [.failures: count])
    }
  }

  /// Creates the event of a program or URL of `notifications` that failed, `count` times so far.
  init(notificationFailure reason: String, count: Int64) {
    self.init(.notificationFailing, [.reason: .text(reason), .count: .integer(count)])
  }

  /// Creates the event of wrong tokens that exhausted their limit.
  init(accessRefused count: Int) { self.init(.accessRefused, [.count: .integer(Int64(count))]) }

  /// Creates the event of commits that take very long, or no longer do.
  init(_ change: CommitLatency.Change) {
    switch change {
    case .slow(let took):
      self.init(.storageSlow, [.durationMilliseconds: .integer(took.wholeMilliseconds)])
    case .quick(let took):
      self.init(.storageKeepsUp, [.durationMilliseconds: .integer(took.wholeMilliseconds)])
    }
  }

  /// Creates the event of a log in a directory on a file system in memory.
  init(volatile directory: String, on fileSystem: String) {
    self.init(.storageVolatile, [.directory: .text(directory), .fileSystem: .text(fileSystem)])
  }
}
