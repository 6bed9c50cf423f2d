import LoggerConfiguration
import Energy
import Motion
import Records
import Settings
import Store
import System
import Tracking

// Changes of the configuration while the logger runs.
extension Logger {
  /// Applies a new configuration, except for settings that require a restart.
  public func apply(_ next: Configuration) {
    let changes = configuration.changes(to: next)
    guard !changes.isEmpty else {
      journal.log(.notice, "settings: no changes")
      // The origins may differ although the values are equal.
      return adoptOrigins(of: next)
    }
    warnOfRestart(for: changes.afterRestart)
    let known = configuration.warnings(on: .host)
    for warning in next.warnings(on: .host) where !known.contains(warning) {
      journal.log(.warning, warning)
    }
    let wasTracking = configuration.isTracking
    let oldHook = configuration.notifications
    context.adopt(next.keepingWhatNeedsARestart(of: configuration))
    storeState.grouping.interval = configuration.storage.commitInterval
    guard !changes.atOnce.isEmpty else { return }
    post(.configure(RetentionLimits(configuration.storage)))
    energyMonitor.ledger.change(BoardCurrents(configuration), now: loop.now)
    beginEnergy(now: loop.now)
    let logText = changes.atOnce.map(configuration.logText)
    process(.settings(TrackerSettings(configuration), changed: logText), now: loop.now)
    changeDeliveries()
    if wasTracking != configuration.isTracking { switchReceiver() }
    changeReceiver()
    showRecording()
    keepHostAwake()
    if oldHook != configuration.notifications { startNotifications() }
    if storeState.isOpen { expire(now: loop.now) }
    warnOfMissingIdentity()
    sensors.configurationChanged()
  }

  /// Warns of settings that require a restart; once for the same settings.
  private func warnOfRestart(for paths: [String]) {
    let isNew = !paths.isEmpty && paths != settingsAfterRestart
    settingsAfterRestart = paths
    guard isNew else { return }
    journal.log(.warning, "settings: restart the logger to apply \(paths.joined(separator: ", "))")
  }

  /// Logs the keys of the configuration file without effect, with the commands that remove their overrides.
  func reportOverriddenKeys() {
    for key in configuration.overriddenKeys { journal.log(.warning, "settings: \(key)") }
  }

  /// Takes over the origins of a configuration whose values are the same as before.
  func adoptOrigins(of next: Configuration) {
    warnOfRestart(for: [])
    context.adopt(next.keepingWhatNeedsARestart(of: configuration))
  }

  /// Reports that a configuration is invalid: a new one, while the current one stays in force, or one that prevented an
  /// earlier start.
  public func refuse(_ reason: String, atStart: Bool = false) {
    process(
      .occurred(
        EventRecord(.configurationRefused, [.reason: .text(reason), .cause: atStart ? "start" : nil])),
      now: loop.now)
  }

  /// Warns once if `unique_id` is set and the host has no machine-id.
  func warnOfMissingIdentity() {
    if configuration.sendsUniqueID, MachineIdentity.uniqueID == nil, !hasWarnedOfIdentity {
      hasWarnedOfIdentity = true
      journal.log(
        .warning, "unique_id: this host has no machine-id; create one with systemd-machine-id-setup")
    }
  }
}
