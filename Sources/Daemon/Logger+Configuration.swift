import Energy
import Motion
import Records
import Settings
import Store
import SystemLoop
import Tracking

// Changes of the configuration while the logger runs.
extension Logger {
  /// Applies a new configuration, except for settings that require a restart.
  public func apply(_ next: Configuration) {
    let changes = configuration.changes(to: next)
    guard !changes.isEmpty else {
      journal.say(.notice, "settings: no changes")
      // The origins may differ although the values are equal.
      return adoptOrigins(of: next)
    }
    warnOfRestart(for: changes.afterRestart)
    let known = configuration.warnings(on: .host)
    for warning in next.warnings(on: .host) where !known.contains(warning) {
      journal.say(.warning, warning)
    }
    let wasTracking = configuration.isTracking
    let oldHook = configuration.notifications
    configuration = next.keepingWhatNeedsARestart(of: configuration)
    motion.apply(DrivingThresholds(configuration.driving))
    journal.threshold = Journal.Level(configuration.logLevel)
    storeState.grouping.interval = configuration.storage.commitInterval
    guard !changes.atOnce.isEmpty else { return }
    post(.configure(RetentionLimits(configuration.storage)))
    energyDuty.book.change(BoardCurrents(configuration), now: loop.now)
    beginEnergy(now: loop.now)
    let told = changes.atOnce.map(configuration.told)
    tell(.settings(TrackerSettings(configuration), changed: told), now: loop.now)
    changeDeliveries()
    if wasTracking != configuration.isTracking { switchReceiver() }
    changeReceiver()
    showRecording()
    keepHostAwake()
    if oldHook != configuration.notifications { startNotifications() }
    if storeState.isOpen { expire(now: loop.now) }
    warnOfMissingIdentity()
    warnOfMissingWifi()
  }

  /// Warns of settings that require a restart; once for the same settings.
  private func warnOfRestart(for paths: [String]) {
    let isNew = !paths.isEmpty && paths != settingsAfterRestart
    settingsAfterRestart = paths
    guard isNew else { return }
    journal.say(.warning, "settings: restart the logger to apply \(paths.joined(separator: ", "))")
  }

  /// Logs the keys of the configuration file without effect, with the commands that remove their overrides.
  func reportOverriddenKeys() {
    for key in configuration.overriddenKeys { journal.say(.warning, "settings: \(key)") }
  }

  /// Takes over the origins of a configuration whose values are the same as before.
  func adoptOrigins(of next: Configuration) {
    warnOfRestart(for: [])
    configuration = next.keepingWhatNeedsARestart(of: configuration)
  }

  /// Reports that a configuration is invalid: a new one, while the current one stays in force, or one that prevented an
  /// earlier start.
  public func refuse(_ reason: String, atStart: Bool = false) {
    tell(
      .occurred(
        EventRecord(.configurationRefused, [.reason: .text(reason), .cause: atStart ? "start" : nil])),
      now: loop.now)
  }

  /// Warns once if `unique_id` is set and the host has no machine-id.
  func warnOfMissingIdentity() {
    if configuration.sendsUniqueID, MachineIdentity.uniqueID == nil, !hasWarnedOfIdentity {
      hasWarnedOfIdentity = true
      journal.say(
        .warning, "unique_id: this host has no machine-id; create one with systemd-machine-id-setup")
    }
  }
}
