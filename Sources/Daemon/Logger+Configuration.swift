import Energy
import Motion
import Records
import Settings
import Store
import SystemLoop
import Tracking

// Another configuration, taken over while the logger runs.
extension Logger {
  /// Takes a new configuration over as far as that is possible while running.
  public func apply(_ next: Configuration) {
    let changes = configuration.changes(to: next)
    guard !changes.isEmpty else {
      journal.say(.notice, "the configuration is as before")
      // The values are; which of them the file gives may not be.
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

  /// Said once for the same settings.
  private func warnOfRestart(for paths: [String]) {
    let isNew = !paths.isEmpty && paths != settingsAfterRestart
    settingsAfterRestart = paths
    guard isNew else { return }
    journal.say(.warning, "these settings change with the next start: \(paths.joined(separator: ", "))")
  }

  /// Names the keys of the configuration file without effect, each with the command that gives it back to the file.
  func reportOverriddenKeys() {
    for key in configuration.overriddenKeys { journal.say(.warning, "\(key)") }
  }

  /// The values are as before, but another source gives them.
  func adoptOrigins(of next: Configuration) {
    warnOfRestart(for: [])
    configuration = next.keepingWhatNeedsARestart(of: configuration)
  }

  /// A new configuration was bad: the present one goes on.
  public func refuse(_ reason: String) {
    tell(.occurred(EventRecord(.configurationRefused, [.reason: .text(reason)])), now: loop.now)
  }

  func warnOfMissingIdentity() {
    if configuration.sendsUniqueID, MachineIdentity.uniqueID == nil, !hasWarnedOfIdentity {
      hasWarnedOfIdentity = true
      journal.say(
        .warning, "unique_id: this machine has no identity; systemd-machine-id-setup makes one")
    }
  }
}
