import Quantities
import Settings
import SystemLoop

// What the operator sets, and the configuration made anew of all that lies over each other.
extension Logger {
  // MARK: By the operator

  /// Sets or takes back what the operator wishes: all of it or nothing. Answers what is wrong with it.
  ///
  /// With `droppingQueues` what waits for a destination whose address changes is not sent; else it goes to the new one.
  /// A word on `tracking` ends what a trip wanted of it, or makes it the `claim` of one that begins.
  func change(
    _ wishes: OperatorWishes, droppingQueues: Bool = false, claim: TrackingClaim? = nil
  ) -> [SettingsError] {
    guard let sources = book.sources else { return [] }
    var kept = layers(without: wishes.unset)
    let faults = sources.faults(of: wishes, over: kept)
    guard faults.isEmpty else { return faults }
    kept.operator.merge(wishes.values) { $1 }
    if droppingQueues, let next = try? sources.configuration(kept) {
      dropQueues(of: configuration.destinationsMoved(in: next))
    }
    let claim = wishes.isAboutTracking ? claim : book.tripClaim
    let hasChanged = book.operator != kept.operator || book.tripClaim != claim
    (book.operator, book.tripClaim) = (kept.operator, claim)
    let actions = book.server.handle(.unset(wishes.unset), now: loop.now)
    carryOut(actions, from: "", now: loop.now)
    guard hasChanged, !actions.contains(.changed) else { return [] }
    keepSettings(now: loop.now)
    relay()
    return []
  }

  private func layers(without unset: Set<String>) -> StoredLayers {
    var layers = book.layers
    for path in unset { layers.operator[path] = nil }
    layers.server = layers.server.filter { !unset.contains($0.key.path) }
    return layers
  }

  /// The destinations to which `wishes` give another address; none where they are no whole.
  func destinationsMoved(by wishes: OperatorWishes) -> [String] {
    var layers = layers(without: wishes.unset)
    layers.operator.merge(wishes.values) { $1 }
    return (try? book.sources?.configuration(layers)).map(configuration.destinationsMoved) ?? []
  }

  /// The configuration anew, from the files as they were read and what is set.
  func relay() {
    guard let sources = book.sources else { return }
    do throws(SettingsErrors) {
      let next = try sources.configuration(book.layers)
      if !configuration.changes(to: next).isEmpty { apply(next) } else { adoptOrigins(of: next) }
    } catch {
      journal.say(.error, "the settings cannot be laid together: \(error)")
    }
    followRules()
  }

  /// New files: the configuration is made of them and of what is set.
  public func reload(_ sources: ConfigurationSources) {
    do throws(SettingsErrors) {
      let next = try sources.configuration(book.layers)
      book.sources = sources
      apply(next)
      for fault in next.storedFaults { journal.say(.warning, "\(fault); left out") }
      reportOverriddenKeys()
    } catch {
      refuse("\(error)")
    }
    followRules()
  }

  func followRules() {
    let rules = ServerChanges.Rules(
      maxSilence: configuration.remote.maxSilence, silenced: configuration.silencedByServer,
      isTracking: configuration.isTracking, say: ServerSay(configuration))
    guard rules != book.server.rules else { return armServerTimer() }
    carryOut(book.server.handle(.rules(rules), now: loop.now), from: "", now: loop.now)
  }

  // MARK: On disk

  /// Asks again for a write that failed.
  private static let pauseAfterFailedWrite = Duration.seconds(60)

  /// Has all that is set written down. While a write is under way further ones wait for it, and one takes their place,
  /// unless what follows in the log must find it written: then it is queued `atOnce`.
  func keepSettings(now: Moment, atOnce: Bool = false) {
    guard book.sources != nil else { return }
    guard book.writesUnderWay == 0 || atOnce else {
      book.isWriteWaiting = true
      return
    }
    book.isWriteWaiting = false
    book.writesUnderWay += 1
    post(.settings(book.stored(now: now).json))
  }

  func settingsKept(_ failure: SystemError?, now: Moment) {
    book.writesUnderWay = max(0, book.writesUnderWay - 1)
    defer { if book.isWriteWaiting, book.writesUnderWay == 0, !isStopped { keepSettings(now: now) } }
    let isNew = book.writeFailure == nil
    book.writeFailure = failure
    if isNew, let trouble = book.trouble { journal.say(.error, "\(trouble); it is written again") }
    let pause = Self.pauseAfterFailedWrite
    settingsTimer?.arm(within: failure.map { _ in WakeWindow(after: pause, now: now) })
  }
}
