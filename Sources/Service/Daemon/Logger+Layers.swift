import Quantities
import Settings
import System

// Settings of the operator, and the configuration that results from all layers.
extension Logger {
  // MARK: By the operator

  /// Sets and unsets values for the operator, all or none of them. Returns the faults of invalid values.
  ///
  /// With `droppingQueues` the queue of a destination whose address changes is discarded; else it goes to the new address.
  /// A change of `tracking` ends the claim of a trip on it, or becomes the `claim` of a trip that starts.
  func change(
    _ request: OperatorRequest, droppingQueues: Bool = false, claim: TripOverride? = nil
  ) -> [SettingsError] {
    guard let sources = settingsState.sources else { return [] }
    var kept = layers(without: request.unset)
    let faults = sources.faults(of: request, over: kept)
    guard faults.isEmpty else { return faults }
    kept.operator.merge(request.values) { $1 }
    if droppingQueues, let next = try? sources.configuration(kept) {
      dropQueues(of: configuration.destinationsMoved(in: next))
    }
    let claim = request.isAboutTracking ? claim : settingsState.tripOverride
    let hasChanged = settingsState.operator != kept.operator || settingsState.tripOverride != claim
    (settingsState.operator, settingsState.tripOverride) = (kept.operator, claim)
    let actions = settingsState.server.handle(.unset(request.unset), now: loop.now)
    carryOut(actions, from: "", now: loop.now)
    guard hasChanged, !actions.contains(.changed) else { return [] }
    keepSettings(now: loop.now)
    relay()
    return []
  }

  private func layers(without unset: Set<String>) -> StoredLayers {
    var layers = settingsState.layers
    for path in unset { layers.operator[path] = nil }
    layers.server = layers.server.filter { !unset.contains($0.key.path) }
    return layers
  }

  /// The destinations whose address `request` change; none if the result is invalid.
  func destinationsMoved(by request: OperatorRequest) -> [String] {
    var layers = layers(without: request.unset)
    layers.operator.merge(request.values) { $1 }
    return (try? settingsState.sources?.configuration(layers)).map(configuration.destinationsMoved) ?? []
  }

  /// Merges files and stored layers into a new configuration and applies it.
  func relay() {
    guard let sources = settingsState.sources else { return }
    do throws(SettingsErrors) {
      let next = try sources.configuration(settingsState.layers)
      if !configuration.changes(to: next).isEmpty { apply(next) } else { adoptOrigins(of: next) }
    } catch {
      journal.log(
        .error, "settings: cannot merge settings: \(error); the current configuration stays in force")
    }
    followRules()
  }

  /// Applies new files, merged with the stored layers.
  public func reload(_ sources: ConfigurationSources) {
    do throws(SettingsErrors) {
      let next = try sources.configuration(settingsState.layers)
      settingsState.sources = sources
      apply(next)
      for fault in next.storedFaults { journal.log(.warning, "settings: \(fault); ignored") }
      reportOverriddenKeys()
    } catch {
      refuse("\(error)")
    }
    followRules()
  }

  /// Passes the rules for remote settings to their state machine, if they changed.
  func followRules() {
    let rules = ServerChanges.Rules(
      maxSilence: configuration.remote.maxSilence, silenced: configuration.silencedByServer,
      isTracking: configuration.isTracking, permissions: ServerPermissions(configuration))
    guard rules != settingsState.server.rules else { return armServerTimer() }
    carryOut(settingsState.server.handle(.rules(rules), now: loop.now), from: "", now: loop.now)
  }

  // MARK: Storage

  /// The delay before a failed write is retried.
  private static let pauseAfterFailedWrite = Duration.seconds(60)

  /// Saves the stored settings. During a write, further requests are combined into one that follows it.
  ///
  /// `atOnce` queues the write immediately, for a job in the log that requires it.
  func keepSettings(now: Moment, atOnce: Bool = false) {
    guard settingsState.sources != nil else { return }
    guard settingsState.writesInProgress == 0 || atOnce else {
      settingsState.isWriteWaiting = true
      return
    }
    settingsState.isWriteWaiting = false
    settingsState.writesInProgress += 1
    post(.settings(settingsState.stored(now: now).json))
  }

  /// Handles the result of a write.
  func settingsKept(_ failure: SystemError?, now: Moment) {
    settingsState.writesInProgress = max(0, settingsState.writesInProgress - 1)
    defer {
      if settingsState.isWriteWaiting, settingsState.writesInProgress == 0, !isStopped {
        keepSettings(now: now)
      }
    }
    let isNew = settingsState.writeFailure == nil
    settingsState.writeFailure = failure
    if isNew, let trouble = settingsState.trouble {
      journal.log(.error, "settings: \(trouble); the logger keeps retrying")
    }
    let pause = Self.pauseAfterFailedWrite
    settingsTimer?.arm(within: failure.map { _ in WakeWindow(after: pause, now: now) })
  }
}
